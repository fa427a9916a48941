//! Procedures of Fortran that MPI calls, attributes of several languages, and the commands of started processes: programs
//! with `mpif.h` and with `mpi_f08`, ranks as threads and as processes.

use simurgh_testing::{Compile, Stage, passed};

/// Modes, ranks, and virtual processors: many ranks share few of them.
const RUNS: [(&str, usize, usize); 3] = [("threads", 7, 2), ("threads", 1, 1), ("processes", 3, 2)];

/// Builds a program, and a part of it in C if there is one, and runs it in both modes.
fn passes(program: &str, part: Option<&str>) {
    let stage = Stage::locate();
    let scratch = simurgh_testing::Scratch::new("fortran");
    let mut compile = Compile::by(stage.tool("mpifort"), format!("tests/fortran/{program}.f90"))
        .flags(["-O2", "-Wall", "-J"])
        .flags([scratch.path()])
        .flags(["-I"])
        .flags([stage.include()]);
    if let Some(part) = part {
        compile = compile.source(format!("tests/c/{part}.c"));
    }
    let binary = compile.build();
    for (mode, ranks, vps) in RUNS {
        let outcome = stage.mpiexec(ranks).vps(vps).mode(mode).run(&binary);
        outcome.expect_success();
        assert_eq!(outcome.stdout, passed(ranks), "{outcome}");
    }
}

#[test]
fn operations_call_procedures() {
    passes("f08_operations", None);
    passes("mpif_operations", None);
}

#[test]
fn error_handlers_call_procedures() {
    passes("f08_errhandlers", None);
    passes("mpif_errhandlers", None);
}

#[test]
fn attributes_are_copied_and_deleted_by_procedures() {
    passes("f08_attributes", None);
    passes("mpif_attributes", None);
}

#[test]
fn attributes_pass_between_c_and_fortran() {
    passes("mixed_attributes", Some("attribute_parts"));
}

#[test]
fn generalised_requests_call_procedures() {
    passes("f08_requests", None);
    passes("mpif_requests", None);
}

#[test]
fn processes_are_started_with_their_arguments() {
    passes("f08_spawn", None);
    passes("mpif_spawn", None);
}
