//! Procedures of Fortran that MPI calls, attributes of several languages, and the commands of started processes.
//! Programs with `mpif.h`, `mpi` and `mpi_f08`, by gfortran and flang, ranks as threads and as processes.

use std::path::PathBuf;

use simurgh_testing::{Binary, Compile, Scratch, Stage, passed};

const COMPILERS: [&str; 2] = ["gfortran", "flang-new-19"];

/// Modes, ranks, and virtual processors: many ranks share few of them.
const RUNS: [(&str, usize, usize); 3] = [("threads", 7, 2), ("threads", 1, 1), ("processes", 3, 2)];

/// The source of a program. Those with `mpif.h` are used with the module `mpi`, too, under names of their own.
fn source(scratch: &Scratch, program: &str) -> PathBuf {
    let source = |name: &str| Stage::workspace().join(format!("tests/fortran/{name}.f90"));
    let Some(name) = program.strip_prefix("mpi_") else {
        return source(program);
    };
    let with_file = std::fs::read_to_string(source(&format!("mpif_{name}"))).expect("the program is there");
    let with_module = with_file.replace(
        "  implicit none\n  include 'mpif.h'\n",
        "  use mpi\n  implicit none\n",
    );
    assert!(!with_module.contains("include"), "{with_module}");
    scratch.write(&format!("{program}.f90"), &with_module)
}

/// Builds a program with these objects.
pub(crate) fn build(compiler: &str, program: &str, objects: &[PathBuf]) -> Binary {
    let (stage, scratch) = (Stage::locate(), Scratch::new("fortran"));
    let mut compile = Compile::by("env", source(&scratch, program))
        .flags([format!("SIMURGH_FC={compiler}").into(), stage.tool("mpifort")])
        .flags(["-O2"]);
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
    pass(&["f08_operations", "mpif_operations", "mpi_operations"], &[]);
}

#[test]
fn too_many_procedures_are_an_error_that_says_so() {
    for compiler in COMPILERS {
        let program = build(compiler, "f08_many_procedures", &[]);
        let outcome = Stage::locate().mpiexec(3).vps(2).run(&program);
        let expected = "the program has made operations and error handlers of more than 1024 different \
                        Fortran procedures";
        assert_eq!(outcome.expect_success().sorted_lines(), [expected; 3]);
    }
}

#[test]
fn error_handlers_call_procedures() {
    pass(&["f08_errhandlers", "mpif_errhandlers", "mpi_errhandlers"], &[]);
}

#[test]
fn data_of_files_is_converted_by_procedures() {
    pass(&["f08_files", "mpif_files", "mpi_files"], &[]);
}

#[test]
fn attributes_are_copied_and_deleted_by_procedures() {
    pass(&["f08_attributes", "mpif_attributes", "mpi_attributes"], &[]);
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
    pass(&["f08_requests", "mpif_requests", "mpi_requests"], &[]);
}

#[test]
fn processes_are_started_with_their_arguments() {
    pass(&["f08_spawn", "mpif_spawn", "mpi_spawn"], &[]);
}
