//! The kinds of numbers and logicals of Fortran's compilers, and options that change the default ones.

use simurgh_testing::{Binary, Compile, Stage, passed};

const GFORTRAN: &str = "gfortran";
const FLANG: &str = "flang-new-19";

fn build(stage: &Stage, compiler: &str, flags: &[&str]) -> Binary {
    Compile::by(stage.tool("mpifort"), "tests/fortran/kinds.F90")
        .flags([format!("-fc={compiler}")])
        .flags(["-O0"])
        .flags(flags)
        .build()
}

fn passes(stage: &Stage, program: &Binary) {
    for (mode, ranks) in [("threads", 1), ("threads", 6), ("processes", 3)] {
        let outcome = stage.mpiexec(ranks).mode(mode).run(program);
        outcome.expect_success();
        assert_eq!(outcome.stdout, passed(ranks), "{outcome}");
    }
}

#[test]
fn all_kinds_of_gfortran() {
    let stage = Stage::locate();
    passes(&stage, &build(&stage, GFORTRAN, &[]));
}

#[test]
fn all_kinds_of_flang() {
    let stage = Stage::locate();
    passes(&stage, &build(&stage, FLANG, &[]));
}

/// The datatypes of default kinds have the sizes that the compiler's options give to those.
#[test]
fn default_kinds_follow_the_options() {
    let stage = Stage::locate();
    for compiler in [GFORTRAN, FLANG] {
        for options in [
            ["-fdefault-real-8"].as_slice(),
            &["-fdefault-real-8", "-fdefault-double-8"],
        ] {
            passes(&stage, &build(&stage, compiler, options));
        }
    }
}
