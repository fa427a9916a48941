//! Random operations on the heaps of ranks, with a checker: a few million always, a billion with `./x soak`.

use std::time::Duration;

use simurgh_testing::{Compile, Stage, passed, seed};

fn soak(ranks: usize, operations: u64, options: &[&str], limit: Duration) {
    let program = Compile::c("tests/c/heap_soak.c")
        .flags(["-O2", "-Wall", "-Wextra", "-fno-builtin-malloc"])
        .against(&Stage::locate())
        .build();
    let mpiexec = Stage::locate().mpiexec(ranks).mode("threads").vps(2).limit(limit);
    let run = mpiexec
        .options(options)
        .args([operations.to_string(), seed().to_string()])
        .run(&program);
    run.expect_success();
    assert!(run.stdout.starts_with(&passed(ranks)), "{run}");
}

#[test]
fn blocks_hold_what_was_written_to_them() {
    soak(8, 4_000_000, &["--no-check"], Duration::from_secs(60));
}

#[test]
#[ignore = "takes long: ./x soak runs it"]
fn blocks_hold_what_was_written_to_them_for_long() {
    const HOUR: Duration = Duration::from_secs(3600);
    soak(32, 1_000_000_000, &["--no-check"], HOUR);
    soak(32, 100_000_000, &["--relocatable"], HOUR);
    soak(32, 2_000_000, &["--check"], HOUR);
}
