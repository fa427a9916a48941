//! Build systems of users find the installation: compiler wrappers, pkg-config, CMake.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use simurgh_testing::{Compile, Input, LIMIT, Outcome, Scratch, Stage, run};

fn done(command: &mut Command) -> Outcome {
    let outcome = run(command, Input::Empty, LIMIT).unwrap_or_else(|e| panic!("cannot run {command:?}: {e}"));
    outcome.expect_success();
    outcome
}

/// PATH, with the stage's tools first.
fn path(stage: &Stage) -> OsString {
    let mut path = stage.prefix().join("bin").into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    path
}

fn greets(stage: &Stage, program: &Path) {
    let outcome = stage.mpiexec(3).run(program);
    let expected = [0, 1, 2].map(|rank| format!("hello from rank {rank} of 3"));
    assert_eq!(outcome.expect_success().sorted_lines(), expected);
}

#[test]
fn the_wrappers_compile_c_and_cxx() {
    let stage = Stage::locate();
    let c = Compile::by(stage.tool("mpicc"), "benches/c/hello.c")
        .flags(["-O2"])
        .build();
    greets(&stage, c.path());
    for name in ["mpicxx", "mpic++"] {
        greets(
            &stage,
            Compile::by(stage.tool(name), "tests/cxx/hello.cpp")
                .build()
                .path(),
        );
    }
}

/// Conversion functions are C functions: programs without any Fortran use them.
#[test]
fn handles_are_converted_in_c_cxx_and_fortran() {
    let stage = Stage::locate();
    for standard in ["-std=c++98", "-std=c++20"] {
        let cxx = Compile::by(stage.tool("mpicxx"), "tests/cxx/conversions.cpp");
        greets(&stage, cxx.flags([standard, "-Wall", "-Werror"]).build().path());
    }
    let c99 = Compile::by(stage.tool("mpicc"), "tests/c/mpi_conversions.c");
    let c99 = c99.flags(["-std=c99", "-pedantic", "-Wall", "-Werror"]).build();
    stage.mpiexec(2).run(&c99).expect_success();
    let mixed = Compile::by("gfortran", "tests/fortran/handles.f90")
        .source("tests/c/fortran_parts.c")
        .against(&stage)
        .build();
    for mode in ["threads", "processes"] {
        let outcome = stage.mpiexec(3).mode(mode).run(&mixed);
        let expected = [0, 1, 2].map(|rank| format!("row received by rank {rank} of 3"));
        assert_eq!(outcome.expect_success().sorted_lines(), expected);
    }
}

/// The compiler warns about functions that MPI has removed, and names the replacement. The declarations can be left
/// out.
#[test]
fn the_compiler_says_what_takes_the_place_of_removed_functions() {
    let stage = Stage::locate();
    let folder = Scratch::new("removed");
    let source = folder.write(
        "old.c",
        "#include <mpi.h>\n\
         int main(void) { MPI_Aint a; MPI_Address(&a, &a); return MPI_Errhandler_set(MPI_COMM_SELF, 0); }\n",
    );
    let compile = |flags: &[&str]| {
        let program = Compile::by(stage.tool("mpicc"), &source).flags(flags);
        program.output(folder.path().join("old")).try_build()
    };
    assert!(compile(&[]).is_ok());
    let told = compile(&["-Werror"]).unwrap_err();
    for successor in ["MPI_Get_address", "MPI_Comm_set_errhandler"] {
        assert!(
            told.contains(&format!("removed from MPI: use {successor}")),
            "{told}"
        );
    }
    let told = compile(&["-DMPI_NO_REMOVED", "-Werror=implicit-function-declaration"]).unwrap_err();
    assert!(
        told.contains("implicit declaration") && told.contains("MPI_Address"),
        "{told}"
    );
}

#[test]
fn another_compiler_can_be_named() {
    let stage = Stage::locate();
    for (name, variable, compiler) in [
        ("mpicc", "SIMURGH_CC", "clang"),
        ("mpicxx", "SIMURGH_CXX", "clang++"),
    ] {
        let shown = |command: &mut Command| done(command.arg("-show")).stdout;
        let mut tool = Command::new(stage.tool(name));
        let usual = shown(&mut tool);
        let named = shown(tool.env(variable, compiler));
        let other = usual
            .split_once(' ')
            .map(|(_, rest)| format!("{compiler} {rest}"));
        assert_eq!(Some(named), other);
    }
}

#[test]
fn a_wrapped_program_runs_alone_as_rank_0_of_1() {
    let stage = Stage::locate();
    let program = Compile::by(stage.tool("mpicc"), "benches/c/hello.c").build();
    let outcome = done(&mut Command::new(program.path()));
    assert_eq!(outcome.stdout, "hello from rank 0 of 1\n");
}

#[test]
fn pkg_config_tells_the_flags() {
    let stage = Stage::locate();
    for package in ["mpi", "simurgh"] {
        let mut query = Command::new("pkg-config");
        query
            .args(["--cflags", "--libs", package])
            .env("PKG_CONFIG_PATH", stage.lib().join("pkgconfig"));
        let told = done(&mut query).stdout;
        let flags: Vec<&str> = told.split_whitespace().collect();
        greets(
            &stage,
            Compile::c("benches/c/hello.c").libraries(flags).build().path(),
        );
    }
}

#[test]
fn cmake_finds_the_wrappers_in_the_path() {
    let stage = Stage::locate();
    let build = Scratch::new("cmake");
    let project = Stage::workspace().join("tests/cmake");
    let cmake = |arguments: &[&str]| {
        let mut command = Command::new("cmake");
        command
            .args(arguments)
            .env("PATH", path(&stage))
            .current_dir(build.path());
        done(&mut command)
    };
    let configured = cmake(&[&project.to_string_lossy()]);
    let found = stage.prefix().canonicalize().unwrap();
    assert!(configured.stdout.contains("Found MPI"), "{configured}");
    let cache = std::fs::read_to_string(build.path().join("CMakeCache.txt")).unwrap();
    assert!(
        cache.contains(&*found.join("lib/libmpi_abi.so").to_string_lossy()),
        "another MPI was found\n{configured}"
    );
    cmake(&["--build", "."]);
    greets(&stage, &build.path().join("hello_c"));
    greets(&stage, &build.path().join("hello_cxx"));
    let mut ctest = Command::new("ctest");
    done(ctest.current_dir(build.path()));
}
