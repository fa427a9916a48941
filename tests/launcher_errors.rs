//! Wrong command lines, unsuitable programs, and ranks that end wrongly: one line says what is wrong.

use std::path::Path;
use std::process::Command;

use simurgh_testing::{Compile, Input, LIMIT, Outcome, Scratch, Stage, Started, run};

fn tool(name: &str, words: &[&str]) -> Outcome {
    run(
        Command::new(Stage::locate().tool(name)).args(words),
        Input::Empty,
        LIMIT,
    )
    .unwrap()
}

/// Runs mpiexec, which has to fail with this status and one line with this text.
fn refused(words: &[&str], code: i32, text: &str) {
    let outcome = tool("mpiexec", words);
    outcome.expect_code(code).expect_stderr(text);
    assert!(
        outcome.stderr.starts_with("mpiexec: ") && outcome.stderr.lines().count() == 1,
        "{outcome}"
    );
    assert_eq!(outcome.stdout, "");
}

fn name(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn wrong_command_lines_are_explained() {
    refused(&[], 2, "no program to run");
    refused(&["--stack-sice", "1M", "true"], 2, "did you mean --stack-size?");
    refused(&["-n", "none", "true"], 2, "\"none\" is not a number from 1 to");
    refused(&["--mode", "cores", "true"], 2, "auto, threads, processes");
    refused(
        &["-n", "1", "-wdir", "/no/such/place", "true"],
        1,
        "/no/such/place",
    );
    refused(
        &["-n", "1", "-x", "LD_PRELOAD=/no/tool.so", "true"],
        1,
        "/no/tool.so",
    );
}

#[test]
fn files_that_are_no_programs_are_named() {
    let scratch = Scratch::new("no-programs");
    refused(&[name(&scratch.path().join("missing"))], 127, "no such file");
    refused(&["no-such-program-anywhere"], 127, "no such program in PATH");
    refused(&[name(scratch.path())], 126, "a directory");
    refused(&[name(&scratch.write("data", "x"))], 126, "chmod +x");
    refused(
        &[
            "--mode",
            "threads",
            name(&scratch.write_program("script", "#!/bin/sh\n")),
        ],
        1,
        "script for /bin/sh",
    );
    refused(
        &[name(&scratch.write_program("text", "hello"))],
        1,
        "not an ELF program",
    );
    refused(&[name(&scratch.write_program("empty", ""))], 1, "empty file");
}

#[test]
fn unsuitable_programs_are_explained_before_and_at_the_start() {
    for (flag, reason) in [
        ("-static", "statically linked"),
        ("-no-pie", "not position independent"),
    ] {
        let program = Compile::c("tests/c/launch_plain.c").flags([flag]).build();
        refused(&["--mode", "threads", name(program.path())], 1, reason);
        let verdict = tool("simurgh", &["check", name(program.path())]);
        verdict.expect_code(1);
        assert!(
            verdict.stdout.contains("cannot run in threads mode") && verdict.stdout.contains(reason),
            "{verdict}"
        );
    }
    let program = Compile::c("tests/c/launch_plain.c").build();
    let verdict = tool("simurgh", &["check", name(program.path())]);
    assert!(
        verdict.expect_success().stdout.contains("runs in threads mode"),
        "{verdict}"
    );
}

/// Runs `launch_mpi` so that rank 1 ends in some way.
fn ending(way: &str, code: &str) -> Outcome {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/launch_mpi.c").against(&stage).build();
    stage.mpiexec(4).args([way, code]).run(&program)
}

#[test]
fn abort_ends_the_job_with_its_code_and_flushes() {
    let outcome = ending("abort", "17");
    outcome
        .expect_code(17)
        .expect_stderr("rank 1 ended the job with code 17");
    assert!(outcome.stdout.contains("rank 1 of 4: sum 6\n"), "{outcome}");
    ending("abort", "256").expect_code(1);
}

#[test]
fn a_rank_that_does_not_finalize_ends_the_job() {
    for way in ["return", "exit"] {
        ending(way, "5")
            .expect_code(5)
            .expect_stderr("status 5 without calling MPI_Finalize");
        ending(way, "0")
            .expect_code(1)
            .expect_stderr("status 0 without calling MPI_Finalize");
    }
}

#[test]
fn a_status_after_finalize_is_the_jobs() {
    let outcome = ending("after", "9");
    outcome.expect_code(9);
    assert_eq!(outcome.stdout.lines().count(), 4, "{outcome}");
}

#[test]
fn a_limit_on_the_size_of_files_is_told() {
    for mode in ["threads", "processes"] {
        let stage = Stage::locate();
        let program = Compile::c("tests/c/launch_mpi.c").against(&stage).build();
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -f 0; exec \"$@\"", "sh"]);
        command
            .arg(stage.tool("mpiexec"))
            .args(["-n", "2", "--mode", mode]);
        // Its output goes through pipes, which are no files.
        let outcome = Started::new(command.arg(program.path())).ends(LIMIT);
        outcome.expect_code(1).expect_stderr("`ulimit -f`");
        assert_eq!(outcome.stderr.lines().count(), 1, "{outcome}");
    }
}

