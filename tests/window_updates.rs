//! Long and short updates at the same time of windows whose ranks are threads of one process, processes, or both, on
//! one node or several.

use simurgh_testing::{Compile, Stage, expect_passed_in};

/// The ways in which ranks live.
const PLACES: [&[&str]; 5] = [
    &["--mode", "threads"],
    &["--mode", "processes"],
    &["--hosts-per-node", "2"],
    &["--launcher", "fork", "-hosts", "a,b", "--hosts-per-node", "2"],
    &["--launcher", "fork", "-hosts", "a,b", "--mode", "processes"],
];

fn update(ranks: usize, places: &[&[&str]], seeds: &[&str]) {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/window_updates.c").against(&stage).build();
    expect_passed_in(&stage, &program, (ranks, places), (&[], seeds));
}

#[test]
fn no_update_is_lost_beside_long_ones_that_exclude_others() {
    update(2, &PLACES, &["1", "2"]);
    update(5, &PLACES[..3], &["3"]);
}
