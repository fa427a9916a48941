//! What the user and the program are told about the memory that ranks allocate.

use simurgh_testing::{Binary, Compile, Stage};

fn program() -> Binary {
    Compile::c("tests/c/heap_statistics.c")
        .flags([
            "-O2",
            "-g",
            "-Wall",
            "-Wextra",
            "-fno-builtin",
            "-Wno-deprecated-declarations",
        ])
        .against(&Stage::locate())
        .build()
}

#[test]
fn each_rank_is_told_about_its_own_heap() {
    let mpiexec = Stage::locate().mpiexec(3).mode("threads");
    let run = mpiexec.options(["-l"]).run(&program());
    run.expect_success();
    for rank in 0..3 {
        let fine = format!("[{rank}] heap statistics OK");
        assert!(run.stdout.lines().any(|line| line == fine), "{run}");
        // What malloc_stats prints is the rank's own, too.
        let heaps = format!("[{rank}] heaps of rank {rank}: 1");
        assert!(run.stderr.lines().any(|line| line == heaps), "{run}");
        let long = format!("[{rank}] long blocks     = {:>12}", rank + 2);
        assert!(run.stderr.lines().any(|line| line == long), "{run}");
    }
}

#[test]
fn statistics_say_what_was_held_and_what_blocks_there_were() {
    let mpiexec = Stage::locate().mpiexec(2).mode("threads");
    let run = mpiexec.options(["--stats"]).run(&program());
    run.expect_success();
    let line = |part: &str| {
        let found = run.stderr.lines().find(|line| line.contains(part));
        found.unwrap_or_else(|| panic!("no line with {part:?}: {run}"))
    };
    // At the end rank 1 has a block of 4 MiB and rank 0 one of 3 MiB.
    assert!(line("heaps: at most").contains("(by rank 1)"), "{run}");
    for moment in ["after MPI_Init:", "before MPI_Finalize:", "at the end:"] {
        assert!(line(moment).contains(" blocks, "), "{run}");
    }
    assert!(line("by size: ").contains("longer: 2 (7"), "{run}");
    // Where the program has allocated the most.
    assert!(line("    about ").contains(" by main at "), "{run}");
}
