//! Why programs of Open MPI cannot be started.

use simurgh_pmix_sys::ServerError;
use std::path::PathBuf;
use thiserror::Error;

/// Why such programs cannot be started.
#[derive(Debug, Error)]
pub enum PmixError {
    /// The job has other programs.
    #[error("programs of Open MPI cannot be in a job with others, which they would not find")]
    Mixed,
    /// Running ranks have asked for it.
    #[error("programs of Open MPI cannot be spawned: they would not find the ranks that have done so")]
    Spawned,
    /// There is no place for their files.
    #[error("a directory for the files of Open MPI cannot be made: {}: {source}", path.display())]
    Files {
        /// Where it was to be.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The library does not do it.
    #[error("programs of Open MPI find each other by PMIx, which cannot be served: {0}")]
    Server(#[from] ServerError),
}
