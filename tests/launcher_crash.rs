//! A rank that crashes is named, with the reason and the place; the job ends with 128 + signal.

use simurgh_testing::{Compile, Outcome, Stage};

/// Runs three ranks that crash in some way.
fn crash(way: &str, options: &[&str]) -> Outcome {
    let program = Compile::c("tests/c/launch_crash.c")
        .flags(["-g", "-O1", "-pthread", "-w"])
        .build();
    let outcome = Stage::locate()
        .mpiexec(3)
        .options(options)
        .args([way])
        .run(&program);
    assert!(outcome.stdout.contains("before the crash\n"), "{outcome}");
    assert!(outcome.stderr.contains("simurgh: rank "), "{outcome}");
    assert!(outcome.stderr.contains("launch_crash) "), "{outcome}");
    outcome
}

#[test]
fn a_segmentation_fault_shows_the_place() {
    let outcome = crash("segv", &[]);
    outcome
        .expect_code(139)
        .expect_stderr("segmentation fault (SIGSEGV) at address 0x0");
    outcome
        .expect_stderr("write_nowhere at ")
        .expect_stderr("launch_crash.c:")
        .expect_stderr("main at ");
}

#[test]
fn a_stack_overflow_says_so() {
    let outcome = crash("stack", &["--stack-size", "512K"]);
    outcome
        .expect_code(139)
        .expect_stderr("has overflown its stack of 512 KiB: give it more with --stack-size 2M");
    outcome.expect_stderr("endless at ").expect_stderr("more times");
}

#[test]
fn the_stack_overflow_of_a_thread_says_so() {
    crash("thread", &[])
        .expect_code(139)
        .expect_stderr("has overflown the stack of one of its threads");
}

#[test]
fn arithmetic_errors_and_aborts_are_told_apart() {
    crash("divide", &[]).expect_code(136).expect_stderr("SIGFPE");
    crash("abort", &[])
        .expect_code(134)
        .expect_stderr("aborted (SIGABRT)");
    crash("assert", &[]).expect_code(134).expect_stderr("Assertion");
}
