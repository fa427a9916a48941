//! The jobs that one launcher runs: that of the command line, and those that running ranks have asked for.
//!
//! `MPI_Finalize` is collective over all processes that are connected with each other. So hosts are let go when the
//! ranks of all worlds that have to do with theirs have ended, by chains as well; the others go on.

use super::ending::Phase;
use super::{GRACE, Member, Supervisor};
use crate::universe::Ties;
use simurgh_net::control::ToHost;
use std::ops::Range;

/// The worlds.
#[derive(Default)]
pub(super) struct Worlds {
    worlds: Vec<World>,
    ties: Ties,
}

/// What has been started together.
struct World {
    /// Its hosts, among all.
    hosts: Range<usize>,
    /// It has been let go.
    released: bool,
}

impl Worlds {
    /// A world of so many hosts more; its number.
    pub(super) fn add(&mut self, hosts: usize) -> u32 {
        let first = self.worlds.last().map_or(0, |world| world.hosts.end);
        self.worlds.push(World {
            hosts: first..first + hosts,
            released: false,
        });
        (self.worlds.len() - 1) as u32
    }

    /// A world that ranks of another one have asked for, of so many hosts; its number.
    pub(super) fn add_for(&mut self, parent: u32, hosts: usize) -> u32 {
        let child = self.add(hosts);
        self.ties.suppose(parent, child);
        child
    }

    /// The number of the next world.
    pub(super) fn next(&self) -> u32 {
        self.worlds.len() as u32
    }

    /// Lets go of a world, which has to do with no other any more; its hosts.
    pub(super) fn forget(&mut self, world: u32) -> Range<usize> {
        self.worlds[world as usize].released = true;
        self.ties.forget(world);
        self.hosts(world)
    }

    /// Its hosts.
    pub(super) fn hosts(&self, world: u32) -> Range<usize> {
        self.worlds[world as usize].hosts.clone()
    }

    /// The worlds that may end now, by whether all ranks of a world have ended.
    fn due(&self, has_ended: impl Fn(u32) -> bool) -> Vec<u32> {
        let number = self.worlds.len() as u32;
        let left: Vec<u32> = (0..number)
            .filter(|&world| !self.worlds[world as usize].released)
            .collect();
        let groups = self.ties.groups(&left);
        let due = groups
            .into_iter()
            .filter(|group| group.iter().all(|&world| has_ended(world)));
        due.flatten().collect()
    }
}

impl Supervisor<'_> {
    /// A host has communicators with ranks of another world, or has none any more.
    pub(super) fn connected(&mut self, host: usize, world: u32, so: bool) {
        if (world as usize) < self.worlds.worlds.len() {
            let own = self.members[host].world();
            self.worlds.ties.tell(host as u32, own, world, so);
            self.release();
        }
    }

    /// Takes note of the end of a host's ranks; when all that they have to do with have ended, so may the hosts.
    pub(super) fn ranks_ended(&mut self, host: usize, status: u8) {
        self.members[host].ended = Some(status);
        if status != 0 {
            self.status.get_or_insert(status);
        }
        self.release();
    }

    /// Lets go of the worlds that may end.
    pub(super) fn release(&mut self) {
        if self.growth.is_introducing() {
            // Who is about to be introduced has to be there.
            return;
        }
        let members = &self.members;
        let has_ended = |world: u32| {
            let mut hosts = self.worlds.hosts(world);
            hosts.all(|host| members[host].ended.is_some())
        };
        let due = self.worlds.due(has_ended);
        if due.is_empty() {
            return;
        }
        for &world in &due {
            for host in self.worlds.forget(world) {
                self.members[host].released = true;
                self.ports.forget(host as u32);
                self.tell_one(host, ToHost::End);
            }
        }
        self.forget_memories();
        if self.worlds.worlds.iter().all(|world| world.released) {
            return self.all_have_ended();
        }
        for &world in &due {
            self.bid_farewell(world);
        }
    }

    /// Closes the memory that hosts have shared which have been let go.
    pub(super) fn forget_memories(&self) {
        let is_there = |host: u32| {
            let member = self.members.get(host as usize);
            member.is_some_and(|member| !member.released)
        };
        self.starter.memories().retain(is_there);
    }

    fn all_have_ended(&mut self) {
        if self.members.iter().any(Member::is_program) {
            return self.enter(Phase::Leaving, None);
        }
        self.status.get_or_insert(0);
        self.enter(Phase::Ending, Some(GRACE));
    }

    /// Tells all others that the hosts of a world are gone. Those that are quiet say so again, as they count anew what
    /// they have sent and received.
    fn bid_farewell(&mut self, world: u32) {
        let gone = self.worlds.hosts(world);
        self.silence.part(gone.clone());
        let (first, hosts) = (gone.start as u32, gone.len() as u32);
        for host in 0..self.members.len() {
            if !self.members[host].released && !self.members[host].is_gone() {
                self.tell_one(host, ToHost::Gone { first, hosts });
                self.tell_one(host, ToHost::StillQuiet { wave: 0 });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worlds(number: usize) -> Worlds {
        let mut worlds = Worlds::default();
        for _ in 0..number {
            worlds.add(2);
        }
        worlds
    }

    fn due(worlds: &Worlds, ended: &[u32]) -> Vec<u32> {
        let mut due = worlds.due(|world| ended.contains(&world));
        due.sort_unstable();
        due
    }

    #[test]
    fn worlds_end_with_those_that_they_have_to_do_with() {
        let mut worlds = worlds(4);
        worlds.ties.tell(0, 0, 1, true);
        worlds.ties.tell(4, 2, 1, true);
        assert_eq!(due(&worlds, &[3]), [3]);
        assert!(due(&worlds, &[0, 1]).is_empty());
        assert_eq!(due(&worlds, &[0, 1, 2]), [0, 1, 2]);
        worlds.ties.tell(4, 2, 1, false);
        assert_eq!(due(&worlds, &[0, 1]), [0, 1]);
    }

    #[test]
    fn a_tie_lasts_as_long_as_one_host_has_it() {
        let mut worlds = worlds(2);
        for (host, own) in [(0, 0), (1, 0), (2, 1)] {
            worlds.ties.tell(host, own, 1 - own, true);
        }
        worlds.ties.tell(0, 0, 1, false);
        worlds.ties.tell(2, 1, 0, false);
        assert!(due(&worlds, &[1]).is_empty());
        worlds.ties.tell(1, 0, 1, false);
        assert_eq!(due(&worlds, &[1]), [1]);
    }

    #[test]
    fn a_world_is_tied_to_that_which_it_was_started_for_until_a_host_tells() {
        let mut worlds = worlds(1);
        assert_eq!(worlds.add_for(0, 1), 1);
        assert!(due(&worlds, &[1]).is_empty());
        worlds.ties.tell(2, 1, 0, true);
        worlds.ties.tell(2, 1, 0, false);
        assert_eq!(due(&worlds, &[1]), [1]);
    }

    #[test]
    fn hosts_follow_each_other_and_are_not_numbered_again() {
        let mut worlds = worlds(2);
        assert_eq!((worlds.hosts(0), worlds.hosts(1)), (0..2, 2..4));
        assert_eq!(worlds.forget(1), 2..4);
        assert_eq!(worlds.add(3), 2);
        assert_eq!(worlds.hosts(2), 4..7);
        assert_eq!(due(&worlds, &[0, 1, 2]), [0, 2]);
    }
}
