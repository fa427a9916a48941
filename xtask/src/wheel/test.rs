//! `./x test wheel`: tests the package for pip in a virtual environment, as its user gets it.

use std::fs;
use std::path::Path;
use std::process::Command;

use simurgh_testing::Scratch;

use super::{PACKAGE, fpm};
use crate::command::{captured_success, minutes};
use crate::failure::{Failure, Result};
use crate::mpi4py::Mpi4py;
use crate::python::Venv;
use crate::workspace::Workspace;

/// A script that checks that all files that the record names exist.
const INSTALLED: &str = include_str!("installed.py");

/// A program for Python.
const RING: &str = include_str!("ring.py");

/// Programs that start others, without `mpiexec`, and their output.
const PARENTS: [(&str, &str, &str); 2] = [
    ("family.py", include_str!("family.py"), "a family of 3\n"),
    ("pool.py", include_str!("pool.py"), "328350\n"),
];

/// A program in C.
const PROGRAM: &str = "tests/c/mpi_collectives.c";

/// A program in Fortran.
const FORTRAN: &str = "tests/fortran/hello_f08.f90";

/// A program of which each language has some ranks of a job: in Python, and (wrapper and options, program, source) in
/// others.
const LANGUAGES: (&str, &str) = ("languages.py", include_str!("languages.py"));
const OTHER_LANGUAGES: [(&[&str], &str, &str); 3] = [
    (&["mpicc"], "in-c", "tests/c/languages.c"),
    (
        &["mpifort", "-fc=gfortran"],
        "by-gfortran",
        "tests/fortran/languages.f90",
    ),
    (
        &["mpifort", "-fc=flang-new-19"],
        "by-flang",
        "tests/fortran/languages.f90",
    ),
];

/// Tests the package in an environment where it and mpi4py are installed. The package is removed at the end.
pub(crate) fn run(workspace: &Workspace, python: &Mpi4py) -> Result<()> {
    let venv = python.venv();
    check(&mut in_venv(venv, &["python", "-c", INSTALLED]), "")?;
    check(
        &mut in_venv(venv, &["pip", "check"]),
        "No broken requirements found.\n",
    )?;
    // The test runs in another folder, so that the current one has no influence.
    let elsewhere = Scratch::new("wheel");
    python_programs(venv, &elsewhere)?;
    c_programs(workspace, venv, &elsewhere)?;
    eprintln!("x: the wheel works in {}", venv.place().display());
    Ok(())
}

fn python_programs(venv: &Venv, elsewhere: &Scratch) -> Result<()> {
    elsewhere.write("ring.py", RING);
    let mut alone = in_venv(venv, &["python", "ring.py"]);
    check(alone.current_dir(elsewhere.path()), "went round 1\n")?;
    for (name, program, printed) in PARENTS {
        elsewhere.write(name, program);
        let mut parent = in_venv(venv, &["python", name]);
        check(parent.current_dir(elsewhere.path()), printed)?;
    }
    for ranks in ["1", "2", "4"] {
        let mut run = in_venv(venv, &["mpiexec", "-n", ranks, "python", "ring.py"]);
        check(
            run.current_dir(elsewhere.path()),
            &format!("went round {ranks}\n"),
        )?;
    }
    Ok(())
}

