//! Errors in a job description.

use super::{MAX_BYTES, MAX_RANKS, VERSION};
use thiserror::Error;

/// Why a job description was refused.
#[derive(Debug, Error)]
pub enum JobError {
    /// It was written by another version of `mpiexec`.
    #[error(
        "the job description has version {found}, this host reads version {VERSION}: \
         mpiexec and the host come from different installations"
    )]
    Version {
        /// The version found.
        found: u32,
    },
    /// It is no JSON, or JSON of another shape.
    #[error("the job description is malformed: {0}")]
    Malformed(#[source] serde_json::Error),
    /// It is longer than a host reads.
    #[error("the job description has {bytes} bytes, the limit is {MAX_BYTES}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// The descriptor could not be read or written.
    #[error("the job description cannot be passed through a memory file: {0}")]
    Io(#[from] std::io::Error),
    /// No program is named.
    #[error("the job has no program")]
    NoProgram,
    /// A section has no ranks.
    #[error("program {section} of the job has no ranks")]
    NoRanks {
        /// Its place among the programs.
        section: usize,
    },
    /// A section has no `argv[0]`.
    #[error("program {section} of the job has no arguments, not even its own name")]
    NoArguments {
        /// Its place among the programs.
        section: usize,
    },
    /// The job is too large.
    #[error("the job has {ranks} ranks, the limit is {MAX_RANKS}")]
    TooManyRanks {
        /// Ranks asked for.
        ranks: u64,
    },
    /// The hosts' shares do not add up to the job, or one of them is empty.
    #[error("the hosts of a job of {total} ranks are to run {ranks} of them, or one of them none")]
    Shares {
        /// Ranks of all hosts.
        ranks: u64,
        /// Ranks of the job.
        total: u32,
    },
    /// The ranks of a host have different modes or working directories.
    #[error(
        "ranks of one host are to live partly as threads, or several in a process of their own, or in several working \
         directories"
    )]
    Modes,
    /// The receiving host is not one of the job's.
    #[error("this is to be host {host} of a job of {hosts} hosts, counted from 0")]
    NoHost {
        /// The host's number.
        host: u32,
        /// Hosts of the job.
        hosts: usize,
    },
    /// Numbers of hosts or processes are too large, or out of order.
    #[error("the numbers of the job's hosts or processes, or those of others, are not in order")]
    Numbers,
    /// There are several hosts, but no connection with the launcher.
    #[error("this host has no connection with mpiexec, which a job of several hosts needs")]
    NoControl,
    /// A path depends on the working directory.
    #[error("{path} is not an absolute path")]
    RelativePath {
        /// The path.
        path: String,
    },
    /// The name of a variable of the environment is empty or contains `=`.
    #[error("{name:?} cannot be the name of an environment variable")]
    EnvName {
        /// The name.
        name: String,
    },
}
