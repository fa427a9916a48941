//! Where the parts of an installation are.

use crate::error::LaunchError;
use std::path::{Path, PathBuf};

/// An installed tree.
#[derive(Debug, Clone)]
pub struct Installation {
    prefix: PathBuf,
}

impl Installation {
    /// The tree that the running tool belongs to, through whatever links it was started.
    ///
    /// # Errors
    ///
    /// When the kernel does not tell where the tool is.
    pub fn of_this_tool() -> Result<Self, LaunchError> {
        let tool = std::env::current_exe().map_err(LaunchError::OwnPath)?;
        let prefix = tool.parent().and_then(Path::parent).map(Path::to_path_buf);
        prefix
            .map(Self::at)
            .ok_or(LaunchError::Incomplete { missing: tool })
    }

    /// The tree below `prefix`.
    pub fn at(prefix: PathBuf) -> Self {
        Self { prefix }
    }

    /// The runtime library.
    pub fn library(&self) -> Result<PathBuf, LaunchError> {
        present(self.lib_dir().join("libmpi_abi.so.1"))
    }

    /// The host executable, in which ranks live.
    pub fn host(&self) -> Result<PathBuf, LaunchError> {
        present(self.prefix.join("libexec/simurgh/host"))
    }

    /// The executable that is the agent of a node.
    pub fn tool(&self) -> Result<PathBuf, LaunchError> {
        present(self.prefix.join("bin/simurgh"))
    }

    /// The directory of `mpi.h`.
    pub fn include_dir(&self) -> PathBuf {
        self.prefix.join("include")
    }

    /// The directory of the libraries.
    pub fn lib_dir(&self) -> PathBuf {
        self.prefix.join("lib")
    }

    /// The directory of the sources of the Fortran modules.
    pub fn fortran_sources(&self) -> PathBuf {
        self.prefix.join("share/simurgh/fortran")
    }

    /// The directory of the compiled Fortran modules, which has a directory for each compiler.
    pub fn fortran_modules(&self) -> PathBuf {
        self.prefix.join("lib/simurgh/fortran")
    }
}

fn present(path: PathBuf) -> Result<PathBuf, LaunchError> {
    if path.is_file() {
        Ok(path)
    } else {
        Err(LaunchError::Incomplete { missing: path })
    }
}
