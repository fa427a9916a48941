//! How a job came to be, and which numbers it has in its universe.

use super::{HostShare, JobError, MAX_RANKS, Realm};
use crate::HostId;
use crate::encoding::Bytes;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Longest description of the parents, in bytes.
const MAX_PARENT: usize = 64 << 10;

/// How a job came to be: from a command line, which the default says, or from a program that runs.
///
/// All that one launcher has started is numbered in the order in which it starts; a job's hosts, and its processes,
/// follow each other. Where jobs of several launchers can meet, each numbers them within its [`Realm`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// What the launcher's numbers belong to.
    pub realm: Realm,
    /// The number of the job: the realm's first if it is the launcher's command line.
    pub world: u32,
    /// The number of its first host.
    pub first_host: HostId,
    /// The number of its first process.
    pub first_process: u32,
    /// What those who started it want it to know; absent if it is the launcher's command line.
    pub parent: Option<Bytes>,
    /// How many nodes there are on which anything that the launcher starts could run.
    pub nodes: u32,
    /// The [`Place::share`] of each of its hosts; if there are none, their numbers.
    pub shares: Vec<u32>,
    /// How many hosts of other jobs are on each node, as far as there are such.
    pub neighbours: Vec<u32>,
}

/// Where a host is, and what lives on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The node, by number.
    pub node: u32,
    /// The number of its job.
    pub world: u32,
    /// The number of the first of its processes.
    pub first: u32,
    /// How many processes live on it.
    pub processes: u32,
    /// Of hosts that do not belong to the command line's job, a number that no other one which is there has.
    pub share: u32,
}

impl Place {
    /// The number behind its last process's.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.first.saturating_add(self.processes)
    }
}

impl Origin {
    pub(super) fn validate(&self, hosts: &[HostShare], processes: u32) -> Result<(), JobError> {
        let numbers = |first: u32, count: u64| u64::from(first)..u64::from(first) + count;
        let own_hosts = numbers(self.first_host, hosts.len() as u64);
        let own_processes = numbers(self.first_process, processes.into());
        let is_own = |numbers: &Range<u64>| self.realm.has_all(numbers.clone());
        let last = self.realm.number(0) + Realm::SIZE;
        let fits = self.realm <= Realm::MAX
            && is_own(&own_hosts)
            && own_hosts.end <= last.into()
            && is_own(&own_processes)
            && own_processes.end - u64::from(self.realm.number(0)) <= MAX_RANKS.into()
            && self.realm.has(self.world)
            && hosts.iter().all(|host| host.node < Realm::SIZE)
            && self
                .parent
                .as_ref()
                .is_none_or(|bytes| bytes.0.len() <= MAX_PARENT)
            && (self.shares.is_empty() && self.realm.is_alone() || self.shares.len() == hosts.len());
        if fits { Ok(()) } else { Err(JobError::Numbers) }
    }
}
