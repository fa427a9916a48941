//! Termination in a universe: connected worlds are released together, and fail together.

use super::registry::{ProtocolError, Registry};
use crate::universe::message::FromServer;
use simurgh_net::HostId;
use simurgh_net::job::Realm;
use std::collections::{BTreeMap, BTreeSet};

impl Registry {
    /// A member reports that two worlds are connected, or are not any more.
    pub(super) fn set_connected(
        &mut self,
        realm: Realm,
        a: u32,
        b: u32,
        so: bool,
    ) -> Result<(), ProtocolError> {
        if Realm::of(a) != realm || a == b {
            return Err(ProtocolError("that worlds are connected which are not its own"));
        }
        let other = Realm::of(b);
        let is_there = self
            .members
            .get(&other)
            .is_some_and(|member| !member.gone.contains(&b));
        if !so || is_there {
            self.connections.report(realm.0, a, b, so);
            self.release();
        } else if let Some(message) = self.failed.get(&other) {
            let message = message.clone();
            self.queue(realm, FromServer::Failed { message });
        }
        // Nobody waits for a world that has been released: its ranks had nothing more to do with this one.
        Ok(())
    }

    /// All ranks of a world have ended.
    pub(super) fn world_ended(&mut self, realm: Realm, world: u32) -> Result<(), ProtocolError> {
        if Realm::of(world) != realm {
            return Err(ProtocolError("that a world of another job has ended"));
        }
        self.ended.insert(world);
        self.release();
        Ok(())
    }

    /// A world has been released.
    pub(super) fn world_gone(
        &mut self,
        realm: Realm,
        world: u32,
        first_host: HostId,
        hosts: u32,
    ) -> Result<(), ProtocolError> {
        let end = first_host.saturating_add(hosts);
        if [world, first_host].map(Realm::of) != [realm; 2] || end > realm.number(0) + Realm::SIZE {
            return Err(ProtocolError("that a world of another job is gone"));
        }
        self.ports.forget(&(first_host..end));
        self.forget_worlds(|other| other == world);
        let Some(member) = self.members.get_mut(&realm) else {
            return Ok(());
        };
        member.gone.insert(world);
        if let Some(known) = member.known.remove(&world) {
            let group = member.group;
            self.report_gone(group, realm, known);
        }
        Ok(())
    }

    /// Releases the worlds that may end: connected groups all of whose ranks have ended.
    fn release(&mut self) {
        let worlds: Vec<u32> = self.connections.worlds().union(&self.ended).copied().collect();
        let groups = self.connections.groups(&worlds).into_iter();
        let due = groups.filter(|group| group.iter().all(|world| self.ended.contains(world)));
        let mut due_of: BTreeMap<Realm, Vec<u32>> = BTreeMap::new();
        for world in due.flatten() {
            due_of.entry(Realm::of(world)).or_default().push(world);
        }
        for (realm, worlds) in due_of {
            self.forget_worlds(|world| worlds.contains(&world));
            self.queue(realm, FromServer::Release { worlds });
        }
    }

    /// A member has failed: so have those whose worlds are connected with its own.
    pub(super) fn fail(&mut self, realm: Realm, message: &str) {
        let worlds: Vec<u32> = self.connections.worlds().into_iter().collect();
        let groups = self.connections.groups(&worlds).into_iter();
        let hit = groups.filter(|group| group.iter().any(|&world| Realm::of(world) == realm));
        let connected: BTreeSet<Realm> = hit.flatten().map(Realm::of).collect();
        for other in connected {
            let message = message.to_owned();
            self.queue(other, FromServer::Failed { message });
        }
    }

    /// All worlds of a member that has left are gone.
    pub(super) fn forget_worlds_of(&mut self, realm: Realm) {
        self.forget_worlds(|world| Realm::of(world) == realm);
        self.release();
    }

    fn forget_worlds(&mut self, are_gone: impl Fn(u32) -> bool) {
        self.ended.retain(|&world| !are_gone(world));
        self.connections.forget_all(are_gone);
    }
}
