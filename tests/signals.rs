//! Each rank has signals of its own, in whatever mode it runs.

use std::time::Duration;

use simurgh_testing::{Binary, Compile, Outcome, Stage};

/// Most programs here take a second or two where nothing else runs.
const LIMIT: Duration = Duration::from_secs(120);

fn build(stage: &Stage, source: &str) -> Binary {
    Compile::c(source)
        .flags(["-O2", "-Wall", "-D_GNU_SOURCE"])
        .libraries(["-lpthread"])
        .against(stage)
        .build()
}

#[track_caller]
fn passes(run: &Outcome, ranks: usize) {
    run.expect_success();
    assert_eq!(run.stdout, format!("passed with {ranks} ranks\n"), "{run}");
}

#[test]
fn ranks_have_handlers_masks_and_timers_of_their_own() {
    let stage = Stage::locate();
    let program = build(&stage, "tests/c/signals.c");
    for ranks in [1, 2, 7, 64] {
        let run = stage.mpiexec(ranks).vps(2).limit(LIMIT).run(&program);
        passes(&run, ranks);
    }
}

#[test]
fn processes_have_theirs_as_ever() {
    let stage = Stage::locate();
    let program = build(&stage, "tests/c/signals.c");
    for ranks in [1, 2, 7] {
        let run = stage.mpiexec(ranks).mode("processes").limit(LIMIT).run(&program);
        passes(&run, ranks);
    }
}

#[test]
fn threads_of_the_c_library_belong_to_their_rank() {
    let stage = Stage::locate();
    let program = build(&stage, "tests/c/signal_events.c");
    for mode in ["threads", "processes"] {
        for ranks in [1, 2, 7] {
            let run = stage.mpiexec(ranks).vps(2).mode(mode).limit(LIMIT).run(&program);
            passes(&run, ranks);
        }
    }
}

#[test]
fn a_rank_that_a_signal_ends_is_named() {
    let stage = Stage::locate();
    let program = build(&stage, "tests/c/signal_events.c");
    for mode in ["threads", "processes"] {
        for (how, signal) in [("alarm", 14), ("kill", 9), ("raise", 15)] {
            let run = stage.mpiexec(3).mode(mode).args([how]).limit(LIMIT).run(&program);
            let told = format!("was killed by signal {signal}\n");
            run.expect_code(128 + signal).expect_stderr(&told);
            assert!(run.stderr.starts_with("simurgh: rank 2 "), "{run}");
        }
    }
}

#[test]
fn handlers_run_while_their_rank_waits_in_mpi() {
    let stage = Stage::locate();
    let program = build(&stage, "tests/c/signal_waits.c");
    for ranks in [1, 2, 4, 7, 64] {
        let run = stage
            .mpiexec(ranks)
            .vps(2)
            .args(["calls"])
            .limit(LIMIT)
            .run(&program);
        passes(&run, ranks);
    }
    let hosts = stage.mpiexec(4).options(["--hosts-per-node", "2"]).vps(2);
    passes(&hosts.args(["calls"]).limit(LIMIT).run(&program), 4);
}

#[test]
fn a_thread_may_be_the_first_to_use_signals_while_the_main_thread_waits() {
    let stage = Stage::locate();
    let program = build(&stage, "tests/c/signal_waits.c");
    for mode in ["threads", "processes"] {
        for ranks in [1, 2, 7] {
            let run = stage.mpiexec(ranks).mode(mode).args(["late"]).limit(LIMIT);
            passes(&run.run(&program), ranks);
        }
    }
}

/// The handler completes the request at some time, so no rank waits for ever.
#[test]
fn a_request_that_a_handler_completes_is_no_deadlock() {
    let stage = Stage::locate();
    let program = build(&stage, "tests/c/signal_waits.c");
    for mode in ["threads", "processes"] {
        for ranks in [1, 2] {
            let run = stage.mpiexec(ranks).mode(mode).limit(LIMIT).run(&program);
            passes(&run, ranks);
        }
    }
}

/// The signals are lost with the ranks, and do not kill the host that carried them.
#[test]
fn signals_that_come_while_ranks_end_do_no_harm() {
    let stage = Stage::locate();
    let program = build(&stage, "tests/c/signal_end.c");
    for mode in ["threads", "processes"] {
        // A signal seldom comes in the very moment in which it would do harm.
        for ranks in [1, 2, 7].repeat(5) {
            let run = stage.mpiexec(ranks).mode(mode).limit(LIMIT).run(&program);
            passes(&run, ranks);
        }
    }
}

/// After its alarm, a rank that waits for itself waits for ever.
#[test]
fn a_deadlock_is_found_when_no_alarm_is_left() {
    let stage = Stage::locate();
    let program = build(&stage, "tests/c/signal_waits.c");
    for mode in ["threads", "processes"] {
        let run = stage
            .mpiexec(2)
            .mode(mode)
            .args(["forever"])
            .limit(LIMIT)
            .run(&program);
        run.expect_code(125).expect_stderr("deadlock");
    }
}
