//! Our launcher starts programs of Open MPI, which find each other by PMIx.

use crate::{PATIENCE, of_another};
use simurgh_testing::{Binary, Compile, Input, Outcome, Scratch, Stage, passed, run, sums};

/// A test program that is linked with Open MPI.
fn program(name: &str) -> Option<Binary> {
    let compiler = of_another("Open MPI", "SIMURGH_OPEN_MPI_PREFIX", "bin/mpicc")?;
    Some(Compile::by(compiler, format!("tests/c/{name}.c")).build())
}

fn started(words: &[&str]) -> Outcome {
    let mut command = std::process::Command::new(Stage::locate().tool("mpiexec"));
    run(command.args(words), Input::Bytes(b""), PATIENCE).unwrap()
}

#[test]
fn programs_of_open_mpi_are_one_job() {
    let Some(program) = program("launch_mpi") else {
        return;
    };
    let path = program.path().to_str().unwrap();
    for (options, ranks) in [
        (&["-n", "1"][..], 1),
        (&["-n", "4"], 4),
        (&["-n", "3", "--mode", "processes"], 3),
    ] {
        let outcome = started(&[options, &[path]].concat());
        assert_eq!(outcome.expect_success().sorted_lines(), sums(ranks), "{outcome}");
        assert_eq!(outcome.stderr, "");
    }
    let tagged = started(&["-n", "2", "-l", path]);
    let lines: Vec<_> = (0..)
        .zip(sums(2))
        .map(|(rank, line)| format!("[{rank}] {line}"))
        .collect();
    assert_eq!(tagged.expect_success().sorted_lines(), lines, "{tagged}");
    // One that does not look like it.
    let scratch = Scratch::new("script");
    let script = scratch.write_program("script", &format!("#!/bin/sh\nexec {path}\n"));
    let outcome = started(&["-n", "2", "--pmi", "pmix", script.to_str().unwrap()]);
    assert_eq!(outcome.expect_success().sorted_lines(), sums(2), "{outcome}");
}

#[test]
fn their_messages_arrive() {
    let Some(program) = program("other_mpi") else {
        return;
    };
    let outcome = started(&["-n", "3", program.path().to_str().unwrap()]);
    assert_eq!(outcome.expect_success().stdout, passed(3), "{outcome}");
}

#[test]
fn their_failures_end_the_job() {
    let Some(program) = program("launch_mpi") else {
        return;
    };
    let path = program.path().to_str().unwrap();
    started(&["-n", "3", path, "abort", "7"])
        .expect_code(7)
        .expect_stderr("ended the job with status 7");
    started(&["-n", "3", path, "return", "3"])
        .expect_code(3)
        .expect_stderr("ended with status 3 without calling MPI_Finalize");
}

#[test]
fn what_would_not_be_one_job_is_not_started() {
    let Some(program) = program("launch_mpi") else {
        return;
    };
    let path = program.path().to_str().unwrap();
    for (words, reason) in [
        (
            &["-n", "2", "--launcher", "fork", "-hosts", "a,b", path][..],
            "which is served on one machine only: start them with Open MPI's mpiexec",
        ),
        (
            &["-n", "1", path, ":", "-n", "1", "hostname"],
            "programs of Open MPI cannot be in a job with others, which they would not find",
        ),
        (
            &["-n", "2", "--mode", "threads", path],
            "cannot run in threads mode: it is linked to Open MPI (libmpi.so.40)",
        ),
    ] {
        let outcome = started(words);
        assert!(!outcome.success(), "{outcome}");
        outcome.expect_stderr(reason);
        assert_eq!(
            (outcome.stderr.lines().count(), outcome.stdout.as_str()),
            (1, ""),
            "{outcome}"
        );
    }
}
