//! `MPI_MODE_NOCHECK`, which saves locks and signals, wherever ranks live; with `--check` it is checked.

use simurgh_testing::{Compile, Stage, TCP, passed};

/// The ways in which ranks live.
const PLACES: [&[&str]; 5] = [
    &["--mode", "threads"],
    &["--mode", "processes"],
    &["--hosts-per-node", "2"],
    &["--launcher", "fork", "-hosts", "a,b"],
    &["--launcher", "fork", "-hosts", "a,b", "--mode", "processes"],
];

fn expect_passed(options: &[&str], argument: &str) {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/window_nocheck.c").against(&stage).build();
    for ranks in [2, 5] {
        for place in PLACES {
            let mpiexec = stage.mpiexec(ranks).options(TCP).options(place).options(options);
            let outcome = mpiexec.args([argument]).run(&program);
            let printed = &outcome.expect_success().stdout;
            assert_eq!(*printed, passed(ranks), "{place:?}: {outcome}");
        }
    }
}

#[test]
fn nobody_waits_where_that_has_been_asserted() {
    expect_passed(&[], "unchecked");
}

#[test]
fn the_check_takes_locks_and_finds_those_that_are_not_free() {
    expect_passed(&["--check"], "checked");
}
