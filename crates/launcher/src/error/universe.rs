//! Errors of universes.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a universe cannot be started, or a job cannot belong to it.
#[derive(Debug, Error)]
pub enum UniverseError {
    /// The file of the universe has not appeared in time.
    #[error("{file}: no universe has appeared there in time; `simurgh universe {file}` starts one")]
    Absent {
        /// The file.
        file: PathBuf,
    },
    /// The file cannot be read.
    #[error("{file}: the file of the universe cannot be read: {source}")]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file is not that of a universe of this version.
    #[error("{file}: no `simurgh universe` of this version has written this file ({reason})")]
    Malformed {
        /// The file.
        file: PathBuf,
        /// The fault that was found.
        reason: String,
    },
    /// No server answers at the addresses of the file.
    #[error(
        "{file}: the universe cannot be reached ({reason}); if it was killed, remove the file and start \
         `simurgh universe {file}` again"
    )]
    Unreachable {
        /// The file.
        file: PathBuf,
        /// The result for each address.
        reason: String,
    },
    /// A server is there, but the job cannot talk to it.
    #[error("{file}: the universe does not take up this job: {reason}")]
    Unanswered {
        /// The file.
        file: PathBuf,
        /// The cause.
        reason: String,
    },
    /// There is no such interface.
    #[error(
        "this machine has no interface {name:?} with an address; `ip address` shows those that there are"
    )]
    Interface {
        /// Its name.
        name: String,
    },
    /// The server does not accept the job.
    #[error("{file}: the universe refuses this job: {reason}")]
    Refused {
        /// The file.
        file: PathBuf,
        /// The cause.
        reason: String,
    },
    /// The file exists already.
    #[error(
        "{file}: there already; if no `simurgh universe` that has written it is running any more, remove it, or name \
         another file"
    )]
    Exists {
        /// The file.
        file: PathBuf,
    },
    /// The file cannot be written.
    #[error("{file}: the file of the universe cannot be written: {source}")]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The server cannot listen.
    #[error("the universe cannot wait for jobs: {0}")]
    Listen(#[source] io::Error),
}
