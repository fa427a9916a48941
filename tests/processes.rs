//! Ranks that are processes: the C test programs of `tests/c`, and how such jobs start and end.

use crate::programs;
use simurgh_testing::{Compile, Mpiexec, Outcome, Scratch, Stage, passed};
use std::time::Duration;

/// Numbers of processes.
const RANKS: [usize; 4] = [1, 2, 4, 7];

fn passes(program: &str, ranks: &[usize], options: &[&str]) {
    let stage = Stage::locate();
    let binary = programs::build(&stage, program);
    for &ranks in ranks {
        let outcome = stage
            .mpiexec(ranks)
            .mode("processes")
            .options(options)
            .run(&binary);
        outcome.expect_success();
        assert_eq!(outcome.stdout, passed(ranks), "{outcome}");
    }
}

programs!(tests passes [&RANKS, &[]]);
agreeing_programs!(tests passes [&RANKS, &["--check"]]);

/// One that polls lets the other one have the core: otherwise each turn takes as long as it polls before it sleeps.
#[test]
fn processes_on_one_core_take_turns_without_going_to_sleep() {
    let stage = Stage::locate();
    if std::thread::available_parallelism().is_ok_and(|processors| processors.get() < 2) {
        return; // Then processes do not poll.
    }
    let program = Compile::c("tests/c/shared_core.c").against(&stage).build();
    let outcome = stage.mpiexec(2).mode("processes").run(&program);
    outcome.expect_success();
}

#[test]
fn processes_talk_over_libfabric_too() {
    for program in ["collectives", "exchange", "early"] {
        passes(program, &[3], &["--transport", "ofi"]);
    }
}

fn processes(ranks: usize) -> Mpiexec {
    Stage::locate().mpiexec(ranks).mode("processes")
}

fn ending(way: &str, code: &str) -> Outcome {
    let program = Compile::c("tests/c/launch_mpi.c")
        .against(&Stage::locate())
        .build();
    processes(3).args([way, code]).run(&program)
}

#[test]
fn however_a_rank_ends_the_job_does_too() {
    ending("", "0").expect_success();
    ending("after", "3").expect_code(3);
    ending("abort", "7")
        .expect_code(7)
        .expect_stderr("simurgh: rank 1 ended the job with code 7");
    for way in ["return", "exit"] {
        ending(way, "0")
            .expect_code(1)
            .expect_stderr("launch_mpi) ended with status 0 without calling MPI_Finalize");
    }
    ending("wait", "0")
        .expect_code(125)
        .expect_stderr("simurgh: deadlock: every rank waits")
        .expect_stderr("rank 1 waits in a receive from rank 0 with tag 99");
    let outcome = ending("finish", "0");
    outcome
        .expect_code(125)
        .expect_stderr("rank 1 waits in a receive from rank 0 with tag 99");
    const WAITS: &str = "launch_mpi) has finalized MPI, and waits for the others to do so";
    assert_eq!(outcome.stderr.matches(WAITS).count(), 2, "{outcome}");
}

#[test]
fn a_rank_that_is_killed_ends_the_job_at_once() {
    processes(4)
        .args(["-c", "test $SIMURGH_RANK = 2 && kill -9 $$; sleep 60"])
        .run("sh")
        .expect_code(137)
        .expect_stderr("simurgh: rank 2 (sh) was killed by signal 9")
        .expect_end_after(Duration::ZERO);
}

#[test]
fn a_rank_that_is_killed_in_an_epoch_ends_the_job() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/window_killed.c").against(&stage).build();
    for options in [
        &["--mode", "processes"][..],
        &["--hosts-per-node", "2"],
        &["--hosts-per-node", "2", "--transport", "ofi"],
    ] {
        for word in ["lock", "operations", "fence", "start"] {
            let outcome = stage.mpiexec(4).options(options).args([word]).run(&program);
            outcome.expect_code(137).expect_stderr(" was killed by signal 9");
            assert_eq!(outcome.stderr.lines().count(), 1, "{outcome}");
        }
    }
}

/// Epochs of all kinds, in the order of the seed, against a model that every rank computes by itself.
#[test]
fn windows_of_processes_agree_with_a_model_whatever_the_seed() {
    let stage = Stage::locate();
    let program = programs::build(&stage, "windows");
    for (ranks, seeds) in [(2, &["1", "2", "3", "4", "5"][..]), (5, &["6", "7", "8"])] {
        for seed in seeds {
            let outcome = stage.mpiexec(ranks).mode("processes").args([seed]).run(&program);
            outcome.expect_success();
            assert_eq!(outcome.stdout, passed(ranks), "seed {seed}: {outcome}");
        }
    }
}

#[test]
fn a_job_that_takes_too_long_says_what_its_ranks_wait_for() {
    processes(2)
        .options(["--timeout", "0.3"])
        .args(["60"])
        .run("sleep")
        .expect_code(124)
        .expect_stderr("rank 1 (sleep) has not called MPI_Init");
}

