//! Long messages, which one side copies, both sides copy, or the network brings in fragments.

use simurgh_testing::{Compile, Stage, expect_passed_in};

/// The ways in which ranks live, and how long messages go between their processes.
const PLACES: [&[&str]; 6] = [
    &["--mode", "threads"],
    &["--mode", "processes"],
    &["--mode", "processes", "--cross-memory", "on"],
    &["--mode", "processes", "--cross-memory", "off"],
    &["--mode", "processes", "--rendezvous", "write"],
    &["--hosts-per-node", "2"],
];

#[test]
fn long_messages_arrive_whole_whoever_copies_them() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/long_messages.c").against(&stage).build();
    expect_passed_in(&stage, &program, (2, &PLACES), (&[], &[""]));
    // Processes that outnumber the cores: one side copies.
    expect_passed_in(&stage, &program, (5, &PLACES[1..2]), (&[], &[""]));
}
