//! A rank finds its program when it looks at itself, also where it lives with others in a host.

use simurgh_testing::{Binary, Compile, Stage};
use std::path::Path;

/// The program finds our library by itself, also when it starts itself.
fn program(stage: &Stage) -> Binary {
    Compile::by(stage.tool("mpicc"), "tests/c/own_process.c")
        .flags(["-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-Werror"])
        .build()
}

fn finds_itself(stage: &Stage, mode: &str, spawned: Option<&Path>) {
    let program = program(stage);
    let file = program.path().canonicalize().unwrap();
    let mpiexec = stage.mpiexec(3).mode(mode).args([&file]).args(spawned);
    let outcome = mpiexec.run(&program);
    outcome.expect_success();
    let passed = ["child: passed with 2 ranks", "parent: passed with 3 ranks"];
    assert_eq!(outcome.sorted_lines(), passed, "{outcome}");
}

#[test]
fn a_rank_finds_its_own_program_arguments_and_memory() {
    for mode in ["threads", "processes"] {
        finds_itself(&Stage::locate(), mode, None);
    }
}

#[test]
fn who_spawns_the_host_means_its_program() {
    let stage = Stage::locate();
    let host = stage.prefix().join("libexec/simurgh/host").canonicalize();
    finds_itself(&stage, "threads", Some(&host.unwrap()));
}
