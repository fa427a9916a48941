//! How a job came to be, and which numbers it has among all that one launcher has started.

use super::{JobError, MAX_RANKS};
use crate::control::Bytes;
use serde::{Deserialize, Serialize};

/// Longest description of the parents, in bytes.
const MAX_PARENT: usize = 64 << 10;

/// How a job came to be: from a command line, which the default says, or from a program that runs.
///
/// All that one launcher has started is numbered in the order in which it starts; a job's hosts, and its processes,
/// follow each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The number of the job: 0 if it is the launcher's command line.
    pub world: u32,
    /// The number of its first host.
    pub first_host: u32,
    /// The number of its first process.
    pub first_process: u32,
    /// What those who started it want it to know; absent if it is the launcher's command line.
    pub parent: Option<Bytes>,
    /// How many nodes there are on which anything that the launcher starts could run.
    pub nodes: u32,
    /// How many hosts of other jobs there are on the receiving host's node.
    pub others: u32,
}

impl Origin {
    pub(super) fn validate(&self, hosts: usize, processes: u32) -> Result<(), JobError> {
        let end = |first: u32, count: u64| u64::from(first) + count;
        let most = u64::from(MAX_RANKS);
        let fits = end(self.first_host, hosts as u64) <= most
            && end(self.first_process, processes.into()) <= most
            && self
                .parent
                .as_ref()
                .is_none_or(|bytes| bytes.0.len() <= MAX_PARENT);
        if fits { Ok(()) } else { Err(JobError::Numbers) }
    }
}
