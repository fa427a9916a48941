//! The origin of a job, and the numbers that it has in its universe.

use super::{HostShare, JobError, MAX_RANKS, Realm};
use crate::HostId;
use crate::encoding::Bytes;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Longest description of the parents, in bytes.
const MAX_PARENT: usize = 64 << 10;

/// The origin of a job: a command line, for which the default is, or a running program.
///
/// All hosts, processes and worlds that one launcher has started are numbered in the order in which they start. The
/// hosts of a job have consecutive numbers, and so have its processes. Where jobs of several launchers can meet, each
/// launcher numbers within its [`Realm`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The launcher's realm.
    pub realm: Realm,
    /// The number of the job's world; the job of the launcher's command line has the first number of the realm.
    pub world: u32,
    /// The number of its first host.
    pub first_host: HostId,
    /// The number of its first process.
    pub first_process: u32,
    /// The message of the parents to the job; absent for the job of the launcher's command line.
    pub parent: Option<Bytes>,
    /// The number of nodes on which the launcher could start something.
    pub nodes: u32,
    /// The [`Place::share`] of each host of the job; if empty, the hosts' numbers.
    pub shares: Vec<u32>,
    /// The number of hosts of other jobs on each node, if there are such.
    pub neighbours: Vec<u32>,
}

/// The place of a host: where it is, and what lives on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The number of its node.
    pub node: u32,
    /// The number of its world.
    pub world: u32,
    /// The number of the first of its processes.
    pub first: u32,
    /// How many processes live on it.
    pub processes: u32,
    /// Of a host that does not belong to the command line's job, a number that no other running host has.
    pub share: u32,
}

impl Place {
    /// The number after that of its last process.
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
