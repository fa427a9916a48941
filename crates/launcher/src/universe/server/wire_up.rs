//! Wire-up between jobs: of two groups whose ranks meet, or of a new world with its group.
//!
//! One wire-up follows the other. In each stage every member that takes part sends one message, and the next stage
//! begins when all have. A member that leaves is not waited for. One that is silent for too long is removed.

use super::providers;
use super::registry::{ProtocolError, Registry};
use super::stage::{Gathering, PATIENCE, Pair, Request, Stage, is_of, realm_of};
use crate::ports::Visitor;
use crate::universe::message::FromServer;
use simurgh_net::control::{Answer, Peer, Refusal};
use simurgh_net::job::Realm;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// The refusal for a visitor whose partner's job leaves.
const HAS_LEFT: &str = "the job at the other end of the port has ended";

impl Registry {
    /// Two ranks have met. They are answered when their hosts can reach each other.
    pub(super) fn meet(&mut self, one: Visitor, other: Visitor) {
        let pair = (one, other);
        if self.share_group(&pair) && !self.wire_ups.concerns(&pair) {
            return self.answer_pair(pair);
        }
        self.wire_ups.waiting.push_back(Request::Meeting(pair));
        self.start_next();
    }

    /// A member has a new world.
    pub(super) fn wants_turn(&mut self, realm: Realm) {
        self.wire_ups.waiting.push_back(Request::Turn(realm));
        self.start_next();
    }

    fn group_of(&self, realm: &Realm) -> Option<Realm> {
        self.members.get(realm).map(|member| member.group)
    }

    fn share_group(&self, (one, other): &Pair) -> bool {
        self.group_of(&realm_of(one)) == self.group_of(&realm_of(other))
    }

    /// Answers two ranks that have met.
    fn answer_pair(&mut self, (one, other): Pair) {
        let meeting = self.ports.meeting();
        self.answer(one.meets(other, meeting));
    }

    fn refuse(&mut self, (one, other): Pair, reason: &str) {
        let refused = [one, other].map(|visitor| (visitor.asker, Answer::refused(Refusal::Port, reason)));
        self.answer(refused);
    }

    /// Begins the next wire-up, if none is under way.
    fn start_next(&mut self) {
        while self.wire_ups.current.is_none() {
            match self.wire_ups.waiting.pop_front() {
                None => return,
                Some(Request::Turn(realm)) => {
                    self.wire_ups.enter(Stage::OwnHosts(realm));
                    self.queue(realm, FromServer::Granted);
                }
                Some(Request::Meeting(pair)) if self.share_group(&pair) => self.answer_pair(pair),
                Some(Request::Meeting(pair)) => self.gather(pair),
            }
        }
    }

    /// Begins the wire-up of two groups: asks all members for their hosts.
    fn gather(&mut self, pair: Pair) {
        let groups = [&pair.0, &pair.1]
            .into_iter()
            .filter_map(|visitor| self.group_of(&realm_of(visitor)));
        let all: BTreeSet<Realm> = groups.flat_map(|group| self.group(group)).collect();
        for &realm in &all {
            self.queue(realm, FromServer::Gather);
        }
        self.wire_ups.enter(Stage::Gathering(Gathering {
            pair,
            missing: all.clone(),
            all,
            said: BTreeMap::new(),
            declined: None,
        }));
    }

    /// A member has sent the addresses of its hosts, or the reason why they cannot be reached.
    pub(super) fn gathered(
        &mut self,
        realm: Realm,
        said: Result<Vec<Peer>, String>,
    ) -> Result<(), ProtocolError> {
        match &mut self.wire_ups.current {
            Some(Stage::Gathering(gathering)) if gathering.missing.contains(&realm) => {
                gathering.take(realm, said);
            }
            _ => return Err(ProtocolError("where its hosts are, without having been asked")),
        }
        self.check();
        Ok(())
    }

    /// The hosts of a member have connected to those that they were told of.
    pub(super) fn met(&mut self, realm: Realm) -> Result<(), ProtocolError> {
        match &mut self.wire_ups.current {
            Some(Stage::Meeting { missing, .. } | Stage::GroupHosts { missing, .. })
                if missing.contains(&realm) =>
            {
                missing.remove(&realm);
            }
            _ => {
                return Err(ProtocolError(
                    "that its hosts have connected to others, without having been asked",
                ));
            }
        }
        self.check();
        Ok(())
    }