/// In this namespace /proc knows processes by other numbers than they themselves.
#[test]
fn a_job_runs_in_a_pid_namespace_with_the_old_proc() {
    for mode in ["threads", "processes"] {
        let stage = Stage::locate();
        let program = Compile::c("tests/c/launch_mpi.c").against(&stage).build();
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--pid", "--fork"]);
        command
            .arg(stage.tool("mpiexec"))
            .args(["-n", "2", "--mode", mode]);
        let outcome = run(command.arg(program.path()), Input::Empty, LIMIT).unwrap();
        let lines = outcome.expect_success().sorted_lines();
        assert_eq!(lines, ["rank 0 of 2: sum 1", "rank 1 of 2: sum 1"], "{outcome}");
    }
}

#[test]
fn what_ranks_do_when_the_time_is_over_is_not_taken_for_a_mistake() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/launch_moment.c").against(&stage).build();
    let ends = |limit, ranks, options: &[&str], how: &str| {
        let mpiexec = stage
            .mpiexec(ranks)
            .options(["--timeout", limit])
            .options(options);
        mpiexec.args([how]).run(&program)
    };
    // On a busy machine ranks may not have come to the barrier after a second.
    let late = |options: &[&str], expected: &str| {
        let mut outcome = ends("1", 3, options, "late");
        for limit in ["5", "30"] {
            if !outcome.stderr.contains(expected) {
                outcome = ends(limit, 3, options, "late");
            }
        }
        outcome.expect_code(124).expect_stderr(expected);
    };
    late(
        &[],
        "\n  ranks 0-1 had called MPI_Barrier at this moment, and 2 had not\n",
    );
    late(
        &["--hosts-per-node", "2"],
        "\n  ranks 0-1 had called MPI_Barrier at this moment, which waited for other hosts\n",
    );
    let outcome = ends("1", 32, &[], "loop");
    outcome.expect_code(124);
    assert!(!outcome.stderr.contains("other hosts"), "{outcome}");
}

#[test]
fn a_deadlock_is_recognised() {
    ending("wait", "0")
        .expect_code(125)
        .expect_stderr("deadlock")
        .expect_stderr("0-3")
        .expect_stderr("rank 1 waits in a receive from rank 0 with tag 99");
    ending("start", "0")
        .expect_code(125)
        .expect_stderr("a nonblocking MPI_Bcast with root 3 has been started by ranks 0, 2-3 and not by 1")
        .expect_stderr("MPI_Barrier has been called by ranks 1 and not by 0, 2-3");
    ending("differ", "0")
        .expect_code(125)
        .expect_stderr("MPI_Reduce with root 2 has been called by ranks 0 and not by 1-3")
        .expect_stderr("MPI_Barrier has been called by ranks 1 and not by 0, 2-3")
        .expect_stderr("MPI_Bcast has been called by ranks 2-3 and not by 0-1");
}
