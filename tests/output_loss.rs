//! Output of ranks that cannot be written is lost, and the loss is reported.

use simurgh_testing::{Binary, Compile, LIMIT, Mpiexec, Outcome, Scratch, Stage, Started, behind};

/// The message for the user.
const LOST: &str = "No space left on device (os error 28); what ranks write is lost\n";

/// Runs the command that follows with a standard output that is full.
const FULL: [&str; 3] = ["sh", "-c", "exec \"$0\" \"$@\" >/dev/full"];

fn program() -> Binary {
    Compile::c("tests/c/output_loss.c")
        .flags(["-O1", "-Wall", "-Werror"])
        .against(&Stage::locate())
        .build()
}

/// A job whose output is lost, which is reported once.
fn loses(mpiexec: &Mpiexec) -> Outcome {
    let outcome = Started::new(&behind(FULL, &mpiexec.command(&program()))).ends(LIMIT);
    outcome.expect_code(1);
    let told = format!("simurgh: standard output: {LOST}");
    assert_eq!(outcome.stderr.matches(&told).count(), 1, "{outcome}");
    assert_eq!(outcome.stderr.matches("lost").count(), 1, "{outcome}");
    outcome
}

/// Each rank has learnt of the loss where it asked.
fn all_have_learnt(outcome: &Outcome, ranks: usize) {
    for rank in 0..ranks {
        for call in ["fflush", "write", "fclose"] {
            let learnt = format!("rank {rank}: {call}: No space left on device\n");
            assert_eq!(outcome.stderr.matches(&learnt).count(), 1, "{outcome}");
        }
    }
    assert!(!outcome.stderr.contains("told twice"), "{outcome}");
}

#[test]
fn ranks_that_are_threads_learn_that_their_output_is_lost() {
    let ways: [&[&str]; 3] = [&[], &["-l"], &["--hosts-per-node", "2"]];
    for options in ways {
        let outcome = loses(&Stage::locate().mpiexec(2).options(options));
        all_have_learnt(&outcome, 2);
    }
}

#[test]
fn output_that_passes_through_mpiexec_is_lost_with_a_word_and_a_status() {
    let stage = Stage::locate();
    let nodes = ["-hosts", "a,b", "--launcher", "fork"];
    for mode in ["threads", "processes"] {
        loses(&stage.mpiexec(2).mode(mode).options(nodes));
    }
    loses(&stage.mpiexec(2).mode("processes").options(["-l"]));
}

#[test]
fn files_that_have_no_room_are_named() {
    let scratch = Scratch::new("loss");
    let folder = scratch.path().join("rank.1");
    std::fs::create_dir(&folder).unwrap();
    std::os::unix::fs::symlink("/dev/full", folder.join("stdout")).unwrap();
    let mpiexec = Stage::locate().mpiexec(2).options(["--output-dir"]);
    let outcome = mpiexec.options([scratch.path()]).run(&program());
    outcome
        .expect_code(1)
        .expect_stderr(&format!("rank.1/stdout: {LOST}"));
    assert_eq!(outcome.stderr.matches("lost").count(), 1, "{outcome}");
}
