//! Hosts get to know each other: those of a new world, and those of other launchers.
//!
//! First those that are there are asked to say where they can be reached; when all have, they are told of the others,
//! and connect to them. What comes afterwards is different:
//!
//! | who comes | then |
//! |---|---|
//! | a world that ranks have asked for | its hosts are told of all others, and run |
//! | the same, where hosts of other launchers are known | first the universe has those connect to the new ones |
//! | hosts of other launchers, which a meeting at a port brings | the universe says when all of them have connected |
//! | a world of another launcher that is known | nothing: these hosts have been reached before |
//!
//! One follows the other, and no host is let go meanwhile: who is about to be introduced has to be there.

use super::Supervisor;
use super::wire_up::introductions;
use crate::hosts::Member;
use crate::universe::ToServer;
use simurgh_net::control::{Address, Peer, ToHost};
use std::collections::BTreeSet;

/// How far an introduction has come. The hosts in it have yet to do their part.
pub(super) enum Stage {
    /// For a new world: to say where its hosts can reach them.
    Opening(BTreeSet<usize>),
    /// To connect to its hosts.
    Meeting(BTreeSet<usize>),
    /// The hosts of other launchers connect to them: the universe says when they have.
    Announced,
    /// To connect to all others: they are the new ones.
    FirstHosts(BTreeSet<usize>),
    /// For hosts of other launchers: to say where these can reach them.
    Gathering(BTreeSet<usize>),
    /// All have. What comes next the universe says.
    Gathered,
    /// To connect to hosts of other launchers.
    Greeting {
        missing: BTreeSet<usize>,
        /// They have been gathered before, and the universe says what comes next.
        gathered: bool,
    },
}

impl Stage {
    /// Whether it is about a new world.
    pub(super) fn is_own(&self) -> bool {
        matches!(
            self,
            Self::Opening(_) | Self::Meeting(_) | Self::Announced | Self::FirstHosts(_)
        )
    }

    /// Takes note that a host has done its part; true if all have.
    fn is_done_by(&mut self, host: usize) -> bool {
        match self {
            Self::Opening(missing)
            | Self::Meeting(missing)
            | Self::FirstHosts(missing)
            | Self::Gathering(missing)
            | Self::Greeting { missing, .. } => missing.remove(&host) && missing.is_empty(),
            Self::Announced | Self::Gathered => false,
        }
    }
}

