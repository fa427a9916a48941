//! The jobs that one launcher runs: that of the command line, and those that running ranks have asked for.
//!
//! `MPI_Finalize` is collective over all processes that are connected with each other. So hosts are let go when the
//! ranks of all worlds that have to do with theirs have ended, by chains as well; the others go on. If worlds of other
//! launchers have ever been among these, the [universe](crate::universe) knows when that is.

use super::Supervisor;
use super::phase::Phase;
use crate::connections::Connections;
use crate::hosts::Member;
use crate::process::GRACE;
use crate::universe::ToServer;
use simurgh_net::HostId;
use simurgh_net::control::ToHost;
use simurgh_net::job::Realm;
use std::collections::BTreeSet;
use std::ops::Range;

/// The worlds, by their numbers in the universe.
pub(super) struct Worlds {
    realm: Realm,
    worlds: Vec<World>,
    connections: Connections,
}

/// What has been started together.
struct World {
    /// Its hosts, among all.
    hosts: Range<usize>,
    /// It has been let go.
    released: bool,
    /// It has had to do with worlds of other launchers.
    has_met_others: bool,
}

impl Worlds {
    /// Of a launcher whose numbers belong to this realm; none yet.
    pub(super) fn of(realm: Realm) -> Self {
        Self {
            realm,
            worlds: Vec::new(),
            connections: Connections::default(),
        }
    }

    /// The place of a world, if it is one of the launcher's.
    fn place(&self, world: u32) -> Option<usize> {
        let place = self.realm.local(world)? as usize;
        (place < self.worlds.len()).then_some(place)
    }

    /// A world that is the launcher's.
    fn own(&self, world: u32) -> &World {
        let place = self.place(world);
        &self.worlds[place.expect("it is one of the launcher's")]
    }

    /// A world of so many hosts more; its number.
    pub(super) fn add(&mut self, hosts: usize) -> u32 {
        let first = self.worlds.last().map_or(0, |world| world.hosts.end);
        self.worlds.push(World {
            hosts: first..first + hosts,
            released: false,
            has_met_others: false,
        });
        self.realm.number((self.worlds.len() - 1) as u32)
    }

    /// A world that ranks of another one, if it is known, have asked for, of so many hosts; its number.
    pub(super) fn add_for(&mut self, parent: Option<u32>, hosts: usize) -> u32 {
        let child = self.add(hosts);
        if let Some(parent) = parent {
            self.connections.assume(parent, child);
        }
        child
    }

    /// The number of the next world.
    pub(super) fn next(&self) -> u32 {
        self.realm.number(self.worlds.len() as u32)
    }

    /// Lets go of a world, which has to do with no other any more; its hosts.
    pub(super) fn forget(&mut self, world: u32) -> Range<usize> {
        if let Some(place) = self.place(world) {
            self.worlds[place].released = true;
        }
        self.connections.forget(world);
        self.hosts(world)
    }

    /// Takes note that a host of a world has communicators with ranks of another one, or has none any more.
    fn set_connected(&mut self, host: u32, own: u32, other: u32, so: bool) {
        self.connections.tell(host, own, other, so);
        if let (Some(place), None) = (self.place(own), self.place(other)) {
            self.worlds[place].has_met_others = true;
        }
    }

    /// Whether two worlds, the first of which is the launcher's, have to do with each other as far as it is told.
    pub(super) fn are_connected(&self, own: u32, other: u32) -> bool {
        self.connections.are_connected(own, other)
    }

    /// Whether one that has not been let go has to do with another launcher's.
    pub(super) fn are_connected_to(&self, other: u32) -> bool {
        self.left().any(|own| self.are_connected(own, other))
    }

    /// Those that have not been let go.
    fn left(&self) -> impl Iterator<Item = u32> {
        let numbered = (0..).zip(&self.worlds).filter(|(_, world)| !world.released);
        numbered.map(|(place, _)| self.realm.number(place))
    }

    /// Its hosts.
    pub(super) fn hosts(&self, world: u32) -> Range<usize> {
        self.own(world).hosts.clone()
    }

    /// The worlds that may end now, by whether all ranks of a world have ended. Of those that have had to do with other
    /// launchers' the universe has let go of `freed`; if it is gone nobody does, and what is known here has to do.
    fn due(&self, has_ended: impl Fn(u32) -> bool, freed: Option<&BTreeSet<u32>>) -> Vec<u32> {
        let left: Vec<u32> = self.left().collect();
        let is_ours =
            |group: &Vec<u32>| freed.is_none() || !group.iter().any(|&world| self.own(world).has_met_others);
        let groups = self.connections.groups(&left).into_iter();
        let groups = groups.filter(|group| is_ours(group) && group.iter().all(|&world| has_ended(world)));
        let mut due: BTreeSet<u32> = groups.flatten().collect();
        let is_free = |world: &u32| freed.is_some_and(|freed| freed.contains(world));
        due.extend(
            left.into_iter()
                .filter(|world| is_free(world) && has_ended(*world)),
        );
        due.into_iter().collect()
    }
}

