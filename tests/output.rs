//! The output of ranks: through `mpiexec`, with tags, or into files.

use simurgh_testing::{Binary, Compile, Mpiexec, Scratch, Stage};
use std::path::Path;

/// Writes a line, and another that has no end, to both streams.
const WRITES: &str = "echo line; printf end; echo error >&2";

fn mpi() -> Binary {
    Compile::c("tests/c/launch_mpi.c")
        .against(&Stage::locate())
        .build()
}

fn run(ranks: usize, directory: &Path, options: &[&str]) -> Mpiexec {
    let run = Stage::locate().mpiexec(ranks).options(["--output-dir"]);
    run.options([directory]).options(options)
}

/// The output of a rank.
fn kept(directory: &Path, rank: usize, stream: &str) -> String {
    let file = directory.join(format!("rank.{rank}/{stream}"));
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[test]
fn each_rank_has_files_of_its_own() {
    let (program, scratch) = (mpi(), Scratch::new("output"));
    let ways: [&[&str]; 5] = [
        &[],
        &["-l"],
        &["--hosts-per-node", "2"],
        &["--mode", "processes"],
        &["--mode", "processes", "-hosts", "a:2,b:2", "--launcher", "fork"],
    ];
    for (way, options) in ways.iter().enumerate() {
        // An existing file is replaced.
        let directory = scratch.path().join((way / 2).to_string());
        let outcome = run(4, &directory, options).run(&program);
        outcome.expect_success();
        assert_eq!((&*outcome.stdout, &*outcome.stderr), ("", ""), "{outcome}");
        for rank in 0..4 {
            let line = format!("rank {rank} of 4: sum 6\n");
            assert_eq!(kept(&directory, rank, "stdout"), line, "{options:?}");
            assert_eq!(kept(&directory, rank, "stderr"), "", "{options:?}");
        }
    }
}

#[test]
fn what_a_process_and_its_children_write_is_kept() {
    let scratch = Scratch::new("output");
    let script = format!("cat; ({WRITES}); {WRITES}");
    let run = run(2, scratch.path(), &["--mode", "processes"]).args(["-c", &script]);
    run.input("read\n").run("sh").expect_success();
    assert_eq!(kept(scratch.path(), 0, "stdout"), "read\nline\nendline\nend");
    assert_eq!(kept(scratch.path(), 1, "stdout"), "line\nendline\nend");
    assert_eq!(kept(scratch.path(), 1, "stderr"), "error\nerror\n");
}

#[test]
fn files_are_whole_however_the_job_ends() {
    let (scratch, stage) = (Scratch::new("output"), Stage::locate());
    let crash = Compile::c("tests/c/launch_crash.c").against(&stage).build();
    let outcome = run(3, scratch.path(), &[]).args(["segv"]).run(&crash);
    // Messages of the runtime do not go into the files.
    outcome.expect_code(139).expect_stderr("simurgh: rank ");
    let whole = (0..3).any(|rank| kept(scratch.path(), rank, "stdout") == "before the crash");
    assert!(whole, "{outcome}");
    for mode in ["threads", "processes"] {
        let run = run(3, scratch.path(), &["--mode", mode]).args(["abort", "7"]);
        run.run(&mpi()).expect_code(7);
        assert_eq!(kept(scratch.path(), 1, "stdout"), "rank 1 of 3: sum 3", "{mode}");
    }
}

#[test]
fn a_directory_is_named_as_the_caller_sees_it() {
    let scratch = Scratch::new("output");
    let (elsewhere, options) = (scratch.path().join("elsewhere"), ["-wdir", "elsewhere"]);
    std::fs::create_dir(&elsewhere).unwrap();
    for (mode, name) in [("threads", "a b"), ("processes", "c/d")] {
        let run = run(1, Path::new(name), &options).mode(mode);
        let status = run.command(&mpi()).current_dir(scratch.path()).status();
        assert!(status.unwrap().success());
        let expected = "rank 0 of 1: sum 0\n";
        assert_eq!(kept(&scratch.path().join(name), 0, "stdout"), expected);
    }
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let scratch = Scratch::new("output");
    let file = scratch.write("file", "");
    for mode in ["threads", "processes"] {
        run(2, &file, &["--mode", mode])
            .run(&mpi())
            .expect_code(1)
            .expect_stderr("rank.0")
            .expect_stderr("ranks' output cannot be written there: Not a directory")
            .expect_stderr("--output-dir names another directory");
    }
}

#[test]
fn lines_of_processes_are_tagged() {
    let outcome = Stage::locate()
        .mpiexec(3)
        .options(["-l", "--mode", "processes"])
        .args(["-c", WRITES])
        .run("sh");
    let lines = [
        "[0] end", "[0] line", "[1] end", "[1] line", "[2] end", "[2] line",
    ];
    assert_eq!(outcome.expect_success().sorted_lines(), lines);
    let mut errors: Vec<_> = outcome.stderr.lines().collect();
    errors.sort_unstable();
    assert_eq!(errors, ["[0] error", "[1] error", "[2] error"]);
}

#[test]
fn statistics_of_processes_are_printed() {
    let run = Stage::locate().mpiexec(3).mode("processes");
    let outcome = run.options(["--stats"]).run(&mpi());
    outcome.expect_success();
    for rank in 0..3 {
        outcome.expect_stderr(&format!("simurgh: statistics of rank {rank} ("));
    }
    for (text, lines) in [("  processor: ", 3), ("  network: sent ", 3), ("  memory: ", 3)] {
        let found = outcome.stderr.lines().filter(|line| line.starts_with(text));
        assert_eq!(found.count(), lines, "{outcome}");
    }
}