impl Supervisor<'_> {
    /// A new host has joined, or there is time for the next introduction. When all hosts of the first new world have
    /// joined, those that are there are asked to say where they can be reached.
    pub(super) fn continue_spawning(&mut self) {
        // Who has gathered waits for what comes next.
        let is_busy = !matches!(self.spawning.introduction, None | Some(Stage::Gathered));
        if is_busy || self.take_up_task() || self.spawning.is_introducing() {
            return;
        }
        let new = self.spawning.first_hosts();
        let has_come = new.is_some_and(|new| self.members[new].iter().all(Member::has_joined));
        if !has_come {
            self.pass_turn();
        } else if self.is_its_turn() {
            let there = self.present();
            self.spawning.introduction = Some(Stage::Opening(there.clone()));
            self.tell_each(there, &ToHost::Grow { far: false });
        }
    }

    /// Hosts of other launchers are to come: those that are there are asked to say where they can be reached.
    pub(super) fn gather(&mut self) {
        let there = self.present();
        if there.is_empty() {
            return self.have_gathered();
        }
        self.spawning.introduction = Some(Stage::Gathering(there.clone()));
        self.tell_each(there, &ToHost::Grow { far: true });
    }

    /// Has all hosts that are there connect to some of other launchers.
    pub(super) fn greet(&mut self, peers: Vec<Peer>) {
        let gathered = matches!(self.spawning.introduction, Some(Stage::Gathered));
        let there = self.present();
        let missing = there.clone();
        self.spawning.introduction = Some(Stage::Greeting { missing, gathered });
        if there.is_empty() || peers.is_empty() {
            return self.have_greeted(gathered);
        }
        for message in introductions(peers.into_iter()) {
            self.tell_each(there.iter().copied(), &message);
        }
        self.tell_each(there, &ToHost::Meet);
    }

    /// A host says where it can be reached: when all have, they are told of the new ones.
    pub(super) fn opened(&mut self, host: usize, addresses: Vec<Address>) {
        self.members[host].reopen(addresses);
        let Some(stage) = &mut self.spawning.introduction else {
            return;
        };
        if !stage.is_done_by(host) {
            return;
        }
        if !stage.is_own() {
            return self.have_gathered();
        }
        let (new, there) = (self.spawning.first_hosts().unwrap_or_default(), self.present());
        self.spawning.introduction = Some(Stage::Meeting(there.clone()));
        self.introduce_to(&there, new, true);
        self.tell_each(there, &ToHost::Meet);
    }

    /// The hosts cannot be reached by those of other launchers.
    pub(super) fn decline(&mut self, reason: String) {
        self.tell_universe(&ToServer::Declined { reason });
        self.wait_for_universe();
    }

    /// A host says why those of other launchers cannot reach it: so nobody meets anybody.
    pub(super) fn cannot_be_reached(&mut self, host: usize, reason: &str) {
        if matches!(self.spawning.introduction, Some(Stage::Gathering(_))) {
            self.decline(format!("host {host}: {reason}"));
        }
    }

    fn have_gathered(&mut self) {
        let there = self.present();
        let peers = there.iter().filter_map(|&host| self.members[host].as_peer(true));
        let peers = peers.collect();
        self.tell_universe(&ToServer::Gathered { peers });
        self.wait_for_universe();
    }

    /// The universe says how an introduction goes on, unless it is gone.
    fn wait_for_universe(&mut self) {
        if self.hears_universe() {
            self.spawning.introduction = Some(Stage::Gathered);
        } else {
            self.are_introduced();
        }
    }

    /// A host has connected to those of which it has been told. When all have that were there, the new ones are set
    /// going; when these have, too, nobody looks for a host any more that is about to end.
    pub(super) fn met(&mut self, host: usize) {
        let Some(stage) = &mut self.spawning.introduction else {
            return;
        };
        if !stage.is_done_by(host) {
            return;
        }
        match *stage {
            Stage::Greeting { gathered, .. } => self.have_greeted(gathered),
            Stage::Meeting(_) => self.announce(),
            _ => {
                self.spawning.is_begun();
                self.are_introduced();
            }
        }
    }

    fn have_greeted(&mut self, gathered: bool) {
        self.tell_universe(&ToServer::Met);
        match gathered {
            true => self.wait_for_universe(),
            false => self.are_introduced(),
        }
    }

    /// The hosts that are there know the new ones: so shall those of other launchers, if it is our turn.
    fn announce(&mut self) {
        let Some(coming) = self.spawning.first_hosts() else {
            return;
        };
        if !self.takes_its_turn() {
            return self.set_going();
        }
        let peers = self.members[coming].iter();
        let peers = peers.filter_map(|member| member.as_peer(true)).collect();
        self.spawning.introduction = Some(Stage::Announced);
        self.tell_universe(&ToServer::New { peers });
    }

    /// The universe says that an introduction is over, or nothing more is heard of it.
    pub(super) fn universe_has_introduced(&mut self) {
        match self.spawning.introduction {
            Some(Stage::Announced) => self.set_going(),
            Some(Stage::Gathered) => self.are_introduced(),
            _ => {}
        }
    }

    /// An introduction is over. Who has waited for that goes before the next one begins.
    fn are_introduced(&mut self) {
        self.spawning.introduction = None;
        self.release();
        self.continue_spawning();
    }

    /// Tells the new hosts of all others, and who has asked for them that they run.
    fn set_going(&mut self) {
        let others = self.present();
        let Some((asker, answer, new)) = self.spawning.first() else {
            return;
        };
        self.spawning.introduction = Some(Stage::FirstHosts(new.clone().collect()));
        let to = new.clone().collect();
        self.introduce_to(&to, others, true);
        self.introduce_to(&to, new.clone(), false);
        for message in introductions(self.acquaintances()) {
            self.tell_each(new.clone(), &message);
        }
        self.tell_each(new, &ToHost::Go);
        self.answer_to(asker, answer);
    }

    /// The hosts that are there, of whom others know.
    fn present(&self) -> BTreeSet<usize> {
        let known = self
            .spawning
            .first_hosts()
            .map_or(self.members.len(), |new| new.start);
        let hosts = self.members[..known].iter().enumerate();
        let there = hosts.filter(|(_, member)| member.is_there());
        there.map(|(host, _)| host).collect()
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
            let hosts = hosts.filter(|&host| self.members[host].node() == node);
            let memory = ToHost::Memory {
                hosts: hosts.map(|host| self.members[host].number()).collect(),
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
        let member = &self.members[host];
        (member.node(), member.world())
    }
}