impl Supervisor<'_> {
    /// A host has communicators with ranks of another world, or has none any more.
    pub(super) fn connected(&mut self, host: usize, world: u32, so: bool) {
        // What has gone has to do with nobody.
        if self.worlds.place(world).is_some() || self.knows_world(world) {
            let member = &self.members[host];
            let own = member.world();
            self.worlds.set_connected(member.number(), own, world, so);
            self.tell_connection(own, world);
            self.release();
        }
    }

    /// Takes note of the end of a host's ranks; when all that they have to do with have ended, so may the hosts.
    pub(super) fn ranks_ended(&mut self, host: usize, status: u8) {
        self.members[host].ended = Some(status);
        if status != 0 {
            self.status.get_or_insert(status);
        }
        let world = self.members[host].world();
        if self.has_world_ended(world) {
            self.tell_universe(&ToServer::Ended { world });
        }
        self.release();
    }

    /// Whether all ranks of a world have ended.
    fn has_world_ended(&self, world: u32) -> bool {
        let mut hosts = self.worlds.hosts(world);
        hosts.all(|host| self.members[host].ended.is_some())
    }

    /// Lets go of the worlds that may end.
    pub(super) fn release(&mut self) {
        if self.spawning.is_introducing() {
            // Who is about to be introduced has to be there.
            return;
        }
        let due = self.worlds.due(|world| self.has_world_ended(world), self.freed());
        if due.is_empty() {
            return;
        }
        for &world in &due {
            self.let_go(world);
        }
        self.forget_memories();
        if self.worlds.left().next().is_none() {
            return self.all_have_ended();
        }
        for &world in &due {
            self.bid_farewell(world);
        }
    }

    /// Lets go of a world.
    fn let_go(&mut self, world: u32) {
        for host in self.worlds.forget(world) {
            let member = &mut self.members[host];
            member.released = true;
            let number = member.number();
            self.ports.forget(&(number..number + 1));
            self.tell_one(host, ToHost::End);
        }
        self.tell_gone(world);
    }

    /// Closes the memory that hosts have shared which have been let go.
    pub(super) fn forget_memories(&self) {
        let is_there = |host| {
            let member = self.member_of(host).map(|host| &self.members[host]);
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
        self.quiescence.remove(gone.clone());
        let hosts = gone.len() as u32;
        if let Some(first) = self.members.get(gone.start).map(Member::number) {
            self.tell_of_gone(first, hosts);
        }
    }

    /// Tells all hosts that are there that others are gone.
    pub(super) fn tell_of_gone(&mut self, first: HostId, hosts: u32) {
        for host in 0..self.members.len() {
            if self.members[host].is_there() {
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
        let mut worlds = Worlds::of(Realm::default());
        for _ in 0..number {
            worlds.add(2);
        }
        worlds
    }

    fn due(worlds: &Worlds, ended: &[u32]) -> Vec<u32> {
        worlds.due(|world| ended.contains(&world), None)
    }

    #[test]
    fn worlds_that_have_had_to_do_with_others_end_when_the_universe_says_so() {
        let realm = Realm(2);
        let mut worlds = Worlds::of(realm);
        let [a, b, c] = [(); 3].map(|()| worlds.add(1));
        assert_eq!((a, c), (realm.number(0), realm.number(2)));
        worlds.set_connected(b, b, a, true);
        let freed = |worlds: &Worlds, freed: &[u32]| {
            let freed = freed.iter().copied().collect();
            worlds.due(|world| world != c, Some(&freed))
        };
        assert_eq!(freed(&worlds, &[]), [a, b]);
        let other = Realm(1).number(0);
        worlds.set_connected(a, a, other, true);
        assert!(worlds.are_connected_to(other) && freed(&worlds, &[]).is_empty());
        worlds.set_connected(a, a, other, false);
        assert!(!worlds.are_connected_to(other) && freed(&worlds, &[]).is_empty());
        assert_eq!(freed(&worlds, &[b, c]), [b]);
        // Nobody knows better.
        assert_eq!(due(&worlds, &[a, b]), [a, b]);
    }

    #[test]
    fn worlds_end_with_those_that_they_have_to_do_with() {
        let mut worlds = worlds(4);
        worlds.set_connected(0, 0, 1, true);
        worlds.set_connected(4, 2, 1, true);
        assert_eq!(due(&worlds, &[3]), [3]);
        assert!(due(&worlds, &[0, 1]).is_empty());
        assert_eq!(due(&worlds, &[0, 1, 2]), [0, 1, 2]);
        worlds.set_connected(4, 2, 1, false);
        assert_eq!(due(&worlds, &[0, 1]), [0, 1]);
    }

    #[test]
    fn a_tie_lasts_as_long_as_one_host_has_it() {
        let mut worlds = worlds(2);
        for (host, own) in [(0, 0), (1, 0), (2, 1)] {
            worlds.set_connected(host, own, 1 - own, true);
        }
        worlds.set_connected(0, 0, 1, false);
        worlds.set_connected(2, 1, 0, false);
        assert!(due(&worlds, &[1]).is_empty());
        worlds.set_connected(1, 0, 1, false);
        assert_eq!(due(&worlds, &[1]), [1]);
    }

    #[test]
    fn a_world_is_tied_to_that_which_it_was_started_for_until_a_host_tells() {
        let mut worlds = worlds(1);
        assert_eq!(worlds.add_for(Some(0), 1), 1);
        assert!(due(&worlds, &[1]).is_empty());
        worlds.set_connected(2, 1, 0, true);
        worlds.set_connected(2, 1, 0, false);
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
