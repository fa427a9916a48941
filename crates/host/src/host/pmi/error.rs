//! Errors of a foreign launcher.

use simurgh_net::pmi::{Malformed, Message};
use std::io;
use thiserror::Error;

/// The reason why a program that another launcher has started cannot run.
#[derive(Debug, Error)]
pub(in crate::host) enum PmiError {
    /// An environment variable has an unusable value.
    #[error(
        "{name} is {value:?}, which is of no use: a launcher that speaks PMI has started this program, but cannot be \
         reached"
    )]
    Variable {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: String,
    },
    /// The launcher's answer makes no sense.
    #[error(
        "the launcher that has started this program answers {line:?}, which is not the answer that PMI defines"
    )]
    Strange {
        /// The answer.
        line: String,
    },
    /// The PMIx library cannot be used.
    #[error("a launcher that speaks PMIx has started this program, but {0}")]
    Library(#[from] simurgh_pmix_sys::LoadError),
    /// The PMIx library reports an error.
    #[error("the launcher that has started this program cannot be reached by PMIx: {call} says {says}")]
    Pmix {
        /// The function that was called.
        call: &'static str,
        /// The status that it returned, in words.
        says: String,
    },
    /// The launcher gives the process a rank outside the job.
    #[error("the launcher that has started this program says that it is rank {rank} of {size}")]
    Place {
        /// Its rank.
        rank: u32,
        /// Ranks of the job.
        size: u32,
    },
    /// The launcher is gone.
    #[error("the launcher that has started this program has ended")]
    Gone,
    /// Two processes of a node cannot connect to each other.
    #[error("rank {rank} is on this node, but its socket cannot be reached: {source}")]
    Neighbour {
        /// The rank.
        rank: u32,
        /// Why.
        source: io::Error,
    },
    /// The launcher is of a kind that cannot serve the process.
    #[error("{0}")]
    Unserved(String),
    /// A system call has failed.
    #[error("the launcher that has started this program cannot be reached: {0}")]
    Io(#[from] io::Error),
}

impl From<rustix::io::Errno> for PmiError {
    fn from(error: rustix::io::Errno) -> Self {
        match error {
            rustix::io::Errno::PIPE | rustix::io::Errno::CONNRESET => Self::Gone,
            error => Self::Io(error.into()),
        }
    }
}

impl From<Message> for PmiError {
    /// The message is not the answer that was asked for.
    fn from(message: Message) -> Self {
        Self::Strange { line: message.text }
    }
}

impl From<Malformed> for PmiError {
    fn from(error: Malformed) -> Self {
        Self::Strange { line: error.0 }
    }
}
