//! What can go wrong in a command of the project.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

/// The reason why a command of the project ended early, said to the developer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A program could not be started at all.
    #[error("cannot run {program}: {source}")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// A program ended with an error, which it has explained itself.
    #[error("{status}: {command}")]
    Failed {
        /// The whole command line.
        command: String,
        /// How it ended.
        status: ExitStatus,
    },
    /// A program was still running at the end of its time.
    #[error("no end after {limit:?}, killed: {command}")]
    TimedOut {
        /// The whole command line.
        command: String,
        /// Its time.
        limit: Duration,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Checks found faults and have printed them.
    #[error("{0}")]
    Faults(String),
}

impl Failure {
    /// For `map_err`: the error of an operation on this file.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Failure {
        move |source| Failure::File {
            path: path.to_owned(),
            source,
        }
    }
}

/// The result of a command of the project.
pub(crate) type Result<T> = std::result::Result<T, Failure>;
