//! Programs under valgrind, as people use it to find mistakes.

use simurgh_testing::{Binary, Compile, Mpiexec, Stage, passed, sums};

/// The status of valgrind if it has found something.
const FOUND: &str = "--error-exitcode=9";

fn program() -> Binary {
    Compile::c("tests/c/launch_mpi.c")
        .flags(["-g"])
        .against(&Stage::locate())
        .build()
}

/// The options for a tool of valgrind.
fn finds_nothing(tool: &str) {
    let (stage, program) = (Stage::locate(), program());
    let supp = stage.prefix().join("share/simurgh/valgrind.supp");
    let supp = format!("--suppressions={}", supp.display());
    let options = ["-q", tool, FOUND, &supp, program.path().to_str().unwrap()];
    let mpiexec: Mpiexec = stage.mpiexec(3).mode("processes").args(options);
    let outcome = mpiexec.run("valgrind");
    assert_eq!(outcome.expect_success().sorted_lines(), sums(3), "{outcome}");
    assert!(!outcome.stderr.contains("=="), "{outcome}");
}

#[test]
fn memcheck_finds_nothing_in_ranks_that_are_processes() {
    finds_nothing("--tool=memcheck");
}

#[test]
fn helgrind_finds_nothing_in_ranks_that_are_processes() {
    finds_nothing("--tool=helgrind");
}

/// Either side copies a part of such a message, and memcheck sees one side only.
#[test]
fn memcheck_knows_that_long_messages_have_come() {
    let stage = Stage::locate();
    let program = Compile::c("tests/c/sum_of_long_messages.c")
        .flags(["-g"])
        .against(&stage)
        .build();
    for way in ["auto", "write"] {
        let options = ["-q", FOUND, program.path().to_str().unwrap()];
        let mpiexec = stage.mpiexec(2).mode("processes").options(["--rendezvous", way]);
        let outcome = mpiexec.args(options).run("valgrind");
        assert_eq!(outcome.expect_success().stdout, passed(2), "{outcome}");
    }
}

/// Valgrind does not know stacks that are switched, and says so; but the job works.
#[test]
fn a_host_runs_under_valgrind() {
    let stage = Stage::locate();
    let wrapper = ["--host-wrapper", "valgrind -q"];
    let outcome = stage.mpiexec(3).options(wrapper).run(&program());
    assert_eq!(outcome.expect_success().sorted_lines(), sums(3), "{outcome}");
}
