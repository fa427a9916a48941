//! The worlds of one launcher: the job of the command line, and the spawned ones.
//!
//! `MPI_Finalize` is collective over all connected processes. So the hosts of a world are released when all ranks of
//! the worlds that are connected with it, directly or by chains, have ended; other worlds go on. If a world has ever
//! been connected with worlds of other launchers, the [universe](crate::universe) decides.

use super::Supervisor;
use super::milestone::Milestone;
use super::phase::{Phase, TIME_TO_FINISH};
use crate::connections::Connections;
use crate::hosts::Member;
use crate::universe::ToServer;
use simurgh_net::HostId;
use simurgh_net::control::ToHost;
use simurgh_net::job::Realm;
use std::collections::BTreeSet;
use std::ops::Range;

/// The worlds, by their numbers.
pub(super) struct Worlds {
    realm: Realm,
    worlds: Vec<World>,
    connections: Connections,
}

/// A world: what has been started together.
struct World {
    /// The indices of its hosts.
    hosts: Range<usize>,
    /// All its ranks have ended.
    has_ended: Milestone,
    /// Whether it has been released.
    released: bool,
    /// Whether it has ever been connected with worlds of other launchers.
    has_met_others: bool,
}

impl Worlds {
    /// No worlds yet, of a launcher whose numbers belong to this realm.
    pub(super) fn of(realm: Realm) -> Self {
        Self {
            realm,
            worlds: Vec::new(),
            connections: Connections::default(),
        }
    }

    /// The index of a world, if it is one of the launcher's.
    fn place(&self, world: u32) -> Option<usize> {
        let place = self.realm.local(world)? as usize;
        (place < self.worlds.len()).then_some(place)
    }

    /// A world that is one of the launcher's.
    fn own(&self, world: u32) -> &World {
        let place = self.place(world);
        &self.worlds[place.expect("it is one of the launcher's")]
    }

    /// Adds a world of so many hosts; returns its number.
    pub(super) fn add(&mut self, hosts: usize) -> u32 {
        let first = self.worlds.last().map_or(0, |world| world.hosts.end);
        self.worlds.push(World {
            hosts: first..first + hosts,
            has_ended: Milestone::default(),
            released: false,
            has_met_others: false,
        });
        self.realm.number((self.worlds.len() - 1) as u32)
    }

    /// Adds a world that ranks of `parent`, if that is known, have spawned; returns its number.
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

    /// Releases a world, which has no connections any more; returns its hosts.
    pub(super) fn forget(&mut self, world: u32) -> Range<usize> {
        if let Some(place) = self.place(world) {
            self.worlds[place].released = true;
        }
        self.connections.forget(world);
        self.hosts(world)
    }

    /// A host of world `own` reports whether it has communicators with ranks of world `other`.
    fn set_connected(&mut self, host: u32, own: u32, other: u32, so: bool) {
        self.connections.report(host, own, other, so);
        if let (Some(place), None) = (self.place(own), self.place(other)) {
            self.worlds[place].has_met_others = true;
        }
    }

    /// Whether two worlds are directly connected, as far as hosts have reported. The first one is the launcher's.
    pub(super) fn are_connected(&self, own: u32, other: u32) -> bool {
        self.connections.are_connected(own, other)
    }

    /// Whether a world of another launcher is connected with one that has not been released.
    pub(super) fn are_connected_to(&self, other: u32) -> bool {
        self.left().any(|own| self.are_connected(own, other))
    }

    /// The worlds that have not been released.
    fn left(&self) -> impl Iterator<Item = u32> {
        let numbered = (0..).zip(&self.worlds).filter(|(_, world)| !world.released);
        numbered.map(|(place, _)| self.realm.number(place))
    }

    /// The hosts of a world.
    pub(super) fn hosts(&self, world: u32) -> Range<usize> {
        self.own(world).hosts.clone()
    }

    /// The worlds that may be released now. `has_ended` says whether all ranks of a world have ended. Of worlds that
    /// have been connected with other launchers', only those in `freed` are released, by the word of the universe. If
    /// the universe is lost, `freed` is none, and what is known here decides.
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
    /// A host reports that it has communicators with ranks of another world, or has none any more.
    pub(super) fn connected(&mut self, host: usize, world: u32, so: bool) {
        // A world that is gone is connected with nobody.
        if self.worlds.place(world).is_some() || self.knows_world(world) {
            let member = &self.members[host];
            let own = member.world();
            self.worlds.set_connected(member.number(), own, world, so);
            self.report_connection(own, world);
            self.release();
        }
    }

    /// All ranks of a host have ended. When those of all connected worlds have, the hosts are released.
    pub(super) fn ranks_ended(&mut self, host: usize, status: u8) {
        self.members[host].ended = Some(status);
        if status != 0 {
            self.status.get_or_insert(status);
        }
        let world = self.members[host].world();
        if self.has_world_ended(world) {
            self.send_to_universe(&ToServer::Ended { world });
        }
        self.release();
    }

    /// Whether all ranks of a world have ended.
    fn has_world_ended(&self, world: u32) -> bool {
        let World { hosts, has_ended, .. } = self.worlds.own(world);
        has_ended.is_reached(&self.members[hosts.clone()], |member| member.ended.is_some())
    }

    /// Releases the worlds that may end.
    pub(super) fn release(&mut self) {
        if self.spawning.is_wiring_up() {
            // Hosts that others are about to connect to have to be there.
            return;
        }
        let due = self.worlds.due(|world| self.has_world_ended(world), self.freed());
        if due.is_empty() {
            return;
        }
        for &world in &due {
            self.release_world(world);
        }
        self.forget_memories();
        if self.worlds.left().next().is_none() {
            return self.all_have_ended();
        }
        for &world in &due {
            self.announce_gone(world);
        }
    }

    /// Releases a world.
    fn release_world(&mut self, world: u32) {
        for host in self.worlds.forget(world) {
            let member = &mut self.members[host];
            member.released = true;
            let number = member.number();
            self.ports.forget(&(number..number + 1));
            self.send_to(host, ToHost::End);
        }
        self.report_gone(world);
    }

    /// Closes the memory of hosts that have been released.
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
        self.enter(Phase::Finishing, Some(TIME_TO_FINISH));
    }

    /// Tells all other hosts that those of a world are gone. Quiet hosts report again, since they count their packets
    /// anew.
    fn announce_gone(&mut self, world: u32) {
        let gone = self.worlds.hosts(world);
        self.quiescence.remove(gone.clone());
        let hosts = gone.len() as u32;
        if let Some(first) = self.members.get(gone.start).map(Member::number) {
            self.announce_gone_hosts(first, hosts);
        }
    }

    /// Tells all hosts that are there that others are gone.
    pub(super) fn announce_gone_hosts(&mut self, first: HostId, hosts: u32) {
        for host in 0..self.members.len() {
            if self.members[host].is_there() {
                self.send_to(host, ToHost::Gone { first, hosts });
                self.send_to(host, ToHost::StillQuiet { wave: 0 });
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
    fn worlds_that_were_connected_with_others_end_when_the_universe_says_so() {
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
        // Without the universe, what is known here decides.
        assert_eq!(due(&worlds, &[a, b]), [a, b]);
    }

    #[test]
    fn worlds_end_with_those_that_they_are_connected_with() {
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
    fn a_connection_lasts_as_long_as_one_host_reports_it() {
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
    fn a_world_is_connected_with_its_parent_until_a_host_reports() {
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
