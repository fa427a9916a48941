//! Errors of the channel between a host and the launcher.

use super::{MAX_BYTES, MAX_DESCRIPTORS};
use thiserror::Error;

/// Why a message was not sent or received.
#[derive(Debug, Error)]
pub enum ControlError {
    /// The other end is closed.
    #[error("the connection between mpiexec and the host is closed")]
    Closed,
    /// A system call has failed.
    #[error("the connection between mpiexec and the host fails: {0}")]
    Io(std::io::Error),
    /// The message is longer than messages may be.
    #[error("a control message is longer than {MAX_BYTES} bytes")]
    TooLong,
    /// The message has another shape.
    #[error(
        "a control message is malformed ({0}): mpiexec and the host may come from different installations"
    )]
    Malformed(#[source] serde_json::Error),
    /// The message does not come with the descriptors that it needs.
    #[error(
        "a control message comes with {found} descriptors, not with {expected} (of {MAX_DESCRIPTORS} at most): the \
         limit on open files may be too low, see ulimit -n"
    )]
    Descriptors {
        /// How many came.
        found: usize,
        /// How many it needs.
        expected: usize,
    },
}

impl From<rustix::io::Errno> for ControlError {
    fn from(error: rustix::io::Errno) -> Self {
        match error {
            rustix::io::Errno::PIPE | rustix::io::Errno::CONNRESET => Self::Closed,
            error => Self::Io(error.into()),
        }
    }
}
