//! The ends of Rust programs.

use super::{NODES, ended, mpiexec, program};
use simurgh_testing::{
    Input, LIMIT, Outcome, Scratch, Signal, Started, is_alive, marked, run, signal, until, words,
};
use std::process::Command;

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
fn an_error_ends_the_job_with_rank_and_message() {
    for (options, _) in JOBS {
        let outcome = ended(4, options, &["error"]);
        says(outcome.expect_code(1), "simurgh: rank 3 failed: no flour\n");
    }
}

#[test]
fn a_deadlock_that_an_error_has_led_to_is_reported_with_it() {
    for (options, _) in JOBS {
        let outcome = ended(4, options, &["leave"]);
        says(
            outcome.expect_code(125),
            "simurgh: deadlock: every rank waits and none can go on",
        );
        outcome
            .expect_stderr("rank 3 failed: no flour; before it leaves it waits for others\n")
            .expect_stderr("rank 0 waits in a receive");
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

/// Starts a job of 4 ranks that stays, with a name of its own, and finds the processes with its ranks.
fn staying(name: &str, options: &[&str]) -> (Started, Vec<u32>) {
    let mark = format!("SIMURGH_TEST_MARK={name}-{}", std::process::id());
    let (variable, value) = mark.split_once('=').unwrap();
    let mut command = mpiexec(4, options).args(["stay"]).command(&program());
    let mut job = Started::new(command.env(variable, value));
    job.says("up\n");
    let own = format!("{} ", program().display());
    let mut processes = marked(&mark);
    processes.retain(|&process| words(process).starts_with(&own));
    assert_eq!(processes.len(), 2, "{processes:?}");
    (job, processes)
}

#[test]
fn nothing_is_left_of_a_job_whose_launcher_is_killed() {
    let (job, processes) = staying("launcher", &["--hosts-per-node", "2"]);
    signal(job.id(), Signal::KILL);
    job.ends(LIMIT);
    assert!(until(LIMIT, || !processes
        .iter()
        .any(|&process| is_alive(process))));
}

#[test]
fn a_job_ends_when_one_of_its_processes_is_killed() {
    for (name, options) in [("process", &["--hosts-per-node", "2"][..]), ("node", &NODES)] {
        let (job, processes) = staying(name, options);
        signal(processes[1], Signal::KILL);
        let outcome = job.ends(LIMIT);
        says(outcome.expect_code(137), " was killed by signal 9\n");
        assert!(!processes.iter().any(|&process| is_alive(process)));
    }
}

#[test]
fn ranks_that_are_closures_cannot_be_relocatable() {
    let outcome = ended(2, &["--relocatable"], &["who"]);
    outcome
        .expect_code(1)
        .expect_stderr("--relocatable needs ranks that are threads (--mode threads)");
}
