//! `./x test mpi4py`: the tests of mpi4py, Python's MPI, with ranks that are processes, in a virtual environment with
//! our package for pip, against which it is built from its source package.
//!
//! mpi4py is built for what `mpi.h` declares: a header of its own says which functions of the standard are missing. Its
//! build would find that out by compiling a program for each (`MPI4PY_BUILD_CONFIGURE`), which takes minutes. What is
//! left out of its tests is in `xtask/src/mpi4py-left-out.txt`, with the reasons.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{build_output, captured_success, minutes};
use crate::failure::{Failure, Result};
use crate::python::Venv;
use crate::workspace::Workspace;

const VERSION: &str = "4.1.2";

/// Ranks of the runs.
const RANKS: [usize; 3] = [1, 2, 4];

/// Modules of its tests that are left out, and patterns of names of tests (`-` before them), a reason behind each `#`.
const LEFT_OUT: &str = include_str!("mpi4py-left-out.txt");

/// A fresh virtual environment with our package and mpi4py, and the source of the latter.
pub(crate) struct Mpi4py {
    place: PathBuf,
    venv: Venv,
}

impl Mpi4py {
    /// Installs our package, and mpi4py, which is built against it unless that has been done for the same functions.
    pub(crate) fn prepared(workspace: &Workspace, wheel: &Path) -> Result<Self> {
        let place = workspace.target("mpi4py");
        // Always the same, as the built package has the path of the library in it.
        let venv = Venv::fresh(&place.join("venv"))?;
        venv.install([wheel])?;
        let prepared = Self { place, venv };
        prepared.build(workspace)?;
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

    /// Where the package is that has been built.
    fn built(&self) -> PathBuf {
        self.place.join("built")
    }

    fn build(&self, workspace: &Workspace) -> Result<()> {
        let (source, stamp) = (self.source(), self.built().join("for"));
        if !source.exists() {
            self.fetch()?;
        }
        let missing = missing(&source, &workspace.source("include/mpi.h"))?;
        if fs::read_to_string(&stamp).is_ok_and(|built| built == missing) {
            return Ok(());
        }
        write(&source.join("src/lib-mpi/pympiconf.h"), &missing)?;
        eprintln!("x: building mpi4py {VERSION}");
        // Compiled as fast as can be: its speed is not what is tested.
        let flags = "-O0 -g0 -w -DHAVE_PYMPICONF_H=1";
        // It finds mpicc in the PATH.
        let mut pip = self.venv.activated("pip");
        pip.args(["wheel", "--quiet", "--disable-pip-version-check"]);
        pip.args(["--no-deps", "--no-cache-dir", "--wheel-dir"])
            .arg(self.built())
            .arg(&source);
        build_output(pip.env("CFLAGS", flags))?;
        write(&stamp, &missing)
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

    /// Runs its tests.
    pub(crate) fn test(&self) -> Result<()> {
        RANKS.iter().try_for_each(|&ranks| self.run(ranks))
    }

    fn run(&self, ranks: usize) -> Result<()> {
        let mut tests = self.venv.activated("mpiexec");
        tests.args(["-n", &ranks.to_string(), "python"]);
        tests.arg(self.source().join("test/main.py"));
        // Those of the installation, not of the source; up to the first failure, after which ranks are out of step.
        tests.args(["--no-builddir", "-q", "-f"]);
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

/// The options that leave out what a list names.
fn left_out(list: &str) -> impl Iterator<Item = (&'static str, &str)> {
    let entries = list.lines().filter_map(|line| line.split('#').next());
    let entries = entries.map(str::trim).filter(|entry| !entry.is_empty());
    entries.map(|entry| match entry.strip_prefix('-') {
        Some(test) => ("-x", test),
        None => ("-e", entry),
    })
}

/// The header that tells mpi4py what is missing.
fn missing(source: &Path, header: &Path) -> Result<String> {
    let known = identifiers(&read(header)?);
    let mut asked = BTreeSet::new();
    let config = source.join("src/lib-mpi/config");
    for entry in fs::read_dir(&config).map_err(Failure::file(&config))? {
        let path = entry.map_err(Failure::file(&config))?.path();
        asked.extend(identifiers(&read(&path)?));
    }
    let mut text = "#include \"config/mpiabi.h\"\n".to_owned();
    let missing = asked.iter().filter(|name| {
        let name = name.strip_prefix("PyMPI_HAVE_");
        name.is_some_and(|name| !known.contains(name))
    });
    for name in missing {
        text.push_str(&format!("#undef {name}\n"));
    }
    Ok(text)
}

/// The identifiers in a text of C.
fn identifiers(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| c != '_' && !c.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
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
