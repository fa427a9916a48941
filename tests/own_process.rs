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

/// LLVM's OpenMP writes its name down for the whole process, and takes another name there for a second copy of itself.
/// Ranks that started it at the same time could read the file of another one before it had a length.
#[test]
fn each_rank_registers_its_copy_of_openmp_apart() {
    let stage = Stage::locate();
    let program = Compile::by(stage.tool("mpicc"), "tests/c/openmp_registration.c")
        .flags(["-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-Werror"])
        .build();
    for (mode, ranks) in [("threads", 7), ("processes", 2)] {
        let outcome = stage.mpiexec(ranks).mode(mode).run(&program);
        outcome.expect_success();
        let passed = format!("passed with {ranks} ranks");
        assert_eq!(outcome.sorted_lines(), [passed], "{outcome}");
    }
}
