//! General active target synchronisation of windows whose ranks are threads of one process, processes, or both, on one
//! node or several.

use simurgh_testing::{Compile, Stage, expect_passed_in};

/// The ways in which ranks live.
const PLACES: [&[&str]; 5] = [
    &["--mode", "threads"],
    &["--mode", "processes"],
    &["--hosts-per-node", "2"],
    &["--launcher", "fork", "-hosts", "a,b", "--hosts-per-node", "2"],
    &["--launcher", "fork", "-hosts", "a,b", "--mode", "processes"],
];

fn post(ranks: usize, places: &[&[&str]], seeds: &[&str]) {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/window_posts.c").against(&stage).build();
    expect_passed_in(&stage, &program, (ranks, places), (&[], seeds));
}

#[test]
fn all_that_was_put_before_a_completion_is_there_after_the_wait() {
    post(2, &PLACES, &["1", "2"]);
    post(5, &PLACES, &["3"]);
}

#[test]
fn a_rank_posts_to_itself() {
    post(1, &PLACES[..2], &["4"]);
}

#[test]
fn many_processes_post_to_each_other() {
    post(16, &PLACES[1..3], &["5"]);
}
