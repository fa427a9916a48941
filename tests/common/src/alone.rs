//! Tests that need a process of their own.

use std::process::Command;

use crate::{Input, LIMIT, run};

/// The variable by which the process of a test knows that it is one.
const MARK: &str = "SIMURGH_TEST_ALONE";

/// Runs the calling test in a process of its own, so that its threads are known. Those of other tests, which the
/// harness runs at the same time, might wake a rank of this one, as far as anybody can tell.
pub fn alone(test: impl FnOnce()) {
    if std::env::var_os(MARK).is_some() {
        return test();
    }
    let thread = std::thread::current();
    let name = thread.name().expect("the harness calls threads as their tests");
    let program = std::env::current_exe().expect("the program has a path");
    let mut command = Command::new(program);
    command.args([name, "--exact", "--nocapture"]).env(MARK, "1");
    let outcome = run(&mut command, Input::Empty, LIMIT).expect("the program can be started");
    let passed = &outcome.expect_success().stdout;
    assert!(passed.contains("1 passed"), "no test has this name: {outcome}");
}
