//! Spawning: a further world beside those that run.
//!
//! Worlds that ranks ask for start at once and at the same time. When all hosts of a world have joined, they are wired
//! up with all hosts that are there, so that each host can reach each other one. Then they run. Worlds are wired up one
//! after the other, in the order of their numbers, so that all hosts hear of new ones in the same order. Until its
//! wire-up begins, no other host has been told of a new world: a failure until then is an answer to the rank that has
//! asked. A failure after that ends the job.

use super::dynamic_wire_up::Stage;
use super::remote::RemoteNodes;
use super::{Supervisor, start_host};
use crate::describe::spawn;
use crate::error::LaunchError;
use crate::hosts::{Member, Starter};
use crate::nodes::NodePool;
use crate::ports::Asker;
use simurgh_mpi::limits::MAX_LATER_HOSTS;
use simurgh_net::control::{Answer, Command, Refusal};
use simurgh_net::encoding::Bytes;
use simurgh_net::job::{JobSpec, Origin, Realm};
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

/// The worlds that are being started.
#[derive(Default)]
pub(super) struct Spawning {
    /// Worlds whose hosts have been started, in the order of their numbers.
    starting: VecDeque<StartingWorld>,
    /// The stage of the current wire-up: that of the first world, or of hosts of other launchers.
    pub(super) wire_up: Option<Stage>,
    /// The number of process numbers that have been assigned.
    processes: u32,
}

/// A request of a rank to spawn programs.
pub(super) struct SpawnRequest {
    pub(super) asker: Asker,
    pub(super) commands: Vec<Command>,
    pub(super) parent: Bytes,
}

/// A world that is being started.
struct StartingWorld {
    asker: Asker,
    answer: Answer,
    hosts: Range<usize>,
}

impl Spawning {
    /// Whether a wire-up is under way.
    pub(super) fn is_wiring_up(&self) -> bool {
        self.wire_up.is_some()
    }

    /// The hosts of the world that is wired up next.
    pub(super) fn first_hosts(&self) -> Option<Range<usize>> {
        self.starting.front().map(|starting| starting.hosts.clone())
    }

    /// The world that is wired up next: the rank that has asked for it, the answer, and its hosts.
    pub(super) fn first(&self) -> Option<(Asker, Answer, Range<usize>)> {
        let starting = self.starting.front()?;
        Some((starting.asker, starting.answer.clone(), starting.hosts.clone()))
    }

    /// The first world runs.
    pub(super) fn is_begun(&mut self) {
        self.starting.pop_front();
    }

    /// The index of a world that no other host has been told of, by one of its hosts.
    fn unannounced(&self, host: usize) -> Option<usize> {
        let place = self
            .starting
            .iter()
            .position(|starting| starting.hosts.contains(&host));
        let is_being_told = self.wire_up.as_ref().is_some_and(Stage::is_own);
        place.filter(|&place| place > 0 || !is_being_told)
    }
}

