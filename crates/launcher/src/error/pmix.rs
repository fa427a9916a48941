//! Why programs of Open MPI cannot be started.

use simurgh_pmix_sys::ServerError;
use std::path::PathBuf;
use thiserror::Error;

/// Why programs of Open MPI cannot be started.
#[derive(Debug, Error)]
pub enum PmixError {
    /// The job has programs of other MPIs, too.
    #[error("programs of Open MPI cannot be in one job with others: they would not find each other")]
    Mixed,
    /// Running ranks have asked for the program.
    #[error("programs of Open MPI cannot be spawned: they would not find the ranks that spawn them")]
    Spawned,
    /// The directory for their files cannot be made.
    #[error("a directory for the files of Open MPI cannot be made: {}: {source}", path.display())]
    Files {
        /// The directory.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The PMIx library has failed.
    #[error("programs of Open MPI find each other by PMIx, which cannot be served: {0}")]
    Server(#[from] ServerError),
}
