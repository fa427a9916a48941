//! Other programs beside those that run: a world more.
//!
//! One at a time, in the order in which they are asked for. All hosts that are there are introduced to the new ones
//! before these run (see [`simurgh_net::control`]), so each host can be reached by each other one, whoever comes to
//! have to do with whom. Until the new hosts have all joined, nobody has been told of them: what goes wrong until then
//! is an answer to who has asked, and after that the end of the job.

use super::far::Far;
use super::questions::Asker;
use super::wire_up::introductions;
use super::{Supervisor, start_host};
use crate::error::LaunchError;
use crate::nodes::Room;
use crate::spawn;
use crate::start::Starter;
use rustix::process::Signal;
use simurgh_net::control::{Address, Answer, Bytes, Command, Refusal, ToHost};
use simurgh_net::job::{Origin, Place};
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// What is being started, and what is to be started next.
#[derive(Default)]
pub(super) struct Growth {
    wishes: VecDeque<Wish>,
    current: Option<Current>,
    /// Numbers of processes that have been given away.
    processes: u32,
    /// Worlds that could not be started.
    failed: u64,
}

/// That somebody wants programs to be started.
pub(super) struct Wish {
    pub(super) asker: Asker,
    pub(super) commands: Vec<Command>,
    pub(super) parent: Bytes,
}

/// A world that is being started.
struct Current {
    asker: Asker,
    answer: Answer,
    hosts: Range<usize>,
    stage: Stage,
}

/// How far it has come.
enum Stage {
    /// Its hosts have yet to join.
    Joining,
    /// These have yet to say where the new hosts can reach them.
    Opening(BTreeSet<usize>),
    /// These have yet to connect to the new hosts.
    Meeting(BTreeSet<usize>),
    /// These have yet to connect to all others: they are the new ones.
    Beginning(BTreeSet<usize>),
}

impl Growth {
    /// How many worlds could not be started: while it is the same, so are the hosts' numbers.
    pub(super) fn failed(&self) -> u64 {
        self.failed
    }

    /// Whether a world is being started.
    pub(super) fn is_under_way(&self) -> bool {
        self.current.is_some()
    }
}

