//! Short fetches from the memory of windows that the program brings, whose ranks are threads of one process, processes,
//! or both: each waits for its value, which another process answers by a word where it can.

use simurgh_testing::{Compile, Stage, expect_passed_in};

/// The ways in which ranks live.
const PLACES: [&[&str]; 5] = [
    &["--mode", "threads"],
    &["--mode", "processes"],
    &["--hosts-per-node", "2"],
    &["--hosts-per-node", "2", "--transport", "ofi"],
    &["--launcher", "fork", "-hosts", "a,b", "--mode", "processes"],
];

fn fetch(ranks: usize, places: &[&[&str]], threads: &[&str]) {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/window_answers.c").against(&stage).build();
    expect_passed_in(&stage, &program, (ranks, places), (&[], threads));
}

#[test]
fn every_fetch_gets_its_own_value() {
    fetch(2, &PLACES, &["1"]);
    fetch(7, &PLACES[..3], &["1"]);
}

#[test]
fn threads_of_a_rank_that_fetch_at_the_same_time_get_their_own_values() {
    fetch(2, &PLACES, &["2", "5"]);
    fetch(5, &PLACES[..3], &["3"]);
}
