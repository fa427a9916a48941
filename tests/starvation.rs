//! Ranks that keep their virtual processor from others for which they wait.

use simurgh_testing::{Binary, Compile, Stage, TCP};

fn program(stage: &Stage) -> Binary {
    Compile::c("tests/c/keeps_processor.c")
        .flags(["-O2", "-Wall"])
        .against(stage)
        .build()
}

#[test]
fn ranks_that_spin_or_block_do_not_keep_others_of_their_processor_from_running() {
    let stage = Stage::locate();
    let program = program(&stage);
    for (ranks, vps) in [(2, 1), (7, 1), (7, 2)] {
        let run = stage.mpiexec(ranks).vps(vps).env("SIMURGH_MODE", "threads");
        let run = run.run(&program);
        run.expect_success();
        assert_eq!(run.stdout, "keeps OK\n".repeat(ranks), "{run}");
    }
}

#[test]
fn threads_of_openmp_exchange_messages_while_their_ranks_keep_the_processor() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/openmp_exchange.c")
        .flags(["-O2", "-Wall", "-fopenmp"])
        .against(&stage)
        .build();
    for (ranks, vps) in [(1, 1), (4, 1), (7, 2), (16, 2)] {
        let run = stage.mpiexec(ranks).vps(vps).run(&program);
        run.expect_success();
        assert_eq!(run.stdout, format!("passed with {ranks} ranks\n"), "{run}");
    }
}

#[test]
fn who_waits_for_another_process_hears_of_it_although_its_processor_is_kept() {
    let stage = Stage::locate();
    let program = program(&stage);
    for transport in ["shm", "ofi"] {
        let options = [
            "--hosts-per-node",
            "2",
            "--mode",
            "threads",
            "--transport",
            transport,
        ];
        let run = stage.mpiexec(4).vps(1).options(options).args(["talk"]);
        let run = run.run(&program);
        run.expect_success();
        assert_eq!(run.stdout, "keeps OK\n".repeat(4), "{run}");
    }
}

/// A seed determines the order as long as no rank keeps others from running; a rank that would wait for ever does not.
#[test]
fn in_a_seeded_run_nobody_is_kept_from_running_either_and_the_user_is_told() {
    const TOLD: &str = "another run with this --seed may take another order";
    let stage = Stage::locate();
    let keeps = program(&stage);
    for seed in ["1", "3"] {
        let run = |patience: &str| {
            let options = ["--mode", "threads", "--seed", seed, "--patience", patience];
            stage.mpiexec(4).vps(1).options(options)
        };
        let kept = run("20").run(&keeps);
        kept.expect_success().expect_stderr(TOLD);
        assert_eq!(kept.stderr.matches(TOLD).count(), 1, "{kept}");
        // A rank that yields keeps nobody from running, though on a busy machine it may look so.
        let free = run("100000").args(["yield"]).run(&keeps);
        assert_eq!(free.expect_success().stderr, "");
    }
}

#[test]
fn who_yields_makes_room_at_once() {
    let stage = Stage::locate();
    let program = program(&stage);
    let options = ["--mode", "threads", "--patience", "0"];
    let run = stage.mpiexec(7).vps(1).options(options).args(["yield"]);
    run.run(&program).expect_success();
}

#[test]
fn who_has_all_the_patience_waits() {
    let stage = Stage::locate();
    let program = program(&stage);
    let options = ["--mode", "threads", "--patience", "0", "--timeout", "1"];
    let run = stage.mpiexec(2).vps(1).options(options).run(&program);
    run.expect_code(124);
}

#[test]
fn a_thread_that_waits_for_another_process_blocks_nobody_but_itself() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/thread_talks.c")
        .flags(["-O2", "-Wall"])
        .libraries(["-lpthread"]);
    let program = program.against(&stage).build();
    let hosts = ["--hosts-per-node", "2"];
    let nodes = ["-hosts", "a,b", "--launcher", "fork"];
    for way in ["spin", "barrier", "read"] {
        let jobs = [
            stage.mpiexec(2).options(hosts).options(["--transport", "shm"]),
            stage.mpiexec(4).options(nodes).options(TCP),
            stage.mpiexec(2).mode("processes"),
        ];
        for (job, ranks) in jobs.into_iter().zip([2, 4, 2]) {
            let run = job.args([way]).run(&program);
            run.expect_success();
            assert_eq!(run.stdout, "talks OK\n".repeat(ranks), "{run}");
        }
    }
}
