//! The errors of the project's commands.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

/// The reason why a command of the project ended early. The developer reads its message.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A program could not be started.
    #[error("cannot run {program}: {source}")]
    Start {
        /// The program.
        program: String,
        /// The error of the system.
        source: io::Error,
    },
    /// A program ended with an error, about which it has printed a message.
    #[error("{status}: {command}")]
    Failed {
        /// The whole command line.
        command: String,
        /// The status with which it ended.
        status: ExitStatus,
    },
    /// A program was still running at its time limit.
    #[error("no end after {limit:?}, killed: {command}")]
    TimedOut {
        /// The whole command line.
        command: String,
        /// The time limit.
        limit: Duration,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Checks have found faults and printed them.
    #[error("{0}")]
    Faults(String),
}

impl Failure {
    /// Makes the error of an operation on this file, for `map_err`.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Failure {
        move |source| Failure::File {
            path: path.to_owned(),
            source,
        }
    }
}

/// The result of a command of the project.
pub(crate) type Result<T> = std::result::Result<T, Failure>;
