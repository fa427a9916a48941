//! Procedures of Fortran that MPI calls, attributes of several languages, and the commands of started processes: programs
//! with `mpif.h` and with `mpi_f08`, by gfortran and flang, ranks as threads and as processes.

use std::path::PathBuf;

use simurgh_testing::{Binary, Compile, Scratch, Stage, passed};

const COMPILERS: [&str; 2] = ["gfortran", "flang-new-19"];

/// Modes, ranks, and virtual processors: many ranks share few of them.
const RUNS: [(&str, usize, usize); 3] = [("threads", 7, 2), ("threads", 1, 1), ("processes", 3, 2)];

/// Builds a program with these objects.
fn build(compiler: &str, program: &str, objects: &[PathBuf]) -> Binary {
    let (stage, scratch) = (Stage::locate(), Scratch::new("fortran"));
    let mut compile = Compile::by("env", format!("tests/fortran/{program}.f90"))
        .flags([format!("SIMURGH_FC={compiler}").into(), stage.tool("mpifort")])
        .flags(["-O2".as_ref(), "-J".as_ref(), scratch.path()]);
    for object in objects {
        compile = compile.source(object);
    }
    compile.build()
}

/// Builds programs with these objects by all compilers, and runs them in both modes.
fn pass(programs: &[&str], objects: &[PathBuf]) {
    let stage = Stage::locate();
    for (compiler, program) in COMPILERS
        .iter()
        .flat_map(|compiler| programs.iter().map(move |program| (compiler, program)))
    {
        let binary = build(compiler, program, objects);
        for (mode, ranks, vps) in RUNS {
            let outcome = stage.mpiexec(ranks).vps(vps).mode(mode).run(&binary);
            outcome.expect_success();
            assert_eq!(outcome.stdout, passed(ranks), "{compiler} {program}: {outcome}");
        }
    }
}

#[test]
fn operations_call_procedures() {
    pass(&["f08_operations", "mpif_operations"], &[]);
}

#[test]
fn too_many_procedures_are_an_error_that_says_so() {
    for compiler in COMPILERS {
        let program = build(compiler, "f08_many_procedures", &[]);
        let outcome = Stage::locate().mpiexec(3).vps(2).run(&program);
        let expected = "the program has made operations and error handlers of more than 1024 different Fortran procedures";
        assert_eq!(outcome.expect_success().sorted_lines(), [expected; 3]);
    }
}

#[test]
fn error_handlers_call_procedures() {
    pass(&["f08_errhandlers", "mpif_errhandlers"], &[]);
}

#[test]
fn attributes_are_copied_and_deleted_by_procedures() {
    pass(&["f08_attributes", "mpif_attributes"], &[]);
}

#[test]
fn attributes_pass_between_c_and_fortran() {
    let (stage, scratch) = (Stage::locate(), Scratch::new("attributes"));
    let object = scratch.path().join("attribute_parts.o");
    Compile::by(stage.tool("mpicc"), "tests/c/attribute_parts.c")
        .flags(["-O2", "-Wall", "-Werror", "-c"])
        .output(&object)
        .build();
    pass(&["mixed_attributes"], &[object]);
}

#[test]
fn generalised_requests_call_procedures() {
    pass(&["f08_requests", "mpif_requests"], &[]);
}

#[test]
fn processes_are_started_with_their_arguments() {
    pass(&["f08_spawn", "mpif_spawn"], &[]);
}
