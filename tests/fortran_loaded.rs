//! Libraries in Fortran that a program in C loads while it runs, one by one, as Python does with its modules. They pass
//! `MPI_IN_PLACE` and its kin, which MPI's library knows by the addresses of variables.

use std::path::PathBuf;

use simurgh_testing::{Binary, Compile, Scratch, Stage, passed};

const COMPILERS: [&str; 2] = ["gfortran", "flang-new-19"];
const MODES: [&str; 2] = ["threads", "processes"];

/// Two libraries with the same content.
fn libraries(scratch: &Scratch, compiler: &str) -> [PathBuf; 2] {
    ["libone.so", "libtwo.so"].map(|name| {
        let library = scratch.path().join(name);
        Compile::by(Stage::locate().tool("mpifort"), "tests/fortran/loaded.f90")
            .flags([&format!("-fc={compiler}"), "-O1", "-fPIC", "-shared"])
            .output(&library)
            .build();
        library
    })
}

fn loader(libraries: &[&str]) -> Binary {
    Compile::by(Stage::locate().tool("mpicc"), "tests/c/loads_fortran.c")
        .flags(["-O1", "-Wall"])
        .libraries(libraries)
        .build()
}

fn passes(program: &Binary, scope: &str, libraries: &[PathBuf]) {
    for mode in MODES {
        let run = Stage::locate().mpiexec(5).vps(2).mode(mode).args([scope]);
        let outcome = run.args(libraries).run(program);
        outcome.expect_success();
        assert_eq!(outcome.stdout, passed(5), "{mode}: {outcome}");
    }
}

/// Where the program is linked with MPI's library for Fortran, all have the variables of that one.
#[test]
fn libraries_have_the_variables_of_the_program() {
    let program = loader(&["-Wl,--no-as-needed", "-lmpifort_abi"]);
    for compiler in COMPILERS {
        let scratch = Scratch::new("loaded");
        passes(&program, "local", &libraries(&scratch, compiler));
    }
}

/// Otherwise the first library's variables are found by those that are loaded later, if it is loaded for all.
#[test]
fn libraries_have_the_variables_of_the_first_one() {
    let program = loader(&[]);
    for compiler in COMPILERS {
        let scratch = Scratch::new("loaded");
        let libraries = libraries(&scratch, compiler);
        passes(&program, "global", &libraries);
        passes(&program, "local", &libraries[..1]);
    }
}
