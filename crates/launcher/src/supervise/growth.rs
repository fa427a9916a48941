//! Other programs beside those that run: a world more.
//!
//! Worlds that are asked for start at once, beside each other. When the hosts of one have joined, all hosts that are
//! there are introduced to them before they run (see [`simurgh_net::control`]), so each host can be reached by each
//! other one, whoever comes to have to do with whom. That is done for one world after the other, in the order of their
//! numbers, so that hosts hear of each other in that order. Until it begins, nobody has been told of the new hosts:
//! what goes wrong until then is an answer to who has asked, and after that the end of the job.

use super::far::Far;
use super::wire_up::introductions;
use super::{Member, Supervisor, start_host};
use crate::error::LaunchError;
use crate::nodes::Room;
use crate::spawn;
use crate::start::Starter;
use crate::universe::Asker;
use simurgh_mpi::limits::MAX_LATER_HOSTS;
use simurgh_net::control::{Address, Answer, Bytes, Command, Refusal, ToHost};
use simurgh_net::job::Origin;
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

/// What is being started.
#[derive(Default)]
pub(super) struct Growth {
    /// Worlds whose hosts have been started, by their numbers.
    coming: VecDeque<Coming>,
    /// How far the introduction of the first of them has come, if it has begun.
    introduction: Option<Stage>,
    /// Numbers of processes that have been given away.
    processes: u32,
}

/// That somebody wants programs to be started.
pub(super) struct Wish {
    pub(super) asker: Asker,
    pub(super) commands: Vec<Command>,
    pub(super) parent: Bytes,
}

/// A world that is being started.
struct Coming {
    asker: Asker,
    answer: Answer,
    hosts: Range<usize>,
}

/// How far an introduction has come.
enum Stage {
    /// These have yet to say where the new hosts can reach them.
    Opening(BTreeSet<usize>),
    /// These have yet to connect to the new hosts.
    Meeting(BTreeSet<usize>),
    /// These have yet to connect to all others: they are the new ones.
    Beginning(BTreeSet<usize>),
}

impl Growth {
    /// Whether hosts are being introduced to each other.
    pub(super) fn is_introducing(&self) -> bool {
        self.introduction.is_some()
    }

    /// The world that is the first to be introduced.
    fn first_hosts(&self) -> Option<Range<usize>> {
        self.coming.front().map(|coming| coming.hosts.clone())
    }

    /// The place, among those that are coming, of a world that nobody has been told of, by one of its hosts.
    fn untold(&self, host: usize) -> Option<usize> {
        let place = self.coming.iter().position(|coming| coming.hosts.contains(&host));
        place.filter(|&place| place > 0 || !self.is_introducing())
    }
}

