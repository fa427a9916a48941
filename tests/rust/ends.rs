//! The ends of Rust programs.

use crate::{NODES, ended, mpiexec, program};
use simurgh_testing::{Input, LIMIT, Outcome, Scratch, is_alive, run, until};
use std::process::{Command, Stdio};

/// The jobs whose ends are looked at: options, and what names the process of the last rank of 4.
const JOBS: [(&[&str], &str); 3] = [
    (&[], "ranks 0-3"),
    (&["--hosts-per-node", "2"], "ranks 2-3"),
    (&NODES, "ranks 2-3"),
];

/// Checks that exactly one message of ours said so.
#[track_caller]
fn says(outcome: &Outcome, text: &str) {
    outcome.expect_stderr(text);
    assert_eq!(outcome.stderr.matches("simurgh: ").count(), 1, "{outcome}");
}

#[test]
fn a_panic_ends_the_job_with_rank_message_and_place() {
    for (options, _) in JOBS {
        let outcome = ended(4, options, &["panic"]);
        let outcome = outcome.expect_code(101);
        says(outcome, "simurgh: rank 3 panicked at tests/rust/job.rs:");
        outcome.expect_stderr(": no flour\n");
    }
}

#[test]
fn an_abort_ends_the_job_with_its_status() {
    for (options, _) in JOBS {
        let outcome = ended(4, options, &["abort"]);
        says(
            outcome.expect_code(7),
            "simurgh: rank 3 aborted the run with code 7\n",
        );
    }
}

#[test]
fn deadlocks_are_reported() {
    for (options, last) in JOBS {
        let outcome = ended(4, options, &["deadlock"]);
        let outcome = outcome.expect_code(125);
        says(outcome, "simurgh: deadlock: every rank waits and none can go on");
        outcome
            .expect_stderr("rank 0 waits in a receive from rank 3 with tag 99")
            .expect_stderr("MPI_Barrier has been called by ranks");
        if options != JOBS[0].0 {
            outcome.expect_stderr(last);
        }
    }
}

#[test]
fn a_stack_overflow_names_the_rank_and_the_remedy() {
    let outcome = ended(2, &["--stack-size", "256K"], &["overflow"]);
    outcome
        .expect_stderr("rank 0 (")
        .expect_stderr("has overflown its stack of 256 KiB");
    assert!(!outcome.success());
}

#[test]
fn a_process_that_ends_too_early_fails_the_job() {
    for (options, _) in JOBS {
        let outcome = ended(4, options, &["exit"]);
        says(outcome.expect_code(3), " while its ranks were running\n");
    }
    let scratch = Scratch::new("never");
    let outcome = mpiexec(4, &["--hosts-per-node", "2"])
        .env("SIMURGH_TEST_FIRST", scratch.path().join("first"))
        .args(["never"])
        .run(&program());
    says(
        outcome.expect_code(1),
        " without calling simurgh::run, while others of the job use MPI\n",
    );
    // Where nobody calls it, there is no job to fail.
    let outcome = mpiexec(4, &[])
        .env("SIMURGH_TEST_FIRST", scratch.path().join("second"))
        .args(["never"])
        .run(&program());
    assert_eq!(outcome.expect_success().stderr, "");
}

#[test]
fn a_program_goes_on_after_its_run() {
    ended(4, &["--hosts-per-node", "2"], &["fail"]).expect_code(9);
    let outcome = ended(4, &["--hosts-per-node", "2"], &["again"]);
    assert_eq!(outcome.expect_success().stdout, "refused\nrefused\n");
    let mut alone = Command::new(program());
    alone.arg("again").env("SIMURGH_RANKS", "3");
    let outcome = run(&mut alone, Input::Empty, LIMIT).unwrap();
    assert_eq!(outcome.expect_success().stdout, "3 ranks again\n");
}

#[test]
fn threads_that_were_there_before_may_wake_ranks() {
    for options in [&[][..], &["--hosts-per-node", "2"]] {
        let outcome = ended(2, options, &["threads"]);
        assert!(
            outcome.expect_success().stdout.starts_with("woken\n"),
            "{outcome}"
        );
    }
    let outcome = ended(3, &[], &["stranger"]);
    assert_eq!(outcome.expect_success().stdout, "0..3\n");
}

#[test]
fn nothing_is_left_of_a_job_whose_launcher_is_killed() {
    let scratch = Scratch::new("rust-kill");
    let said = scratch.write("pids", "");
    let mut child = mpiexec(4, &["--hosts-per-node", "2"])
        .args(["stay"])
        .command(&program())
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&said).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let pid = || std::fs::read_to_string(&said).unwrap().trim().parse::<u32>().ok();
    assert!(until(LIMIT, || pid().is_some()));
    child.kill().unwrap();
    child.wait().unwrap();
    let host = pid().unwrap();
    assert!(until(LIMIT, || !is_alive(host)));
}
