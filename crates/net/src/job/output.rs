//! Files that take what a rank writes, in place of the output of `mpiexec`.

use super::JobSpec;
use simurgh_settings::Id;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The files of one rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFiles {
    /// Takes its standard output.
    pub output: PathBuf,
    /// Takes its standard error.
    pub errors: PathBuf,
}

impl OutputFiles {
    /// The files of a rank, if the user wants any.
    pub fn of(spec: &JobSpec, rank: u32) -> Option<Self> {
        let directory =
            Path::new(spec.settings.name(Id::OutputDir)?).join(format!("rank.{}", spec.name_of(rank)));
        Some(Self::within(&directory))
    }

    /// The files of the receiving host, whose ranks share their streams, if the user wants any.
    pub fn of_host(spec: &JobSpec) -> Option<Self> {
        let directory = Path::new(spec.settings.name(Id::OutputDir)?);
        Some(Self::within(
            &directory.join(format!("rank.{}", spec.names_of(spec.ranks()))),
        ))
    }

    fn within(directory: &Path) -> Self {
        Self {
            output: directory.join("stdout"),
            errors: directory.join("stderr"),
        }
    }

    /// Creates both files, empty: for standard output and standard error.
    ///
    /// # Errors
    ///
    /// The path that cannot be written, and why.
    pub fn create(&self) -> Result<[File; 2], (PathBuf, io::Error)> {
        Ok([create(&self.output)?, create(&self.errors)?])
    }
}

/// Creates an empty file to which several processes may append.
fn create(path: &Path) -> Result<File, (PathBuf, io::Error)> {
    let failed = |error| (path.to_path_buf(), error);
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory).map_err(failed)?;
    }
    // `append` together with `truncate` would leave the old contents.
    File::create(path).map_err(failed)?;
    OpenOptions::new().append(true).open(path).map_err(failed)
}
