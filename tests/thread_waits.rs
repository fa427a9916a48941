//! Threads of a rank, and the ways in which its main thread waits for them.

use simurgh_testing::{Compile, Stage};

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
