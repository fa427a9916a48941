//! The members of a universe, and its reactions to their messages.

use super::member::{Member, are_own};
use super::shares::Shares;
use super::stage::WireUps;
use crate::connections::Connections;
use crate::ports::{Asker, Ports};
use crate::universe::message::{FromServer, ToServer};
use simurgh_mpi::limits::MAX_LATER_HOSTS;
use simurgh_net::HostId;
use simurgh_net::control::{Answer, Question};
use simurgh_net::job::Realm;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Instant;

/// The state of a universe. It sends nothing itself: its user sends what [`Registry::outbox`] returns.
pub(super) struct Registry {
    pub(super) members: BTreeMap<Realm, Member>,
    /// The last realm that has been assigned.
    last: Realm,
    shares: Shares,
    pub(super) ports: Ports,
    /// The connections between all worlds that have not been released.
    pub(super) connections: Connections,
    /// Worlds whose ranks have ended, and which have not been released.
    pub(super) ended: BTreeSet<u32>,
    /// The messages of members that have failed.
    pub(super) failed: BTreeMap<Realm, String>,
    pub(super) wire_ups: WireUps,
    outbox: Vec<(Realm, FromServer)>,
}

/// A violation of the protocol, in words that follow "its mpiexec says".
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProtocolError(pub(super) &'static str);

impl Registry {
    pub(super) fn new() -> Self {
        Self {
            members: BTreeMap::new(),
            last: Realm::default(),
            shares: Shares::new(MAX_LATER_HOSTS),
            ports: Ports::of_universe(),
            connections: Connections::default(),
            ended: BTreeSet::new(),
            failed: BTreeMap::new(),
            wire_ups: WireUps::default(),
            outbox: Vec::new(),
        }
    }

    /// Makes a peer a member, with so many hosts; returns its realm and shares, or the reason of a refusal.
    pub(super) fn enroll(&mut self, hosts: u32) -> Result<(Realm, Vec<u32>), String> {
        if self.last == Realm::MAX {
            let most = Realm::MAX.0;
            return Err(format!(
                "it has had {most} jobs, the most there can be; start another one"
            ));
        }
        let shares = self.shares.take(hosts as usize)?;
        self.last = Realm(self.last.0 + 1);
        let member = Member::new(self.last, shares.clone());
        self.members.insert(self.last, member);
        Ok((self.last, shares))
    }

    /// Whether a realm still belongs to a member.
    pub(super) fn has(&self, realm: Realm) -> bool {
        self.members.contains_key(&realm)
    }

    /// The messages that are to be sent, in this order.
    pub(super) fn outbox(&mut self) -> Vec<(Realm, FromServer)> {
        std::mem::take(&mut self.outbox)
    }

    /// Queues a message for a member, unless it has left.
    pub(super) fn queue(&mut self, realm: Realm, message: FromServer) {
        if self.has(realm) {
            self.outbox.push((realm, message));
        }
    }

    /// Queues the answers to questions.
    pub(super) fn answer(&mut self, answers: impl IntoIterator<Item = (Asker, Answer)>) {
        for (asker, answer) in answers {
            self.queue(Realm::of(asker.host), FromServer::Answer { asker, answer });
        }
    }

    /// Handles a message of a member.
    pub(super) fn handle(&mut self, realm: Realm, message: ToServer) -> Result<(), ProtocolError> {
        match message {
            ToServer::Enroll { .. } => {
                return Err(ProtocolError("that it enrolls, which it has done already"));
            }
            ToServer::Ask { asker, question } => return self.asked(realm, asker, question),
            ToServer::Turn => self.wants_turn(realm),
            ToServer::Gathered { peers } | ToServer::New { peers } if !are_own(realm, &peers) => {
                return Err(ProtocolError("where hosts of other jobs are"));
            }
            ToServer::Gathered { peers } => return self.gathered(realm, Ok(peers)),
            ToServer::Declined { reason } => return self.gathered(realm, Err(reason)),
            ToServer::New { peers } => return self.has_new_hosts(realm, peers),
            ToServer::Met => return self.met(realm),
            ToServer::Tied { a, b, so } => return self.set_connected(realm, a, b, so),
            ToServer::Ended { world } => return self.world_ended(realm, world),
            ToServer::Gone {
                world,
                first_host,
                hosts,
            } => return self.world_gone(realm, world, first_host, hosts),
            ToServer::Failed { message } => self.leave(realm, Some(message)),
            ToServer::Farewell => self.leave(realm, None),
        }
        Ok(())
    }

    /// When something is to be done, even if nothing happens.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        let times = [self.wire_ups.next_deadline(), self.ports.next_deadline()];
        times.into_iter().flatten().min()
    }

    /// Does what is due at that time.
    pub(super) fn expire(&mut self, now: Instant) {
        self.remove_silent(now);
        let given_up = self.ports.refuse_expired(now);
        self.answer(given_up);
    }

    fn asked(&mut self, realm: Realm, asker: Asker, question: Question) -> Result<(), ProtocolError> {
        if Realm::of(asker.host) != realm {
            return Err(ProtocolError("that a host of another job asks"));
        }
        let outcome = self.ports.handle(asker, question);
        self.answer(outcome.answers);
        if let Some((one, other)) = outcome.met {
            self.meet(one, other);
        }
        Ok(())
    }

    /// Removes a member: its job has ended well, or has failed for this reason.
    pub(super) fn leave(&mut self, realm: Realm, failure: Option<String>) {
        let Some(member) = self.members.remove(&realm) else {
            return;
        };
        if let Some(message) = failure {
            self.fail(realm, &message);
            self.failed.insert(realm, message);
        }
        for hosts in member.known.into_values() {
            self.report_gone(member.group, realm, hosts);
        }
        let first = realm.number(0);
        self.ports.forget(&(first..first + Realm::SIZE));
        self.shares.give_back(member.shares);
        self.abandon(realm);
        self.forget_worlds_of(realm);
    }

    /// Tells the others of a group that hosts of one member are gone.
    pub(super) fn report_gone(&mut self, group: Realm, of: Realm, hosts: Range<HostId>) {
        let (first_host, hosts) = (hosts.start, hosts.len() as u32);
        for realm in self.group(group).into_iter().filter(|&realm| realm != of) {
            self.queue(realm, FromServer::Gone { first_host, hosts });
        }
    }

    /// The members of a group.
    pub(super) fn group(&self, group: Realm) -> BTreeSet<Realm> {
        let members = self.members.iter().filter(|(_, member)| member.group == group);
        members.map(|(&realm, _)| realm).collect()
    }
}
