//! What can be wrong with a universe.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a universe cannot be, or a job not belong to it.
#[derive(Debug, Error)]
pub enum UniverseError {
    /// Nobody has written the file.
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
        /// Why.
        source: io::Error,
    },
    /// The file is another one.
    #[error("{file}: no `simurgh universe` of this version has written this file ({reason})")]
    Malformed {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Nobody is there.
    #[error(
        "{file}: the universe cannot be reached ({reason}); if it was killed, remove the file and start \
         `simurgh universe {file}` again"
    )]
    Unreachable {
        /// The file.
        file: PathBuf,
        /// What has been tried.
        reason: String,
    },
    /// Somebody is there, with whom the job cannot speak.
    #[error("{file}: the universe does not take up this job: {reason}")]
    Unanswered {
        /// The file.
        file: PathBuf,
        /// What has come instead.
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
    /// The server does not want the job.
    #[error("{file}: the universe refuses this job: {reason}")]
    Refused {
        /// The file.
        file: PathBuf,
        /// Why.
        reason: String,
    },
    /// The file is there already.
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
        /// Why.
        source: io::Error,
    },
    /// Nobody could reach the server.
    #[error("the universe cannot wait for jobs: {0}")]
    Listen(#[source] io::Error),
}
