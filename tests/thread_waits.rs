//! Threads of a rank, and the ways in which its main thread waits for them.

use simurgh_testing::{Binary, Compile, Outcome, Stage};

#[test]
fn waiting_for_a_thread_lets_the_ranks_of_the_same_processor_run() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/thread_waits.c")
        .flags(["-O2", "-Wall"])
        .libraries(["-lpthread"]);
    let program = program.against(&stage).build();
    for (ranks, vps) in [(1, 1), (2, 1), (7, 2), (16, 2)] {
        let run = stage.mpiexec(ranks).vps(vps).run(&program);
        run.expect_success();
        assert_eq!(
            run.stdout.lines().filter(|line| *line == "waits OK").count(),
            ranks,
            "{run}"
        );
        assert!(!run.stdout.contains("BAD"), "{run}");
    }
}

/// On one virtual processor the ranks need no locks, until a thread of one of them calls MPI beside them.
#[test]
fn threads_that_take_turns_in_their_ranks_exchange_messages_beside_other_ranks() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/serialized_threads.c")
        .flags(["-O2", "-Wall"])
        .libraries(["-lpthread"]);
    let program = program.against(&stage).build();
    for (ranks, vps) in [(1, 1), (2, 1), (7, 1), (7, 2)] {
        let run = stage.mpiexec(ranks).vps(vps).mode("threads").run(&program);
        run.expect_success();
        assert_eq!(run.stdout, "0 wrong\n", "{run}");
    }
}

fn deadlocks(stage: &Stage) -> Binary {
    let program = Compile::c("tests/c/thread_deadlocks.c").flags(["-O2", "-Wall"]);
    program.libraries(["-lpthread"]).against(stage).build()
}

/// Only other threads of the same rank could wake the one that waits, and these wait as well.
#[test]
fn ranks_that_wait_for_ever_are_found_though_they_have_other_threads() {
    let stage = Stage::locate();
    let program = deadlocks(&stage);
    let waits = |outcome: &Outcome, tags: &[usize]| {
        outcome
            .expect_code(125)
            .expect_stderr("simurgh: deadlock: every rank waits");
        for (rank, tag) in (0..3).flat_map(|rank| tags.iter().map(move |tag| (rank, tag))) {
            let next = (rank + 1) % 3;
            outcome.expect_stderr(&format!(
                "rank {rank} waits in a receive from rank {next} with tag {tag}"
            ));
        }
    };
    for (way, tags) in [
        ("idle", &[5][..]),
        ("funneled", &[5]),
        ("join", &[5, 6, 7]),
        ("exit", &[5]),
        ("condition", &[5]),
        ("semaphore", &[5]),
        ("mutex", &[5]),
    ] {
        let jobs = [
            stage.mpiexec(3),
            stage.mpiexec(3).options(["--hosts-per-node", "2"]),
            stage.mpiexec(3).mode("processes"),
        ];
        for job in jobs {
            waits(&job.args([way]).run(&program), tags);
        }
    }
}

#[test]
fn who_waits_for_a_thread_that_others_will_wake_is_in_no_deadlock() {
    let stage = Stage::locate();
    let program = deadlocks(&stage);
    for mode in ["processes", "threads"] {
        for way in ["idle", "join", "condition", "semaphore", "mutex"] {
            let run = stage.mpiexec(3).mode(mode).args([way, "go on"]).run(&program);
            run.expect_success();
            assert_eq!(run.stdout, "goes on\n".repeat(3), "{run}");
        }
    }
}

/// The thread that calls MPI_Test may hold a lock that another thread of its rank spins for.
#[test]
fn who_tests_in_vain_does_not_give_its_core_to_those_who_spin_for_it() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/thread_tests.c").flags(["-O2", "-Wall", "-rdynamic"]);
    let program = program.libraries(["-lpthread"]).against(&stage).build();
    for (mode, ranks, way) in [
        ("processes", 2, "count"),
        ("processes", 4, "share"),
        ("threads", 4, "share"),
    ] {
        let run = stage.mpiexec(ranks).mode(mode).args([way]).run(&program);
        run.expect_success();
        assert_eq!(run.stdout, "tests OK\n".repeat(ranks), "{run}");
    }
}

/// Such a rank's main thread sleeps while a thread of its own begins, waits or ends, at every moment of these.
#[test]
fn threads_that_begin_and_end_while_all_others_sleep_are_no_deadlock() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/mpi_thread_joins.c").flags(["-O2", "-Wall"]);
    let program = program.libraries(["-lpthread"]).against(&stage).build();
    for _ in 0..3 {
        stage.mpiexec(4).vps(2).run(&program).expect_success();
    }
    let processes = stage.mpiexec(3).mode("processes");
    processes.run(&program).expect_success();
}
