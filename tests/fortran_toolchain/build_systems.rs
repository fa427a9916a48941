//! Build systems find the bindings and their flags.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use simurgh_testing::{Compile, Scratch, Stage};

use super::{done, each_rank_says};

#[test]
fn pkg_config_tells_the_flags() {
    let stage = Stage::locate();
    for (compiler, choice) in [
        ("gfortran", None),
        ("flang-new-19", Some("--define-variable=fc=flang-19")),
    ] {
        let mut query = Command::new("pkg-config");
        query
            .args(choice)
            .args(["--cflags", "--libs", "mpi-fort"])
            .env("PKG_CONFIG_PATH", stage.lib().join("pkgconfig"));
        let told = done(&mut query).stdout;
        // The flag is gfortran's; flang would not know it.
        let known = |flag: &&str| compiler == "gfortran" || *flag != "-fallow-argument-mismatch";
        let flags: Vec<&str> = told.split_whitespace().filter(known).collect();
        let program = Compile::by(compiler, "tests/fortran/hello_f08.f90");
        let program = program.flags(&flags).libraries(&flags).build();
        each_rank_says(&stage, program.path(), 3, "hello from rank");
    }
}

/// PATH, with the stage's tools first.
fn path(stage: &Stage) -> OsString {
    let mut path = stage.prefix().join("bin").into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    path
}

#[test]
fn cmake_finds_all_bindings() {
    let stage = Stage::locate();
    let build = Scratch::new("cmake");
    let project = Stage::workspace().join("tests/cmake_fortran");
    let step = |tool: &str, arguments: &[&str]| {
        let mut command = Command::new(tool);
        done(
            command
                .args(arguments)
                .env("PATH", path(&stage))
                .current_dir(build.path()),
        )
    };
    let configured = step("cmake", &[&project.to_string_lossy()]);
    for found in ["mpif.h: TRUE", "mpi: TRUE", "mpi_f08: TRUE", "version: 5.0"] {
        assert!(configured.stdout.contains(found), "{configured}");
    }
    step("cmake", &["--build", "."]);
    for program in ["hello_f08", "hello_mpi", "hello_fixed"] {
        each_rank_says(&stage, &build.path().join(program), 3, "hello from rank");
    }
    step("ctest", &[]);
}

#[test]
fn meson_finds_the_wrapper() {
    let stage = Stage::locate();
    let project = Scratch::new("meson");
    for file in ["meson/meson.build", "fortran/hello_f08.f90"] {
        let file = Stage::workspace().join("tests").join(file);
        fs::copy(&file, project.path().join(file.file_name().unwrap())).unwrap();
    }
    for arguments in [&["setup", "build"][..], &["compile", "-C", "build"]] {
        let mut meson = Command::new("meson");
        done(
            meson
                .args(arguments)
                .env("PATH", path(&stage))
                .current_dir(project.path()),
        );
    }
    each_rank_says(
        &stage,
        &project.path().join("build/hello_f08"),
        3,
        "hello from rank",
    );
}

/// The macros of autoconf for Fortran find names and libraries out by trying: a configure script is made of them, and
/// the flags that it finds are used.
#[test]
fn configure_scripts_of_autoconf_find_the_bindings() {
    let stage = Stage::locate();
    let project = Scratch::new("autotools");
    let tests = Stage::workspace().join("tests");
    let own =
        ["configure.ac", "Makefile.in", "main.c", "part.f90"].map(|file| tests.join("autotools").join(file));
    let programs = ["hello_fixed.f", "hello_f08.f90"].map(|file| tests.join("fortran").join(file));
    // These two would be part of the project, too.
    let machine = ["config.guess", "config.sub"].map(|file| Path::new("/usr/share/misc").join(file));
    for file in own.iter().chain(&programs).chain(&machine) {
        fs::copy(file, project.path().join(file.file_name().unwrap())).unwrap();
    }
    let step = |tool: &str, arguments: &[&str]| {
        let mut command = Command::new(tool);
        command.args(arguments).env("PATH", path(&stage));
        done(command.current_dir(project.path()))
    };
    step("autoconf", &[]);
    step("autoheader", &[]);
    let told = step("./configure", &["CC=mpicc", "F77=mpif77", "FC=mpifort"]);
    for found in [
        "for mpi.h... yes",
        "for MPI_Init... yes",
        "for mpi_init... yes",
        "for mpif.h in Fortran 77... yes",
        "for mpi_finalize... yes",
        "for the module mpi in Fortran... yes",
        "for the module mpi_f08 in Fortran... yes",
    ] {
        assert!(told.stdout.contains(found), "{found} is not in\n{told}");
    }
    step("make", &[]);
    for program in ["mixed", "hello_fixed", "hello_f08"] {
        each_rank_says(&stage, &project.path().join(program), 3, "hello from rank");
    }
}
