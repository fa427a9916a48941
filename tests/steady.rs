//! Steady collectives allocate nothing and make no system call; between hosts, short ones allocate no more than their
//! rounds need.

use simurgh_testing::{Compile, Stage};

fn is_steady(ranks: usize, vps: usize, arguments: &[&str]) {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/steady.c")
        .flags(["-O1", "-Wall", "-Wextra", "-Werror"])
        .against(&stage)
        .build();
    let run = stage.mpiexec(ranks).vps(vps);
    let outcome = run.args(arguments).run(&program);
    outcome.expect_success();
}

/// All ranks on one kernel thread, whose system calls are counted.
#[test]
fn collectives_on_one_processor_allocate_nothing_and_stay_out_of_the_kernel() {
    for ranks in [1, 2, 16] {
        is_steady(ranks, 1, &["system calls"]);
    }
}

/// With two processors, one may have to sleep until the other has work for it.
#[test]
fn collectives_on_two_processors_allocate_nothing() {
    is_steady(5, 2, &[]);
}

#[test]
fn short_collectives_between_hosts_allocate_a_few_blocks_for_each_round() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/steady_hosts.c")
        .flags(["-O1", "-Wall", "-Wextra", "-Werror"])
        .against(&stage)
        .build();
    for (hosts, transport) in [("2", "shm"), ("4", "shm"), ("2", "ofi")] {
        let options = ["--hosts-per-node", hosts, "--transport", transport];
        let run = stage.mpiexec(8).options(options);
        run.args([hosts]).run(&program).expect_success();
    }
}
