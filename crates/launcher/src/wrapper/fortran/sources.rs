//! The sources of the modules.

use crate::error::LaunchError;
use crate::installation::Installation;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::PathBuf;

/// The sources of an installation.
pub(super) struct Sources {
    directory: PathBuf,
}

impl Sources {
    /// Their names, in the order in which they have to be compiled.
    pub(super) const NAMES: &[&str] = &["simurgh_mpi_types.F90", "mpi_f08.F90", "mpi.F90"];

    /// The name of the source that is compiled with a program whose default types are other than usual.
    pub(super) const DEFAULT_KINDS: &str = "simurgh_default_kinds.f90";

    /// The sources of this installation.
    pub(super) fn of(installation: &Installation) -> Self {
        Self {
            directory: installation.fortran_sources(),
        }
    }

    /// The paths, in the order in which they have to be compiled.
    pub(super) fn paths(&self) -> impl Iterator<Item = PathBuf> {
        Self::NAMES.iter().map(|name| self.directory.join(name))
    }

    /// The path of the source about default types.
    pub(super) fn default_kinds(&self) -> PathBuf {
        self.directory.join(Self::DEFAULT_KINDS)
    }

    /// A name for this version of the sources.
    pub(super) fn digest(&self) -> Result<String, LaunchError> {
        let mut hash = Sha256::new();
        for path in self.paths() {
            let text = fs::read(&path).map_err(|_| LaunchError::Incomplete { missing: path })?;
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(&text);
        }
        let bytes = hash.finalize();
        Ok(bytes[..8].iter().map(|byte| format!("{byte:02x}")).collect())
    }
}
