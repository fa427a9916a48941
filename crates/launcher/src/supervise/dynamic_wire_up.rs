//! Wire-up of hosts that come later: those of a spawned world, and those of other launchers.
//!
//! First the hosts that are there open their transports for the new ones and report their addresses. When all have,
//! they are told of the new hosts, and connect to them. Then it depends on the new hosts:
//!
//! | new hosts | next step |
//! |---|---|
//! | a spawned world | its hosts are told of all others, and run |
//! | the same, where hosts of other launchers are known | before that, the universe has those connect to the new ones |
//! | hosts of other launchers, after a meeting at a port | the universe says when all hosts of both have connected |
//! | a world that a known launcher has spawned | none |
//!
//! One wire-up follows the other, and no host is released meanwhile: a host that others are about to connect to has to
//! be there.

use super::Supervisor;
use super::wire_up::peers_messages;
use crate::hosts::Member;
use crate::universe::ToServer;
use simurgh_net::control::{Address, Peer, ToHost};
use std::collections::BTreeSet;

/// The stage of a wire-up. The sets have the hosts that have not done their part.
pub(super) enum Stage {
    /// For a new world: hosts report the addresses at which its hosts reach them.
    CollectingAddresses(BTreeSet<usize>),
    /// Hosts connect to those of the new world.
    Connecting(BTreeSet<usize>),
    /// Hosts of other launchers connect to those of the new world. The universe says when all have.
    Announced,
    /// The new hosts connect to all others.
    Starting(BTreeSet<usize>),
    /// For other launchers: hosts report the addresses at which theirs reach them.
    CollectingForOthers(BTreeSet<usize>),
    /// All hosts have. The universe says what comes next.
    Collected,
    /// Hosts connect to those of other launchers.
    ConnectingToOthers {
        missing: BTreeSet<usize>,
        /// Whether this follows `Collected`: then the universe says what comes next.
        collected: bool,
    },
}

impl Stage {
    /// Whether it is the wire-up of a new world of this launcher.
    pub(super) fn is_own(&self) -> bool {
        matches!(
            self,
            Self::CollectingAddresses(_) | Self::Connecting(_) | Self::Announced | Self::Starting(_)
        )
    }

    /// Takes note that a host has done its part; true if all have.
    fn is_done_by(&mut self, host: usize) -> bool {
        match self {
            Self::CollectingAddresses(missing)
            | Self::Connecting(missing)
            | Self::Starting(missing)
            | Self::CollectingForOthers(missing)
            | Self::ConnectingToOthers { missing, .. } => missing.remove(&host) && missing.is_empty(),
            Self::Announced | Self::Collected => false,
        }
    }
}

