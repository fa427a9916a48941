//! Array sections that are not contiguous as buffers of `mpi_f08`: in messages, collective operations and reductions,
//! blocking, nonblocking and persistent, with each compiler, in both modes.

use simurgh_testing::{Compile, Scratch, Stage, passed};

/// The compilers, with their options for the folder of module files. A macro makes lines long.
const COMPILERS: [(&str, &[&str]); 3] = [
    ("gfortran", &["-ffree-line-length-none", "-J"]),
    ("gfortran-11", &["-ffree-line-length-none", "-J"]),
    ("flang-new-19", &["-module-dir"]),
];

fn passes(source: &str) {
    let stage = Stage::locate();
    for (compiler, options) in COMPILERS {
        let scratch = Scratch::new("sections");
        let program = Compile::by(stage.tool("mpifort"), "tests/fortran/sections/common.f90")
            .flags([format!("-fc={compiler}")])
            .flags(["-O1", "-fopenmp"])
            .flags(options)
            .flags([scratch.path()])
            .source(format!("tests/fortran/sections/{source}"))
            .build();
        for mode in ["threads", "processes"] {
            for ranks in [1, 2, 5] {
                let outcome = stage.mpiexec(ranks).mode(mode).run(&program);
                outcome.expect_success();
                assert_eq!(outcome.stdout, passed(ranks), "{compiler}: {outcome}");
            }
        }
    }
}

#[test]
fn messages() {
    passes("messages.F90");
}

#[test]
fn collective_operations() {
    passes("collectives.f90");
}

#[test]
fn forms() {
    passes("forms.f90");
}