impl Supervisor<'_> {
    /// Whether a host is one of those that nobody has been told of.
    pub(super) fn is_starting(&self, host: usize) -> bool {
        self.growth.untold(host).is_some()
    }

    /// Somebody wants programs to be started.
    pub(super) fn wish(&mut self, wish: Wish) {
        let asker = wish.asker;
        if let Err(error) = self.start_world(wish) {
            self.answer_to(asker, Answer::refused(Refusal::Spawn, error.to_string()));
        }
    }

    fn start_world(&mut self, wish: Wish) -> Result<(), LaunchError> {
        let Wish {
            asker,
            commands,
            parent,
        } = wish;
        let first = self.members.len();
        let process = self.growth.processes.max(self.starter.spec().total_ranks()?);
        let origin = Origin {
            realm: self.starter.spec().origin.realm,
            world: self.worlds.next(),
            first_host: first as u32,
            first_process: process,
            parent: Some(parent),
            nodes: self.starter.spec().origin.nodes,
            shares: Vec::new(),
            neighbours: self.hosts_of_nodes(),
        };
        let here = Room::here();
        let room = self.far.as_ref().map_or(&here, Far::room);
        let mut spec = spawn::describe(self.starter.spec(), room, &commands, origin)?;
        let taken = self.members.iter().filter_map(Member::share);
        spec.origin.shares = free_shares(taken, spec.hosts.len())?;
        let processes: Vec<u32> = spec.sections.iter().map(|section| section.ranks).collect();
        let total = spec.total_ranks()?;
        let starter = self.starter.beside(spec)?;
        let started = self.start_beside(&starter);
        // Also if not all could be started: what is there has its numbers.
        let hosts = first..self.members.len();
        let parent = self.members[asker.host as usize].world();
        let world = self.worlds.add_for(parent, hosts.len());
        self.silence.grow(hosts.end);
        if let Err(error) = started {
            self.forget_world(world);
            return Err(error);
        }
        self.growth.processes = process + total;
        let answer = Answer::Spawned {
            first: process,
            processes,
        };
        self.growth.coming.push_back(Coming { asker, answer, hosts });
        Ok(())
    }

    fn start_beside(&mut self, starter: &Starter) -> Result<(), LaunchError> {
        if let Some(far) = &mut self.far {
            self.members.extend(far.start_beside(starter.spec()));
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
        if let Some(far) = &mut self.far {
            far.forget(&hosts);
        }
        self.silence.part(hosts.clone());
        self.members[hosts].iter_mut().for_each(Member::forget);
        self.forget_memories();
    }

    /// The world of a host cannot be started, as nobody but who has asked for it is to learn.
    pub(super) fn give_up_growth(&mut self, host: usize, reason: String) {
        let Some(place) = self.growth.untold(host) else {
            return;
        };
        let Some(given_up) = self.growth.coming.remove(place) else {
            return;
        };
        self.forget_world(self.members[host].world());
        self.answer_to(given_up.asker, Answer::refused(Refusal::Spawn, reason));
        self.go_on_growing();
    }

    /// A new host has joined, or there is time for the next world: when all hosts of the first one have joined, those
    /// that are there are asked to say where they can be reached.
    pub(super) fn go_on_growing(&mut self) {
        let Some(new) = self.growth.first_hosts() else {
            return;
        };
        let has_come = self.members[new].iter().all(Member::has_joined);
        if self.growth.is_introducing() || !has_come {
            return;
        }
        let there = self.present();
        self.growth.introduction = Some(Stage::Opening(there.clone()));
        for host in there {
            self.tell_one(host, ToHost::Grow { far: false });
        }
    }

    /// A host says where it can be reached: when all have, they are told of the new ones.
    pub(super) fn opened(&mut self, host: usize, addresses: Vec<Address>) {
        self.members[host].reopen(addresses);
        let Some(Stage::Opening(missing)) = &mut self.growth.introduction else {
            return;
        };
        missing.remove(&host);
        if missing.is_empty() {
            let (new, there) = (self.growth.first_hosts().unwrap_or_default(), self.present());
            self.growth.introduction = Some(Stage::Meeting(there.clone()));
            self.introduce_to(&there, new, true);
            self.tell_each(there, &ToHost::Meet);
        }
    }

    /// A host has connected to those of which it has been told. When all have that were there, the new ones are set
    /// going; when these have, too, nobody looks for a host any more that is about to end.
    pub(super) fn met(&mut self, host: usize) {
        let Some(stage) = &mut self.growth.introduction else {
            return;
        };
        let (Stage::Meeting(missing) | Stage::Beginning(missing)) = stage else {
            return;
        };
        missing.remove(&host);
        if !missing.is_empty() {
            return;
        }
        if matches!(stage, Stage::Meeting(_)) {
            return self.set_going();
        }
        self.growth.introduction = None;
        self.growth.coming.pop_front();
        // Who has waited for the introduction to end goes before the next one begins.
        self.release();
        self.go_on_growing();
    }

    /// Tells the new hosts of all others, and who has asked for them that they run.
    fn set_going(&mut self) {
        let others = self.present();
        let Some(coming) = self.growth.coming.front() else {
            return;
        };
        let (asker, answer, new) = (coming.asker, coming.answer.clone(), coming.hosts.clone());
        self.growth.introduction = Some(Stage::Beginning(new.clone().collect()));
        let to = new.clone().collect();
        self.introduce_to(&to, others, true);
        self.introduce_to(&to, new.clone(), false);
        self.tell_each(new, &ToHost::Go);
        self.answer_to(asker, answer);
    }

    /// The hosts that are there, of whom others know.
    fn present(&self) -> BTreeSet<usize> {
        let known = self
            .growth
            .first_hosts()
            .map_or(self.members.len(), |new| new.start);
        let hosts = self.members[..known].iter().enumerate();
        let there = hosts.filter(|(_, member)| member.is_there());
        there.map(|(host, _)| host).collect()
    }

    /// How many hosts there are on each node.
    fn hosts_of_nodes(&self) -> Vec<u32> {
        let mut hosts = Vec::new();
        for member in self.members.iter().filter(|member| member.is_there()) {
            let node = member.place().node as usize;
            hosts.resize(hosts.len().max(node + 1), 0);
            hosts[node] += 1;
        }
        hosts
    }

    /// Tells hosts of others, `with_places` if they know nothing of them, and gives them the memory that those of other
    /// worlds on their nodes share.
    fn introduce_to(&mut self, to: &BTreeSet<usize>, of: impl IntoIterator<Item = usize>, with_places: bool) {
        let of: Vec<usize> = of.into_iter().collect();
        let peers = of
            .iter()
            .filter_map(|&host| self.members[host].as_peer(with_places));
        let peers = peers.filter(|peer| with_places || !peer.addresses.is_empty());
        for message in introductions(peers) {
            self.tell_each(to.iter().copied(), &message);
        }
        if !self.starter.spec().shares_memory() {
            return;
        }
        let houses: BTreeSet<(u32, u32)> = of.iter().map(|&host| self.house(host)).collect();
        for (node, world) in houses {
            let hosts = self.worlds.hosts(world);
            let hosts = hosts.filter(|&host| self.members[host].place().node == node);
            let memory = ToHost::Memory {
                hosts: hosts.map(|host| host as u32).collect(),
            };
            let near = to.iter().copied().filter(|&host| {
                let (own_node, own_world) = self.house(host);
                own_node == node && own_world != world
            });
            self.tell_each(near.collect::<Vec<_>>(), &memory);
        }
    }

    /// The node of a host and its world.
    fn house(&self, host: usize) -> (u32, u32) {
        let place = self.members[host].place();
        (place.node, place.world)
    }
}

/// The lowest shares, so many, of those that are not taken.
fn free_shares(taken: impl Iterator<Item = u32>, number: usize) -> Result<Vec<u32>, LaunchError> {
    let taken: BTreeSet<u32> = taken.collect();
    let free = (0..MAX_LATER_HOSTS).filter(|share| !taken.contains(share));
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
        let shares = |taken: &[u32], number| free_shares(taken.iter().copied(), number).unwrap();
        assert_eq!(shares(&[], 2), [0, 1]);
        assert_eq!(shares(&[0, 3, 1], 3), [2, 4, 5]);
    }

    #[test]
    fn more_hosts_than_there_can_be_are_refused() {
        assert!(free_shares(1..MAX_LATER_HOSTS, 1).is_ok());
        let refused = free_shares(1..MAX_LATER_HOSTS, 2).unwrap_err().to_string();
        assert!(
            refused.contains("2 more hosts beside 4095 are too many"),
            "{refused}"
        );
    }
}
