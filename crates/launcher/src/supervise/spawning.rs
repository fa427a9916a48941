//! Other programs beside those that run: a world more.
//!
//! Worlds that are asked for start at once, beside each other. When the hosts of one have joined, all hosts that are
//! there are introduced to them before they run (see [`simurgh_net::control`]), so each host can be reached by each
//! other one, whoever comes to have to do with whom. That is done for one world after the other, in the order of their
//! numbers, so that hosts hear of each other in that order. Until it begins, nobody has been told of the new hosts:
//! what goes wrong until then is an answer to who has asked, and after that the end of the job.

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
use simurgh_net::job::{Origin, Realm};
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

/// What is being started.
#[derive(Default)]
pub(super) struct Spawning {
    /// Worlds whose hosts have been started, by their numbers.
    coming: VecDeque<StartingWorld>,
    /// How far an introduction has come: that of the first of them, or of hosts of other launchers.
    pub(super) introduction: Option<Stage>,
    /// Numbers of processes that have been given away.
    processes: u32,
}

/// That somebody wants programs to be started.
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
    /// Whether hosts are being introduced to each other.
    pub(super) fn is_introducing(&self) -> bool {
        self.introduction.is_some()
    }

    /// The world that is the first to be introduced.
    pub(super) fn first_hosts(&self) -> Option<Range<usize>> {
        self.coming.front().map(|coming| coming.hosts.clone())
    }

    /// It, and who has asked for it and is to be told what.
    pub(super) fn first(&self) -> Option<(Asker, Answer, Range<usize>)> {
        let coming = self.coming.front()?;
        Some((coming.asker, coming.answer.clone(), coming.hosts.clone()))
    }

    /// It runs.
    pub(super) fn is_begun(&mut self) {
        self.coming.pop_front();
    }

    /// The place, among those that are coming, of a world that nobody has been told of, by one of its hosts.
    fn untold(&self, host: usize) -> Option<usize> {
        let place = self.coming.iter().position(|coming| coming.hosts.contains(&host));
        let is_being_told = self.introduction.as_ref().is_some_and(Stage::is_own);
        place.filter(|&place| place > 0 || !is_being_told)
    }
}

impl Supervisor<'_> {
    /// Whether a host is one of those that nobody has been told of.
    pub(super) fn is_starting(&self, host: usize) -> bool {
        self.spawning.untold(host).is_some()
    }

    /// Somebody wants programs to be started.
    pub(super) fn spawn(&mut self, request: SpawnRequest) {
        let asker = request.asker;
        if let Err(error) = self.start_world(request) {
            self.answer_to(asker, Answer::refused(Refusal::Spawn, error.to_string()));
        }
    }

    fn start_world(&mut self, request: SpawnRequest) -> Result<(), LaunchError> {
        let SpawnRequest {
            asker,
            commands,
            parent,
        } = request;
        self.check_may_spawn()?;
        let first = self.members.len();
        let process = self.spawning.processes.max(self.starter.spec().total_ranks()?);
        let realm = self.starter.spec().origin.realm;
        let origin = Origin {
            realm,
            world: self.worlds.next(),
            first_host: realm.number(first as u32),
            first_process: realm.number(process),
            parent: Some(parent),
            nodes: self.starter.spec().origin.nodes,
            shares: Vec::new(),
            neighbours: self.hosts_of_nodes(),
        };
        let here = NodePool::here();
        let pool = self.remote.as_ref().map_or(&here, RemoteNodes::pool);
        let mut spec = spawn::describe(self.starter.spec(), pool, &commands, origin)?;
        let taken = self.members.iter().filter_map(Member::share);
        spec.origin.shares = match &self.other_jobs {
            Some(other_jobs) => free_shares(other_jobs.shares(), taken, spec.hosts.len())?,
            None => free_shares(0..MAX_LATER_HOSTS, taken, spec.hosts.len())?,
        };
        let processes: Vec<u32> = spec.sections.iter().map(|section| section.ranks).collect();
        let total = spec.total_ranks()?;
        fits(realm, process, total)?;
        let starter = self.starter.beside(spec)?;
        let started = self.start_beside(&starter);
        // Also if not all could be started: what is there has its numbers.
        let hosts = first..self.members.len();
        let parent = self.member_of(asker.host).map(|host| self.members[host].world());
        let world = self.worlds.add_for(parent, hosts.len());
        parent
            .iter()
            .for_each(|&parent| self.tell_connection(parent, world));
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
            .coming
            .push_back(StartingWorld { asker, answer, hosts });
        Ok(())
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

    /// Ends the hosts of a world that nobody has been told of. Something of them may still be on its way, so their
    /// numbers are not given away again.
    fn forget_world(&mut self, world: u32) {
        let hosts = self.worlds.forget(world);
        if let Some(remote) = &mut self.remote {
            remote.forget(&self.members[hosts.clone()]);
        }
        self.quiescence.remove(hosts.clone());
        self.members[hosts].iter_mut().for_each(Member::forget);
        self.forget_memories();
        self.tell_gone(world);
    }

    /// The world of a host cannot be started, as nobody but who has asked for it is to learn.
    pub(super) fn give_up_spawn(&mut self, host: usize, reason: String) {
        let Some(place) = self.spawning.untold(host) else {
            return;
        };
        let Some(given_up) = self.spawning.coming.remove(place) else {
            return;
        };
        self.forget_world(self.members[host].world());
        self.answer_to(given_up.asker, Answer::refused(Refusal::Spawn, reason));
        self.continue_spawning();
    }

    /// The world that is being introduced cannot be made known to all: who has been told of its hosts parts from them.
    pub(super) fn give_up_announced(&mut self, reason: String) {
        let Some(given_up) = self.spawning.coming.pop_front() else {
            return;
        };
        self.spawning.introduction = None;
        let (first, hosts) = (&self.members[given_up.hosts.start], given_up.hosts.len() as u32);
        let (number, world) = (first.number(), first.world());
        self.forget_world(world);
        self.tell_of_gone(number, hosts);
        self.answer_to(given_up.asker, Answer::refused(Refusal::Spawn, reason));
    }

    /// How many hosts there are on each node.
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

/// Refuses so many more processes where there are some already, if a realm has no numbers for them.
pub(crate) fn fits(realm: Realm, there: u32, more: u32) -> Result<(), LaunchError> {
    match !realm.is_alone() && u64::from(there) + u64::from(more) > Realm::SIZE.into() {
        true => Err(LaunchError::FullRealm { there, more }),
        false => Ok(()),
    }
}

/// The lowest shares, so many, of those that are not taken.
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