impl Supervisor<'_> {
    /// Whether a host is one of those that nobody has been told of.
    pub(super) fn is_starting(&self, host: usize) -> bool {
        let current = self.growth.current.as_ref();
        current
            .is_some_and(|current| matches!(current.stage, Stage::Joining) && current.hosts.contains(&host))
    }

    /// Somebody wants programs to be started.
    pub(super) fn wish(&mut self, wish: Wish) {
        self.growth.wishes.push_back(wish);
        self.fulfil();
    }

    /// Begins with the next wish, if nothing is being started.
    fn fulfil(&mut self) {
        while !self.growth.is_under_way() {
            let Some(wish) = self.growth.wishes.pop_front() else {
                return self.release();
            };
            let asker = wish.asker;
            if let Err(error) = self.start_world(wish) {
                self.answer_to(asker, Answer::refused(Refusal::Spawn, error.to_string()));
            }
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
            world: self.worlds.next(),
            first_host: first as u32,
            first_process: process,
            parent: Some(parent),
            nodes: self.starter.spec().origin.nodes,
            shares: Vec::new(),
            others: self.places(),
        };
        let here = Room::here();
        let room = self.far.as_ref().map_or(&here, Far::room);
        let mut spec = spawn::describe(self.starter.spec(), room, &commands, origin)?;
        spec.origin.shares = self.free_shares(spec.hosts.len());
        let processes: Vec<u32> = spec.sections.iter().map(|section| section.ranks).collect();
        let (hosts, total) = (spec.hosts.len(), spec.total_ranks()?);
        let starter = self.starter.beside(spec)?;
        self.worlds.add_for(self.members[asker.host].world(), hosts);
        (0..hosts).for_each(|_| self.silence.add());
        if let Err(error) = self.start_beside(&starter) {
            self.forget_hosts(first);
            return Err(error);
        }
        self.growth.processes = process + total;
        self.growth.current = Some(Current {
            asker,
            answer: Answer::Spawned {
                first: process,
                processes,
            },
            hosts: first..first + hosts,
            stage: Stage::Joining,
        });
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

    /// Ends hosts that nobody has been told of, and forgets that there were any from `first` on. If they have been
    /// started by agents, something of them may still be on its way, so their numbers are not given away again.
    fn forget_hosts(&mut self, first: usize) {
        if let Some(far) = &mut self.far {
            far.forget(&(first..self.members.len()));
            for member in &mut self.members[first..] {
                member.has_exited(ExitStatus::from_raw(Signal::KILL.as_raw()));
                member.ended = Some(0);
                member.released = true;
            }
            return self.worlds.release_last();
        }
        for member in &mut self.members[first..] {
            member.signal(Signal::KILL);
            let _ = member.wait();
        }
        self.members.truncate(first);
        self.starter.memories().retain(|host| (host as usize) < first);
        self.silence.truncate(first);
        self.worlds.forget_last();
    }

    /// What is being started cannot be, as nobody but who has asked is to learn.
    pub(super) fn give_up_growth(&mut self, reason: String) {
        let Some(current) = self.growth.current.take() else {
            return;
        };
        if let Answer::Spawned { first, .. } = current.answer {
            self.growth.processes = first;
        }
        self.growth.failed += 1;
        self.forget_hosts(current.hosts.start);
        self.answer_to(current.asker, Answer::refused(Refusal::Spawn, reason));
        self.fulfil();
    }

    /// A new host has joined: when all have, those that are there are asked to say where they can be reached.
    pub(super) fn go_on_growing(&mut self) {
        let Some(current) = &self.growth.current else {
            return;
        };
        let new = current.hosts.clone();
        if !self.members[new.clone()].iter().all(super::Member::has_joined) {
            return;
        }
        let there = self.present();
        if let Some(current) = &mut self.growth.current {
            current.stage = Stage::Opening(there.clone());
        }
        for host in there {
            self.tell_one(host, ToHost::Grow);
        }
    }

    /// A host says where it can be reached: when all have, they are told of the new ones.
    pub(super) fn opened(&mut self, host: usize, addresses: Vec<Address>) {
        self.members[host].reopen(addresses);
        let there = self.present();
        let Some(Current { stage, hosts, .. }) = &mut self.growth.current else {
            return;
        };
        let Stage::Opening(missing) = stage else { return };
        missing.remove(&host);
        if missing.is_empty() {
            let new = hosts.clone();
            *stage = Stage::Meeting(there.clone());
            self.introduce_to(&there, new, true);
            self.tell_each(there, &ToHost::Meet);
        }
    }

    /// A host has connected to those of which it has been told. When all have that were there, the new ones are set
    /// going; when these have, too, nobody looks for a host any more that is about to end.
    pub(super) fn met(&mut self, host: usize) {
        let Some(Current { stage, .. }) = &mut self.growth.current else {
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
        self.growth.current = None;
        self.fulfil();
    }

    /// Tells the new hosts of all others, and who has asked for them that they run.
    fn set_going(&mut self) {
        let others = self.present();
        let Some(current) = &mut self.growth.current else {
            return;
        };
        let (asker, answer, new) = (current.asker, current.answer.clone(), current.hosts.clone());
        current.stage = Stage::Beginning(new.clone().collect());
        let all: BTreeSet<usize> = others.iter().copied().chain(new.clone()).collect();
        self.introduce_to(&new.clone().collect(), all, false);
        self.tell_each(new, &ToHost::Go);
        self.answer_to(asker, answer);
    }

    /// The hosts that are there.
    fn present(&self) -> BTreeSet<usize> {
        let new = self
            .growth
            .current
            .as_ref()
            .map_or(0..0, |current| current.hosts.clone());
        let hosts = self.members.iter().enumerate();
        let there = hosts.filter(|(_, member)| !member.released && !member.is_gone());
        there
            .map(|(host, _)| host)
            .filter(|host| !new.contains(host))
            .collect()
    }

    /// Where the hosts are that are there.
    fn places(&self) -> Vec<(u32, Place)> {
        let there = self.present().into_iter();
        there
            .map(|host| (host as u32, self.members[host].place()))
            .collect()
    }

    /// The lowest shares that no host has which is there.
    fn free_shares(&self, number: usize) -> Vec<u32> {
        let places = self.places().into_iter().map(|(_, place)| place);
        let taken: BTreeSet<u32> = places
            .filter(|place| place.world > 0)
            .map(|place| place.share)
            .collect();
        (0..)
            .filter(|share| !taken.contains(share))
            .take(number)
            .collect()
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
