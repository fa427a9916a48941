//! Fences of windows whose ranks are threads of one process, processes, or both, on one node or several.

use simurgh_testing::{Compile, Stage, expect_passed_in};

/// The ways in which ranks live.
const PLACES: [&[&str]; 5] = [
    &["--mode", "threads"],
    &["--mode", "processes"],
    &["--hosts-per-node", "2"],
    &["--launcher", "fork", "-hosts", "a,b", "--hosts-per-node", "2"],
    &["--launcher", "fork", "-hosts", "a,b", "--mode", "processes"],
];

fn meet(ranks: usize, places: &[&[&str]], seeds: &[&str]) {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/window_fences.c").against(&stage).build();
    expect_passed_in(&stage, &program, (ranks, places), (&[], seeds));
}

#[test]
fn all_that_was_put_before_a_fence_is_there_after_it() {
    meet(2, &PLACES, &["1", "2"]);
    meet(5, &PLACES, &["3"]);
}

#[test]
fn a_rank_by_itself_waits_for_nobody() {
    meet(1, &PLACES[..2], &["4"]);
}

#[test]
fn many_processes_meet_at_fences() {
    meet(16, &PLACES[1..2], &["5", "6"]);
}

/// Each rank of a host is a process of the node then, as in the mode of processes, but has virtual processors.
#[test]
fn hosts_of_one_rank_meet_at_fences() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/window_fences.c").against(&stage).build();
    for ranks in [2, 4] {
        let mpiexec = stage
            .mpiexec(ranks)
            .options(["--hosts-per-node", &ranks.to_string()]);
        mpiexec.args(["7"]).run(&program).expect_success();
    }
}
