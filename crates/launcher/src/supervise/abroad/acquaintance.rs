//! Getting acquainted with other launchers, and staying so as worlds come and go.

use super::{Occasion, Turn};
use crate::supervise::Supervisor;
use crate::universe::ToServer;
use simurgh_net::control::Peer;
use simurgh_net::transport::HostId;
use simurgh_settings::Id;

impl Supervisor<'_> {
    /// The universe wants something of the hosts, which they do as soon as none are being introduced.
    pub(super) fn take_note(&mut self, occasion: Occasion) {
        if let Some(abroad) = &mut self.abroad {
            abroad.occasions.push_back(occasion);
        }
        self.go_on_growing();
    }

    /// Lets the hosts do what the universe wants, if there is something; whether there is. What has been gathered for
    /// is part of the same introduction.
    pub(in crate::supervise) fn take_up_occasion(&mut self) -> bool {
        let occasion = self
            .abroad
            .as_mut()
            .and_then(|abroad| abroad.occasions.pop_front());
        match occasion {
            None => return false,
            Some(Occasion::Gather) => match self.reason_to_decline() {
                None => self.gather(),
                Some(reason) => self.decline(reason),
            },
            Some(Occasion::Greet(peers)) => {
                if let Some(abroad) = &mut self.abroad {
                    abroad
                        .peers
                        .extend(peers.iter().map(|peer| (peer.host, peer.clone())));
                }
                self.greet(peers);
            }
        }
        true
    }

    /// Why hosts cannot be reached by those of other launchers, if they cannot.
    fn reason_to_decline(&self) -> Option<String> {
        let only_near = self.starter.spec().settings.show(Id::Transport) == "shm";
        only_near.then(|| {
            "the hosts of one of the jobs talk by shared memory alone (--transport shm), those of another mpiexec can \
             be reached over libfabric only"
                .to_owned()
        })
    }

    /// Hosts of other launchers that all of this one know.
    pub(in crate::supervise) fn acquaintances(&self) -> impl Iterator<Item = Peer> + use<> {
        let abroad = self.abroad.as_ref();
        let peers: Vec<Peer> =
            abroad.map_or_else(Vec::new, |abroad| abroad.peers.values().cloned().collect());
        peers.into_iter()
    }

    /// Whether a world of another launcher is known.
    pub(in crate::supervise) fn knows_world(&self, world: u32) -> bool {
        let peers = self.abroad.iter().flat_map(|abroad| abroad.peers.values());
        let mut places = peers.filter_map(|peer| peer.place);
        places.any(|place| place.world == world)
    }

    /// Whether hosts of a new world may be introduced; where others are known, their turn is asked for.
    pub(in crate::supervise) fn is_its_turn(&mut self) -> bool {
        let Some(abroad) = &mut self.abroad else {
            return true;
        };
        if abroad.turn == Turn::Nobody && !abroad.peers.is_empty() && abroad.lost.is_none() {
            abroad.turn = Turn::Wanted;
            abroad.universe.tell(&ToServer::Turn);
        }
        abroad.turn != Turn::Wanted
    }

    /// The turn has come.
    pub(super) fn has_its_turn(&mut self) {
        if let Some(abroad) = &mut self.abroad {
            abroad.turn = Turn::Ours;
        }
        self.go_on_growing();
    }

    /// Gives up the turn, if it has come: nobody is there to be introduced.
    pub(in crate::supervise) fn pass_turn(&mut self) {
        if self.takes_its_turn() {
            self.tell_universe(&ToServer::New { peers: Vec::new() });
        }
    }

    /// Whether the new hosts are to be announced, once.
    pub(in crate::supervise) fn takes_its_turn(&mut self) -> bool {
        let Some(abroad) = &mut self.abroad else {
            return false;
        };
        let is_ours = abroad.turn == Turn::Ours;
        if is_ours {
            abroad.turn = Turn::Nobody;
        }
        is_ours
    }

    /// Hosts of other launchers are gone.
    pub(super) fn part_with(&mut self, first: HostId, hosts: u32) {
        let Some(abroad) = &mut self.abroad else { return };
        let gone = first..first.saturating_add(hosts);
        let known: Vec<HostId> = abroad.peers.range(gone.clone()).map(|(host, _)| *host).collect();
        known.iter().for_each(|host| drop(abroad.peers.remove(host)));
        for occasion in &mut abroad.occasions {
            if let Occasion::Greet(peers) = occasion {
                peers.retain(|peer| !gone.contains(&peer.host));
            }
        }
        abroad.missing.forget(&gone);
        // All of a world go at once, but for those that have been missed before.
        if known.len() == hosts as usize {
            self.tell_of_gone(first, hosts);
        } else {
            known.into_iter().for_each(|host| self.tell_of_gone(host, 1));
        }
    }
}