    /// A member has wired up new hosts to its own. Now the others of its group do the same.
    pub(super) fn has_new_hosts(&mut self, realm: Realm, peers: Vec<Peer>) -> Result<(), ProtocolError> {
        match &self.wire_ups.current {
            Some(Stage::OwnHosts(turn)) if *turn == realm => {}
            _ => {
                return Err(ProtocolError("that it has new hosts, when it is not its turn"));
            }
        }
        let Some(member) = self.members.get_mut(&realm) else {
            return Ok(());
        };
        member.make_known(&peers);
        let group = member.group;
        let mut missing = self.group(group);
        missing.remove(&realm);
        let missing = self.ask_to_meet(missing, &peers);
        self.wire_ups.enter(Stage::GroupHosts { of: realm, missing });
        self.check();
        Ok(())
    }

    /// Tells members to have their hosts connect to these; returns the members that will answer.
    fn ask_to_meet(&mut self, members: BTreeSet<Realm>, peers: &[Peer]) -> BTreeSet<Realm> {
        if peers.is_empty() {
            return BTreeSet::new();
        }
        for &realm in &members {
            let peers = peers.to_vec();
            self.queue(realm, FromServer::Meet { peers });
        }
        members
    }

    /// Goes on to the next stage, if no answer is missing.
    fn check(&mut self) {
        if !self.wire_ups.missing().is_empty() {
            return;
        }
        match self.wire_ups.current.take() {
            Some(Stage::Gathering(gathering)) => self.merge(gathering),
            Some(Stage::Meeting { pair, all, .. }) => {
                let left = [&pair.0, &pair.1]
                    .into_iter()
                    .any(|visitor| !self.has(realm_of(visitor)));
                self.conclude(all, pair, left.then_some(HAS_LEFT));
            }
            Some(Stage::GroupHosts { of, .. }) => {
                self.queue(of, FromServer::Introduced);
                self.start_next();
            }
            other => self.wire_ups.current = other,
        }
    }

    /// Removes the members whose answers have been missing for too long.
    pub(super) fn remove_silent(&mut self, now: Instant) {
        if self.wire_ups.next_deadline().is_none_or(|until| now < until) {
            return;
        }
        for realm in self.wire_ups.missing() {
            let message = format!("its mpiexec has not answered for {} s", PATIENCE.as_secs());
            self.leave(realm, Some(message));
        }
    }

    /// All members of two groups have sent their addresses: the groups become one, and their hosts connect.
    fn merge(&mut self, gathering: Gathering) {
        let Gathering {
            pair,
            all,
            said,
            declined,
            ..
        } = gathering;
        let declined = declined.or_else(|| providers::differ(said.values().flatten()));
        if declined.is_some() {
            return self.conclude(all, pair, declined.as_deref());
        }
        let (near, far): (BTreeMap<_, _>, BTreeMap<_, _>) = said
            .into_iter()
            .partition(|(realm, _)| self.group_of(realm) == self.group_of(&realm_of(&pair.0)));
        let group = near.keys().next().copied().unwrap_or_default();
        for (realm, peers) in near.iter().chain(&far) {
            if let Some(member) = self.members.get_mut(realm) {
                member.make_known(peers);
                member.group = group;
            }
        }
        let mut missing = BTreeSet::new();
        for (to, of) in [(&near, &far), (&far, &near)] {
            let peers: Vec<Peer> = of.values().flatten().cloned().collect();
            missing.extend(self.ask_to_meet(to.keys().copied().collect(), &peers));
        }
        self.wire_ups.enter(Stage::Meeting { pair, missing, all });
        self.check();
    }

    /// A wire-up is over: its members are told, and then the two ranks for which it was made.
    fn conclude(&mut self, all: BTreeSet<Realm>, pair: Pair, refused: Option<&str>) {
        for realm in all {
            self.queue(realm, FromServer::Introduced);
        }
        match refused {
            Some(reason) => self.refuse(pair, reason),
            None => self.answer_pair(pair),
        }
        self.start_next();
    }

    /// A member has left: its answers are not waited for.
    pub(super) fn abandon(&mut self, realm: Realm) {
        let waiting = std::mem::take(&mut self.wire_ups.waiting);
        for request in waiting {
            match request {
                Request::Turn(turn) if turn == realm => {}
                Request::Meeting(pair) if is_of(realm, &pair) => self.refuse(pair, HAS_LEFT),
                request => self.wire_ups.waiting.push_back(request),
            }
        }
        match &mut self.wire_ups.current {
            Some(Stage::Gathering(gathering)) => {
                gathering.missing.remove(&realm);
                gathering.said.remove(&realm);
                if is_of(realm, &gathering.pair) {
                    gathering.declined = Some(HAS_LEFT.to_owned());
                }
            }
            Some(Stage::Meeting { missing, .. } | Stage::GroupHosts { missing, .. }) => {
                missing.remove(&realm);
            }
            Some(Stage::OwnHosts(turn)) if *turn == realm => self.wire_ups.current = None,
            Some(Stage::OwnHosts(_)) | None => {}
        }
        self.check();
        self.start_next();
    }
}
