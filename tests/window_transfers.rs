//! Long puts and gets between processes and between hosts, which the network may carry out without the target.

use simurgh_testing::{Compile, Stage, expect_passed_in};

/// The ways in which ranks live, and how their processes communicate.
const PLACES: [&[&str]; 6] = [
    &["--mode", "threads"],
    &["--mode", "processes"],
    &["--hosts-per-node", "2", "--transport", "ofi", "--provider", "tcp"],
    &["--mode", "processes", "--transport", "ofi", "--provider", "tcp"],
    &["--launcher", "fork", "-hosts", "a,b", "--hosts-per-node", "2"],
    &["--mode", "processes", "--rendezvous", "fragments"],
];

#[test]
fn long_puts_and_gets_move_what_they_should() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/window_transfers.c").against(&stage).build();
    expect_passed_in(&stage, &program, (2, &PLACES), (&[], &["1", "2"]));
    expect_passed_in(&stage, &program, (5, &PLACES[1..5]), (&[], &["3"]));
}