#[test]
fn who_comes_when_the_time_is_over_comes_too_late() {
    let program = Compile::c("tests/c/launch_mpi.c")
        .against(&Stage::locate())
        .build();
    // The process that waits for it has been asked what it waits for, and has not answered.
    let wait = "test $SIMURGH_RANK = 0 || sleep 0.45; exec \"$0\" wait";
    processes(2)
        .options(["--timeout", "0.3"])
        .args(["-c".as_ref(), wait.as_ref(), program.path().as_os_str()])
        .run("sh")
        .expect_code(124);
}

#[test]
fn programs_without_mpi_run_as_they_are() {
    let outcome = Stage::locate()
        .mpiexec(3)
        .mode("auto")
        .args(["-c", "cat; echo $SIMURGH_RANK of $SIMURGH_SIZE"])
        .input("for rank 0\n")
        .run("sh");
    assert_eq!(
        outcome.expect_success().sorted_lines(),
        ["0 of 3", "1 of 3", "2 of 3", "for rank 0"]
    );
    assert_eq!(outcome.stderr, "");
    // The status is that of the first rank with a bad one, whichever ends first.
    processes(3)
        .args(["-c", "sleep 0.0$((3 - SIMURGH_RANK)); exit $SIMURGH_RANK"])
        .run("sh")
        .expect_code(1);
}

#[test]
fn a_session_is_opened_without_waiting_for_others() {
    let program = Compile::c("tests/c/session_first.c").against(&Stage::locate());
    let (program, scratch) = (program.build(), Scratch::new("session"));
    for transport in ["shm", "ofi"] {
        let open = scratch.path().join(transport);
        let mpiexec = processes(3).options(["--transport", transport]);
        let outcome = mpiexec.args([open]).run(&program);
        assert_eq!(outcome.expect_success().stdout, "sum 3\n".repeat(3));
    }
}

#[test]
fn a_communicator_of_a_session_on_one_node_waits_for_its_members_alone() {
    let program = Compile::c("tests/c/session_members.c").against(&Stage::locate());
    let (program, scratch) = (program.build(), Scratch::new("members"));
    let mpiexec = processes(3);
    let outcome = mpiexec.args([scratch.path().join("used")]).run(&program);
    assert_eq!(outcome.expect_success().stdout, "sum 1\n".repeat(2));
}

/// A process that communicates with all others has one mapping and a fixed number of descriptors, however many there
/// are.
#[test]
fn processes_of_a_node_share_one_memory() {
    /// The descriptors that threads which read /proc have open for a moment.
    const PASSING: usize = 3;
    let program = Compile::c("tests/c/few_maps.c").against(&Stage::locate());
    let program = program.build();
    let most_descriptors = |ranks| {
        let outcome = processes(ranks).run(&program);
        let lines = outcome.expect_success().sorted_lines();
        assert_eq!(lines.len(), ranks);
        let descriptors = lines.iter().map(|line| {
            let descriptors = line.strip_prefix("memories 1, descriptors ");
            descriptors.and_then(|number| number.parse().ok()).expect(line)
        });
        descriptors.max().unwrap_or(0)
    };
    let few: usize = most_descriptors(2);
    let many = most_descriptors(12);
    assert!(many <= few + PASSING, "{few} and {many}");
}

/// An empty entry in the list would mean the working directory.
#[test]
fn libraries_are_looked_for_where_the_user_says_and_in_the_installation_alone() {
    let stage = Stage::locate();
    let own = stage.lib().canonicalize().unwrap();
    for (users, searched) in [("", String::new()), ("/x::/y", ":/x::/y".to_owned())] {
        let mpiexec = processes(1).env("LD_LIBRARY_PATH", users);
        let outcome = mpiexec.args(["-c", "echo $LD_LIBRARY_PATH"]).run("sh");
        let expected = format!("{}{searched}\n", own.display());
        assert_eq!(outcome.expect_success().stdout, expected);
    }
}

#[test]
fn a_script_may_start_the_program_beside_others_whose_ranks_are_threads() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/mpi_collectives.c").against(&stage).build();
    let scratch = Scratch::new("processes-script");
    let text = format!("#!/bin/sh\nexec {} \"$@\"\n", program.path().display());
    let script = scratch.write_program("script", &text);
    let others = [
        ":".as_ref(),
        "-n".as_ref(),
        "3".as_ref(),
        program.path().as_os_str(),
    ];
    let outcome = stage.mpiexec(2).mode("auto").args(others).run(&script);
    outcome
        .expect_success()
        .expect_stderr("is a script for /bin/sh, not a compiled program; its ranks are processes");
    assert_eq!(outcome.stdout, passed(5), "{outcome}");
}

#[test]
fn who_waits_for_a_program_that_does_not_use_mpi_is_told() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/launch_mpi.c").against(&stage).build();
    let others = [":", "-n", "1", "true"];
    let outcome = processes(2).args(others).run(&program);
    outcome
        .expect_code(1)
        .expect_stderr("rank 2 (true) ended")
        .expect_stderr("without calling MPI_Init, which others have called");
}