impl Supervisor<'_> {
    /// Begins the next wire-up, if none is under way. That of a new world begins when all its hosts have joined.
    pub(super) fn continue_wire_up(&mut self) {
        // After `Collected`, the wire-up waits for the universe.
        let is_busy = !matches!(self.spawning.wire_up, None | Some(Stage::Collected));
        if is_busy || self.next_task() || self.spawning.is_wiring_up() {
            return;
        }
        let new = self.spawning.first_hosts();
        let has_come = new.is_some_and(|new| self.members[new].iter().all(Member::has_joined));
        if !has_come {
            self.pass_turn();
        } else if self.is_its_turn() {
            let there = self.present();
            self.spawning.wire_up = Some(Stage::CollectingAddresses(there.clone()));
            self.send_to_each(there, &ToHost::Grow { far: false });
        }
    }

    /// Begins the wire-up with hosts of other launchers: the hosts that are there are asked for their addresses.
    pub(super) fn collect_for_others(&mut self) {
        let there = self.present();
        if there.is_empty() {
            return self.have_collected();
        }
        self.spawning.wire_up = Some(Stage::CollectingForOthers(there.clone()));
        self.send_to_each(there, &ToHost::Grow { far: true });
    }

    /// Has all hosts that are there connect to hosts of other launchers.
    pub(super) fn connect_to_others(&mut self, peers: Vec<Peer>) {
        let collected = matches!(self.spawning.wire_up, Some(Stage::Collected));
        let there = self.present();
        let missing = there.clone();
        self.spawning.wire_up = Some(Stage::ConnectingToOthers { missing, collected });
        if there.is_empty() || peers.is_empty() {
            return self.have_connected(collected);
        }
        for message in peers_messages(peers.into_iter()) {
            self.send_to_each(there.iter().copied(), &message);
        }
        self.send_to_each(there, &ToHost::Meet);
    }

    /// A host has reported its addresses. When all have, they are told of the new hosts.
    pub(super) fn opened(&mut self, host: usize, addresses: Vec<Address>) {
        self.members[host].reopen(addresses);
        let Some(stage) = &mut self.spawning.wire_up else {
            return;
        };
        if !stage.is_done_by(host) {
            return;
        }
        if !stage.is_own() {
            return self.have_collected();
        }
        let (new, there) = (self.spawning.first_hosts().unwrap_or_default(), self.present());
        self.spawning.wire_up = Some(Stage::Connecting(there.clone()));
        self.send_peers(&there, new, true);
        self.send_to_each(there, &ToHost::Meet);
    }

    /// Reports to the universe that hosts of other launchers cannot reach the hosts here.
    pub(super) fn decline(&mut self, reason: String) {
        self.send_to_universe(&ToServer::Declined { reason });
        self.wait_for_universe();
    }

    /// A host reports that hosts of other launchers cannot reach it: so the meeting fails.
    pub(super) fn cannot_be_reached(&mut self, host: usize, reason: &str) {
        if matches!(self.spawning.wire_up, Some(Stage::CollectingForOthers(_))) {
            self.decline(format!("host {host}: {reason}"));
        }
    }

    fn have_collected(&mut self) {
        let there = self.present();
        let peers = there.iter().filter_map(|&host| self.members[host].as_peer(true));
        let peers = peers.collect();
        self.send_to_universe(&ToServer::Gathered { peers });
        self.wait_for_universe();
    }

    /// Waits for the universe, unless it is lost.
    fn wait_for_universe(&mut self) {
        if self.has_universe() {
            self.spawning.wire_up = Some(Stage::Collected);
        } else {
            self.wire_up_is_over();
        }
    }

    /// A host has connected to those that it has been told of. When all that were there have, the new ones are told of
    /// them. When these have connected, too, the wire-up is over: nobody connects any more to a host that is about to
    /// end.
    pub(super) fn met(&mut self, host: usize) {
        let Some(stage) = &mut self.spawning.wire_up else {
            return;
        };
        if !stage.is_done_by(host) {
            return;
        }
        match *stage {
            Stage::ConnectingToOthers { collected, .. } => self.have_connected(collected),
            Stage::Connecting(_) => self.announce(),
            _ => {
                self.spawning.is_begun();
                self.wire_up_is_over();
            }
        }
    }

    fn have_connected(&mut self, collected: bool) {
        self.send_to_universe(&ToServer::Met);
        match collected {
            true => self.wait_for_universe(),
            false => self.wire_up_is_over(),
        }
    }

    /// All hosts that were there know the new ones. If other launchers are to know them, too, the universe is told.
    fn announce(&mut self) {
        let Some(starting) = self.spawning.first_hosts() else {
            return;
        };
        if !self.takes_its_turn() {
            return self.start_new_world();
        }
        let peers = self.members[starting].iter();
        let peers = peers.filter_map(|member| member.as_peer(true)).collect();
        self.spawning.wire_up = Some(Stage::Announced);
        self.send_to_universe(&ToServer::New { peers });
    }

    /// The universe says that a wire-up is over, or it is lost.
    pub(super) fn universe_has_wired_up(&mut self) {
        match self.spawning.wire_up {
            Some(Stage::Announced) => self.start_new_world(),
            Some(Stage::Collected) => self.wire_up_is_over(),
            _ => {}
        }
    }

    /// A wire-up is over. Worlds that have waited for that are released before the next one begins.
    fn wire_up_is_over(&mut self) {
        self.spawning.wire_up = None;
        self.release();
        self.continue_wire_up();
    }

    /// Tells the new hosts of all others and starts them, and answers the rank that has asked for them.
    fn start_new_world(&mut self) {
        let others = self.present();
        let Some((asker, answer, new)) = self.spawning.first() else {
            return;
        };
        self.spawning.wire_up = Some(Stage::Starting(new.clone().collect()));
        let to = new.clone().collect();
        self.send_peers(&to, others, true);
        self.send_peers(&to, new.clone(), false);
        for message in peers_messages(self.hosts_of_others()) {
            self.send_to_each(new.clone(), &message);
        }
        self.send_to_each(new, &ToHost::Go);
        self.answer_to(asker, answer);
    }

    /// The hosts that are there and that others know.
    fn present(&self) -> BTreeSet<usize> {
        let known = self
            .spawning
            .first_hosts()
            .map_or(self.members.len(), |new| new.start);
        let hosts = self.members[..known].iter().enumerate();
        let there = hosts.filter(|(_, member)| member.is_there());
        there.map(|(host, _)| host).collect()
    }

    /// Tells the hosts `to` of the hosts `of`. `with_places` adds their places, for hosts that know nothing of them.
    /// Hosts of different worlds on one node are also given the memory that those of the other world share.
    fn send_peers(&mut self, to: &BTreeSet<usize>, of: impl IntoIterator<Item = usize>, with_places: bool) {
        let of: Vec<usize> = of.into_iter().collect();
        let peers = of
            .iter()
            .filter_map(|&host| self.members[host].as_peer(with_places));
        let peers = peers.filter(|peer| with_places || !peer.addresses.is_empty());
        for message in peers_messages(peers) {
            self.send_to_each(to.iter().copied(), &message);
        }
        if !self.starter.spec().shares_memory() {
            return;
        }
        let nodes_and_worlds: BTreeSet<(u32, u32)> =
            of.iter().map(|&host| self.node_and_world(host)).collect();
        for (node, world) in nodes_and_worlds {
            let hosts = self.worlds.hosts(world);
            let hosts = hosts.filter(|&host| self.members[host].node() == node);
            let memory = ToHost::Memory {
                hosts: hosts.map(|host| self.members[host].number()).collect(),
            };
            let near = to.iter().copied().filter(|&host| {
                let (own_node, own_world) = self.node_and_world(host);
                own_node == node && own_world != world
            });
            self.send_to_each(near.collect::<Vec<_>>(), &memory);
        }
    }

    /// The node of a host, and its world.
    fn node_and_world(&self, host: usize) -> (u32, u32) {
        let member = &self.members[host];
        (member.node(), member.world())
    }
}