impl Supervisor<'_> {
    /// Whether a host belongs to a world that no other host has been told of.
    pub(super) fn is_starting(&self, host: usize) -> bool {
        self.spawning.unannounced(host).is_some()
    }

    /// Spawns programs. A failure is answered.
    pub(super) fn spawn(&mut self, request: SpawnRequest) {
        let asker = request.asker;
        if let Err(error) = self.start_world(request) {
            self.answer_to(asker, Answer::refused(Refusal::Spawn, error.to_string()));
        }
    }

    fn start_world(&mut self, request: SpawnRequest) -> Result<(), LaunchError> {
        self.check_may_spawn()?;
        let asker = request.asker;
        let realm = self.starter.spec().origin.realm;
        let first = self.members.len();
        let process = self.spawning.processes.max(self.starter.spec().total_ranks()?);
        let spec = self.describe_world(request, process)?;
        let processes: Vec<u32> = spec.sections.iter().map(|section| section.ranks).collect();
        let total = spec.total_ranks()?;
        fits(realm, process, total)?;
        let starter = self.starter.beside(spec)?;
        let started = self.start_beside(&starter);
        // Hosts that could be started before another could not keep their numbers, too.
        let hosts = first..self.members.len();
        let parent = self.member_of(asker.host).map(|host| self.members[host].world());
        let world = self.worlds.add_for(parent, hosts.len());
        if let Some(parent) = parent {
            self.report_connection(parent, world);
        }
        self.quiescence.grow(hosts.end);
        if let Err(error) = started {
            self.forget_world(world);
            return Err(error);
        }
        self.spawning.processes = process + total;
        let answer = Answer::Spawned {
            first: realm.number(process),
            processes,
        };
        self.spawning
            .starting
            .push_back(StartingWorld { asker, answer, hosts });
        Ok(())
    }

    /// The job description of a world whose first process has number `process`.
    fn describe_world(&self, request: SpawnRequest, process: u32) -> Result<JobSpec, LaunchError> {
        let first = self.starter.spec();
        let realm = first.origin.realm;
        let origin = Origin {
            realm,
            world: self.worlds.next(),
            first_host: realm.number(self.members.len() as u32),
            first_process: realm.number(process),
            parent: Some(request.parent),
            nodes: first.origin.nodes,
            shares: Vec::new(),
            neighbours: self.hosts_of_nodes(),
        };
        let here = NodePool::here();
        let pool = self.remote.as_ref().map_or(&here, RemoteNodes::pool);
        let mut spec = spawn::describe(first, pool, &request.commands, origin)?;
        let taken = self.members.iter().filter_map(Member::share);
        spec.origin.shares = match &self.other_jobs {
            Some(other_jobs) => free_shares(other_jobs.shares(), taken, spec.hosts.len())?,
            None => free_shares(0..MAX_LATER_HOSTS, taken, spec.hosts.len())?,
        };
        Ok(spec)
    }

    fn start_beside(&mut self, starter: &Starter) -> Result<(), LaunchError> {
        if let Some(remote) = &mut self.remote {
            self.members.extend(remote.start_beside(starter.spec()));
            return Ok(());
        }
        for (host, _) in (0..).zip(&starter.spec().hosts) {
            self.members.push(start_host(starter, host)?);
        }
        Ok(())
    }

    /// Kills the hosts of a world that no other host has been told of. Messages of them may still be on their way, so
    /// their numbers are not assigned again.
    fn forget_world(&mut self, world: u32) {
        let hosts = self.worlds.forget(world);
        if let Some(remote) = &mut self.remote {
            remote.forget(&self.members[hosts.clone()]);
        }
        self.quiescence.remove(hosts.clone());
        self.members[hosts].iter_mut().for_each(Member::forget);
        self.forget_memories();
        self.report_gone(world);
    }

    /// The world of a host cannot be started. Only the rank that has asked for it hears of that.
    pub(super) fn give_up_spawn(&mut self, host: usize, reason: String) {
        let Some(place) = self.spawning.unannounced(host) else {
            return;
        };
        let Some(given_up) = self.spawning.starting.remove(place) else {
            return;
        };
        self.forget_world(self.members[host].world());
        self.answer_to(given_up.asker, Answer::refused(Refusal::Spawn, reason));
        self.continue_wire_up();
    }

    /// The world that is being wired up cannot be made known to all. Hosts that have been told of it forget it.
    pub(super) fn give_up_announced(&mut self, reason: String) {
        let Some(given_up) = self.spawning.starting.pop_front() else {
            return;
        };
        self.spawning.wire_up = None;
        let (first, hosts) = (&self.members[given_up.hosts.start], given_up.hosts.len() as u32);
        let (number, world) = (first.number(), first.world());
        self.forget_world(world);
        self.announce_gone_hosts(number, hosts);
        self.answer_to(given_up.asker, Answer::refused(Refusal::Spawn, reason));
    }

    /// The number of hosts on each node.
    fn hosts_of_nodes(&self) -> Vec<u32> {
        let mut hosts = Vec::new();
        for member in self.members.iter().filter(|member| member.is_there()) {
            let node = member.node() as usize;
            hosts.resize(hosts.len().max(node + 1), 0);
            hosts[node] += 1;
        }
        hosts
    }
}

/// Checks that a realm has numbers for `more` processes beside those that are `there`.
///
/// # Errors
///
/// When it has not.
pub(crate) fn fits(realm: Realm, there: u32, more: u32) -> Result<(), LaunchError> {
    match !realm.is_alone() && u64::from(there) + u64::from(more) > Realm::SIZE.into() {
        true => Err(LaunchError::FullRealm { there, more }),
        false => Ok(()),
    }
}

/// The lowest shares that are not taken.
///
/// # Errors
///
/// When there are fewer than `number`.
fn free_shares(
    all: impl IntoIterator<Item = u32>,
    taken: impl Iterator<Item = u32>,
    number: usize,
) -> Result<Vec<u32>, LaunchError> {
    let taken: BTreeSet<u32> = taken.collect();
    let free = all.into_iter().filter(|share| !taken.contains(share));
    let shares: Vec<u32> = free.take(number).collect();
    match shares.len() == number {
        true => Ok(shares),
        false => Err(LaunchError::TooManyHosts {
            there: taken.len(),
            more: number,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_hosts_that_have_gone_are_used_again() {
        let all = || 0..MAX_LATER_HOSTS;
        let shares = |taken: &[u32], number| free_shares(all(), taken.iter().copied(), number).unwrap();
        assert_eq!(shares(&[], 2), [0, 1]);
        assert_eq!(shares(&[0, 3, 1], 3), [2, 4, 5]);
        assert_eq!(free_shares([1, 5, 9], [5].into_iter(), 2).unwrap(), [1, 9]);
    }

    #[test]
    fn more_hosts_than_there_can_be_are_refused() {
        assert!(free_shares(0..MAX_LATER_HOSTS, 1..MAX_LATER_HOSTS, 1).is_ok());
        let refused = free_shares(0..MAX_LATER_HOSTS, 1..MAX_LATER_HOSTS, 2)
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("2 more hosts beside 16383 are too many"),
            "{refused}"
        );
    }
}
