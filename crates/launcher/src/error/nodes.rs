//! Errors in the naming of nodes.

use std::path::PathBuf;
use thiserror::Error;

/// Why the nodes of a job cannot be determined.
#[derive(Debug, Error, PartialEq)]
pub enum NodesError {
    /// A list of nodes cannot be understood.
    #[error("{origin}: {text:?} is not a list of host names such as a,b:4 or n[1-3]")]
    List {
        /// The option or info key that has the list.
        origin: String,
        /// The list.
        text: String,
    },
    /// A line of a file cannot be understood.
    #[error("{file}:{line}: {text:?} is not a host name with its slots, such as `a`, `a:4` or `a slots=4`")]
    Line {
        /// The file.
        file: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The line.
        text: String,
    },
    /// A file cannot be read.
    #[error("{file}: {reason}")]
    File {
        /// The file.
        file: PathBuf,
        /// The cause.
        reason: String,
    },
    /// A file names no node.
    #[error("{file}: names no host")]
    Empty {
        /// The file.
        file: PathBuf,
    },
    /// A variable of the batch system cannot be understood.
    #[error(
        "{variable} is {value:?}, which is not what Slurm writes: unset SLURM_JOB_ID to run outside of its allocation"
    )]
    Slurm {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: String,
    },
    /// There is no allocation.
    #[error("--launcher slurm works in an allocation of Slurm only, such as `salloc -N 2 mpiexec …` makes")]
    NoAllocation,
    /// A program is to be spawned on a node that does not belong to the job.
    #[error("{node} is none of the job's nodes: {nodes}")]
    NotOfJob {
        /// The node.
        node: String,
        /// The nodes of the job.
        nodes: String,
    },
    /// A node is not in the allocation.
    #[error("{node} is none of the nodes that Slurm has allocated: {nodes}")]
    NotAllocated {
        /// The node.
        node: String,
        /// The nodes of the allocation.
        nodes: String,
    },
}