/// Tests that programs run as threads, also when the whole environment has been moved since they were compiled. Tests
/// as well that nothing is left when the package has been removed.
fn c_programs(workspace: &Workspace, venv: &Venv, elsewhere: &Scratch) -> Result<()> {
    let source = workspace.source(PROGRAM);
    let mut compile = in_venv(venv, &["mpicc", "-o", "program"]);
    // The other name of the library, for linkers, is tested, too.
    compile.arg(&source).arg("-lmpi");
    check(compile.current_dir(elsewhere.path()), "")?;
    let run = |tool: &Path| {
        let mut run = Command::new(tool);
        run.args(["--mode", "threads", "-n", "4", "./program"]);
        check(run.current_dir(elsewhere.path()), "passed with 4 ranks\n")
    };
    run(&venv.tool("mpiexec"))?;
    run(&venv.tool("mpirun"))?;
    fortran_program(workspace, venv, elsewhere)?;
    languages(workspace, venv, elsewhere)?;
    fpm::test(workspace, venv, elsewhere)?;
    let moved = venv.place().with_extension("moved");
    rename(venv.place(), &moved)?;
    let ran = run(&moved.join("bin/mpiexec"))
        .and_then(|()| captured_success(Command::new(moved.join("bin/simurgh")).arg("info"), minutes(1)));
    rename(&moved, venv.place())?;
    ran?;
    check(
        &mut in_venv(venv, &["pip", "uninstall", "--quiet", "--yes", "simurgh"]),
        "",
    )?;
    let left = [
        "bin/mpiexec",
        "lib/libmpi_abi.so.1",
        "lib/libmpifort_abi.so.1",
        "lib/simurgh",
        "libexec/simurgh",
        "include/mpi.h",
        "include/mpi_removed.h",
        "include/mpif.h",
        "include/simurgh",
        "share/simurgh/fortran",
    ];
    match left.iter().find(|file| venv.place().join(file).exists()) {
        None => Ok(()),
        Some(file) => Err(Failure::Faults(format!(
            "{PACKAGE} leaves {file} when it is removed"
        ))),
    }
}

/// Tests that the wrapper compiles the modules, of which the package has the sources only, into the user's cache.
fn fortran_program(workspace: &Workspace, venv: &Venv, elsewhere: &Scratch) -> Result<()> {
    let mut compile = in_venv(venv, &["mpifort", "-o", "fortran"]);
    compile
        .arg(workspace.source(FORTRAN))
        .env("XDG_CACHE_HOME", elsewhere.path());
    check(compile.current_dir(elsewhere.path()), "")?;
    let mut run = in_venv(venv, &["mpiexec", "-n", "1", "./fortran"]);
    check(run.current_dir(elsewhere.path()), "hello from rank 0 of 1\n")
}

/// Tests a job with two ranks each in Python, in C and in Fortran by two compilers. The ranks in Python are processes,
/// and all others are threads of one process, unless all are to be processes.
fn languages(workspace: &Workspace, venv: &Venv, elsewhere: &Scratch) -> Result<()> {
    let (script, text) = LANGUAGES;
    elsewhere.write(script, text);
    let mut programs = vec![vec!["python".to_owned(), script.to_owned()]];
    for (wrapper, program, source) in OTHER_LANGUAGES {
        let mut compile = in_venv(venv, wrapper);
        compile
            .args(["-o", program])
            .arg(workspace.source(source))
            .env("XDG_CACHE_HOME", elsewhere.path());
        check(compile.current_dir(elsewhere.path()), "")?;
        programs.push(vec![format!("./{program}")]);
    }
    for (mode, printed) in [
        ("auto", "8 ranks in 3 processes\n"),
        ("processes", "8 ranks in 8 processes\n"),
    ] {
        let mut run = in_venv(venv, &["mpiexec", "--mode", mode]);
        for (index, program) in programs.iter().enumerate() {
            run.args((index > 0).then_some(":"))
                .args(["-n", "2"])
                .args(program);
        }
        check(run.current_dir(elsewhere.path()), printed)?;
    }
    Ok(())
}

/// A command in the activated environment.
fn in_venv(venv: &Venv, words: &[&str]) -> Command {
    let mut command = venv.activated(words[0]);
    command.args(&words[1..]);
    command
}

/// Runs a command, which has to succeed and to print exactly this.
fn check(command: &mut Command, printed: &str) -> Result<()> {
    let outcome = captured_success(command, minutes(1))?;
    match outcome.stdout == printed {
        true => Ok(()),
        false => Err(Failure::Faults(format!("expected {printed:?}\n{outcome}"))),
    }
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).map_err(Failure::file(from))
}
