//! The report on what ranks wait for when a job has to be ended, including waits that are no blocking calls.

use simurgh_testing::{Binary, Compile, Stage};

/// A way to hang, and the report of it where ranks are threads and where they are processes.
type Case = (&'static str, &'static str, &'static str);

const PARTITIONED: &str = "rank 0 has started a partitioned receive from rank 1 with tag 3";

/// Nobody can go on.
const FOR_EVER: [Case; 6] = [
    ("ready", ", which lacks 3 of 4 partitions", ""),
    ("unpaired", ", of which the other side has not been set up", ""),
    ("unmet", ", of which the other side has not been started", ""),
    (
        "unreceived",
        "rank 1 has started a partitioned send to rank 0 with tag 3, of which the other side has not been started",
        "rank 1 has started a partitioned send to rank 0 with tag 3, which lacks 3 of 4 partitions",
    ),
    (
        "started",
        "a nonblocking MPI_Allreduce has been started by ranks 1-2 and not by 0",
        "a nonblocking MPI_Allreduce has been started by ranks 2, and waits for other hosts",
    ),
    (
        "again",
        "a nonblocking MPI_Allreduce has been started by ranks 1-2 and not by 0",
        "a nonblocking MPI_Allreduce has been started by ranks 2, and waits for other hosts",
    ),
];

fn program(stage: &Stage) -> Binary {
    Compile::c("tests/c/stuck.c")
        .flags(["-O1", "-Wall", "-Werror"])
        .against(stage)
        .build()
}

/// The whole line; the parts that begin with a comma are about the partitioned receive.
fn line(told: &str) -> String {
    match told.starts_with("rank") || told.starts_with('a') {
        true => told.to_owned(),
        false => format!("{PARTITIONED}{told}"),
    }
}

#[test]
fn deadlocks_tell_of_requests() {
    let stage = Stage::locate();
    let program = program(&stage);
    for (how, threads, processes) in FOR_EVER {
        for (mode, told) in [("threads", threads), ("processes", processes)] {
            let outcome = stage.mpiexec(3).mode(mode).args([how]).run(&program);
            outcome.expect_code(125).expect_stderr("deadlock");
            let line = line(told);
            assert!(
                outcome.stderr.lines().any(|found| found.trim() == line),
                "{line}\n{outcome}"
            );
        }
    }
}

#[test]
fn deadlocks_tell_of_windows() {
    let stage = Stage::locate();
    let program = program(&stage);
    let cases = [
        (
            "lock",
            &["rank 2 waits for a shared lock of rank 0, which rank 1 holds exclusively, in window "][..],
        ),
        (
            "signal",
            &[
                "rank 0 waits in MPI_Win_start for MPI_Win_post of rank 0, 2, in window ",
                "rank 1 waits in MPI_Win_wait, where 0 of 3 ranks have called MPI_Win_complete, in window ",
            ],
        ),
    ];
    for (how, told) in cases {
        for mode in ["threads", "processes"] {
            let outcome = stage.mpiexec(3).mode(mode).args([how]).run(&program);
            outcome.expect_code(125).expect_stderr("deadlock");
            for line in told {
                let mut lines = outcome.stderr.lines();
                assert!(
                    lines.any(|found| found.trim().starts_with(line)),
                    "{line}\n{outcome}"
                );
            }
        }
    }
}

#[test]
fn deadlocks_tell_of_fences_between_processes() {
    let stage = Stage::locate();
    let mpiexec = stage.mpiexec(3).mode("processes").args(["fence"]);
    let outcome = mpiexec.run(&program(&stage));
    outcome.expect_code(125).expect_stderr("deadlock");
    for rank in [1, 2] {
        let line = format!("rank {rank} waits in MPI_Win_fence, where 2 of 3 ranks have come, in window ");
        outcome.expect_stderr(&line);
    }
}

/// The fence is in shared memory, and the rank that frees the window waits for messages.
#[test]
fn deadlocks_tell_of_a_window_that_some_free_and_some_fence() {
    let stage = Stage::locate();
    let mpiexec = stage.mpiexec(3).mode("processes").args(["free"]);
    let outcome = mpiexec.run(&program(&stage));
    outcome.expect_code(125).expect_stderr("deadlock");
    for line in [
        "rank 1 waits in MPI_Win_fence, where 2 of 3 ranks have come, in window ",
        "MPI_Win_free",
    ] {
        outcome.expect_stderr(line);
    }
}

/// Where all ranks meet in the same way, they find out what the others do.
#[test]
fn a_fence_and_a_free_do_not_meet() {
    let stage = Stage::locate();
    let program = program(&stage);
    for options in [&["--mode", "threads"][..], &["--hosts-per-node", "2"]] {
        let outcome = stage.mpiexec(3).options(options).args(["free"]).run(&program);
        assert!(!outcome.success(), "{outcome}");
        outcome
            .expect_stderr("MPI_Win_free")
            .expect_stderr("MPI_Win_fence")
            .expect_stderr("all ranks must make the same call");
    }
}

/// Ranks that look again and again do not wait, so that only the time limit ends the job.
#[test]
fn time_limits_tell_of_loops() {
    let stage = Stage::locate();
    let program = program(&stage);
    for (how, mode, told) in [
        (
            "iprobe",
            "threads",
            "times in vain for a message from rank 1 with tag 4",
        ),
        (
            "iprobe",
            "processes",
            "times in vain for a message from rank 1 with tag 4",
        ),
        (
            "improbe",
            "threads",
            "times in vain for a message from rank 1 with tag 4",
        ),
        ("arrived", "threads", PARTITIONED),
        ("arrived", "processes", PARTITIONED),
    ] {
        let mpiexec = stage.mpiexec(3).mode(mode).options(["--timeout", "4"]);
        let outcome = mpiexec.args([how]).run(&program);
        outcome.expect_code(124).expect_stderr(told);
    }
}
