//! The memory that each rank may have.

use simurgh_testing::{Binary, Compile, Outcome, Stage, run_with_few_addresses};

const RANKS: usize = 3;

fn program() -> Binary {
    Compile::c("tests/c/memory_limit.c")
        .flags(["-O2", "-Wall", "-Wextra", "-fno-builtin"])
        .libraries(["-lpthread"])
        .against(&Stage::locate())
        .build()
}

#[track_caller]
fn expect_fine(run: &Outcome) {
    run.expect_success();
    let fine = run.stdout.lines().filter(|line| *line == "limit OK").count();
    assert_eq!(fine, RANKS, "{run}");
}

#[test]
fn each_rank_of_a_process_has_its_limit_and_is_told_once() {
    let mpiexec = Stage::locate().mpiexec(RANKS).mode("threads");
    let run = mpiexec
        .options(["--memory-limit", "32M"])
        .args(["32", "18"])
        .run(&program());
    expect_fine(&run);
    for rank in 0..RANKS {
        let name = format!("simurgh: rank {rank} (");
        let told: Vec<_> = run
            .stderr
            .lines()
            .filter(|line| line.starts_with(&name))
            .collect();
        // The last rank does not meet its limit.
        assert_eq!(told.len(), usize::from(rank + 1 < RANKS), "{run}");
        for line in told {
            assert!(line.contains("may allocate 32 MiB and has "), "{run}");
            assert!(line.contains("a block of 1000 bytes is refused"), "{run}");
            assert!(line.ends_with("give it more with --memory-limit 64M"), "{run}");
        }
    }
}

/// The limit is the kernel's, on all data of the process; so the program is given less of it.
#[test]
fn each_process_of_a_rank_has_its_limit() {
    let mpiexec = Stage::locate().mpiexec(RANKS).mode("processes");
    let run = mpiexec.args(["64", "32"]).options(["--memory-limit", "64M"]);
    expect_fine(&run.run(&program()));
}

/// Without heaps of ranks nobody could keep it.
#[test]
fn it_is_refused_where_ranks_of_a_process_have_no_heaps() {
    let mpiexec = Stage::locate().mpiexec(2).mode("threads");
    let program = program();
    let inner = mpiexec.options(["--memory-limit", "32M"]).command(&program);
    let run = run_with_few_addresses(&inner);
    run.expect_code(1);
    run.expect_stderr("--memory-limit needs heaps of ranks");
}
