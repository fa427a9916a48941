//! `./x test mpi4py`: runs the tests of mpi4py, Python's MPI, with ranks that are processes. mpi4py is built from
//! its source package against our package for pip, in a virtual environment.
//!
//! mpi4py is built as the guide says. It would have to compile a program for each function of the standard to find out
//! which ones exist; a file beside `mpi.h` tells it instead ([`mpi4py_config`]). The tests that are left out are in
//! `xtask/src/mpi4py-left-out.txt`, with the reasons.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{build_output, captured_success, minutes};
use crate::failure::{Failure, Result};
use crate::mpi4py_config;
use crate::python::Venv;
use crate::workspace::Workspace;

const VERSION: &str = "4.1.2";

/// The numbers of ranks of the runs.
const RANKS: &[usize] = &[1, 2, 3, 4];

/// The number of ranks of the run among all tests.
const FEW: usize = 3;

/// The module of its tests in which no rank calls another. It takes a fourth of the processor time, and does the same
/// on each rank.
const LOCAL: &str = "test_datatype";

/// The modules of its tests that are left out, and patterns of names of tests (after a `-`). A reason stands behind
/// each `#`.
const LEFT_OUT: &str = include_str!("mpi4py-left-out.txt");

/// A fresh virtual environment with our package and mpi4py, and the source of mpi4py.
pub(crate) struct Mpi4py {
    place: PathBuf,
    venv: Venv,
}

impl Mpi4py {
    /// Installs our package and mpi4py. mpi4py is built against our package unless it has been built for the same
    /// functions.
    pub(crate) fn prepared(workspace: &Workspace, wheel: &Path) -> Result<Self> {
        let place = workspace.target("mpi4py");
        // The path is always the same, since the built package contains the path of the library.
        let venv = Venv::fresh(&place.join("venv"))?;
        venv.install([wheel])?;
        let prepared = Self { place, venv };
        prepared.build()?;
        let mut pip = prepared.venv.pip("install");
        pip.args(["--no-index", "--no-deps", "mpi4py", "--find-links"]);
        captured_success(pip.arg(prepared.built()), minutes(2))?;
        Ok(prepared)
    }

    /// The environment.
    pub(crate) fn venv(&self) -> &Venv {
        &self.venv
    }

    fn source(&self) -> PathBuf {
        self.place.join(format!("mpi4py-{VERSION}"))
    }

    /// The place of the built package.
    fn built(&self) -> PathBuf {
        self.place.join("built")
    }

    fn build(&self) -> Result<()> {
        let (source, stamp) = (self.source(), self.built().join("for"));
        if !source.exists() {
            self.fetch()?;
        }
        let config = read(&self.venv.place().join(mpi4py_config::PLACE))?;
        if fs::read_to_string(&stamp).is_ok_and(|built| built == config) {
            return Ok(());
        }
        eprintln!("x: building mpi4py {VERSION}");
        // setuptools would take what it has compiled with another configuration.
        match fs::remove_dir_all(source.join("build")) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(Failure::file(&source)(error)),
            _ => {}
        }
        // It is compiled in the fastest way, since its speed is not tested.
        let prefix = self.venv.place().display().to_string();
        let flags = format!("-O0 -g0 -w {}", mpi4py_config::flags(&prefix));
        // The build finds mpicc in the PATH.
        let mut pip = self.venv.activated("pip");
        pip.args(["wheel", "--quiet", "--disable-pip-version-check"]);
        pip.args(["--no-deps", "--no-cache-dir", "--wheel-dir"])
            .arg(self.built())
            .arg(&source);
        build_output(pip.env("CFLAGS", flags))?;
        write(&stamp, &config)
    }

    /// Gets the source from PyPI.
    fn fetch(&self) -> Result<()> {
        eprintln!("x: fetching mpi4py {VERSION} from PyPI");
        let mut pip = self.venv.pip("download");
        pip.args(["--no-deps", "--no-binary", "mpi4py", "--dest"])
            .arg(&self.place);
        captured_success(pip.arg(format!("mpi4py=={VERSION}")), minutes(5))?;
        let mut tar = Command::new("tar");
        tar.arg("-xzf")
            .arg(self.place.join(format!("mpi4py-{VERSION}.tar.gz")));
        captured_success(tar.arg("-C").arg(&self.place), minutes(1)).map(drop)
    }

    /// Runs its tests on several numbers of ranks.
    pub(crate) fn test(&self) -> Result<()> {
        RANKS.iter().try_for_each(|&ranks| self.run(ranks, &[]))
    }

    /// Runs each of its tests once: those that need no other rank on one, the others on a few.
    pub(crate) fn test_once(&self) -> Result<()> {
        self.run(1, &["-i", LOCAL])?;
        self.run(FEW, &["-e", LOCAL])
    }

    fn run(&self, ranks: usize, selected: &[&str]) -> Result<()> {
        let mut tests = self.venv.activated("mpiexec");
        tests.args(["-n", &ranks.to_string(), "python"]);
        tests.arg(self.source().join("test/main.py"));
        // The tests use the installed mpi4py, not the source. They stop at the first failure, after which ranks are out
        // of step.
        tests.args(["--no-builddir", "-q", "-f"]).args(selected);
        for (option, pattern) in left_out(LEFT_OUT) {
            tests.args([option, pattern]);
        }
        let outcome = captured_success(&mut tests, minutes(8))?;
        let ran = outcome.stderr.lines().rfind(|line| line.starts_with("Ran "));
        eprintln!(
            "x: mpi4py on {ranks} processes: {}",
            ran.unwrap_or("nothing was run")
        );
        Ok(())
    }
}

/// The options that leave out the tests that a list names.
fn left_out(list: &str) -> impl Iterator<Item = (&'static str, &str)> {
    let entries = list.lines().filter_map(|line| line.split('#').next());
    let entries = entries.map(str::trim).filter(|entry| !entry.is_empty());
    entries.map(|entry| match entry.strip_prefix('-') {
        Some(test) => ("-x", test),
        None => ("-e", entry),
    })
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(Failure::file(path))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(Failure::file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_modules_and_tests() {
        let list = "win # later\n\n-testSpawn\n# nothing\n";
        let options: Vec<_> = left_out(list).collect();
        assert_eq!(options, [("-e", "win"), ("-x", "testSpawn")]);
        assert!(left_out(LEFT_OUT).count() > 0);
    }
}
