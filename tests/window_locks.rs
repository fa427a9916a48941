//! Locks of windows whose ranks are threads of one process, processes, or both, on one node or several.

use simurgh_testing::{Compile, Stage, expect_passed_in};

/// The ways in which ranks live.
const PLACES: [&[&str]; 7] = [
    &["--mode", "threads"],
    &["--mode", "processes"],
    &["--hosts-per-node", "2"],
    &["--hosts-per-node", "2", "--transport", "ofi"],
    &["--launcher", "fork", "-hosts", "a,b"],
    &["--launcher", "fork", "-hosts", "a,b", "--hosts-per-node", "2"],
    &["--launcher", "fork", "-hosts", "a,b", "--mode", "processes"],
];

fn exclude(ranks: usize, places: &[&[&str]], seeds: &[&str]) {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/window_locks.c").against(&stage).build();
    expect_passed_in(&stage, &program, (ranks, places), (&["exclude"], seeds));
}

#[test]
fn locks_exclude_wherever_ranks_live() {
    exclude(4, &PLACES, &["31", "48"]);
    exclude(7, &PLACES, &["1", "2"]);
}

#[test]
fn locks_of_one_and_of_two_ranks_exclude() {
    exclude(1, &PLACES[..2], &["5"]);
    exclude(2, &PLACES, &["6", "7"]);
}

#[test]
fn locks_of_many_ranks_exclude() {
    exclude(64, &PLACES[..3], &["8", "9"]);
}

/// The process of the rank does nothing for that: the lock is in memory that the processes share.
#[test]
fn a_lock_passes_from_hand_to_hand_while_its_rank_computes() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/window_locks.c").against(&stage).build();
    let mpiexec = stage.mpiexec(3).mode("processes");
    mpiexec.args(["busy"]).run(&program).expect_success();
}

/// Thousands of turns: where ranks that ask keep their processor, each takes milliseconds.
#[test]
fn ranks_that_ask_again_and_again_let_others_run() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/window_locks.c").against(&stage).build();
    let mpiexec = stage.mpiexec(4).vps(1).options(["--timeout", "15"]);
    mpiexec.args(["ask"]).run(&program).expect_success();
}
