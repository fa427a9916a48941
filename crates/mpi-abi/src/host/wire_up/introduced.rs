//! Hosts of which the launcher has told this one, until it is told to connect to them.

use simurgh_net::HostId;
use simurgh_net::control::{Peer, Received, ToHost};
use simurgh_net::job::Place;
use simurgh_net::transport::ShmGroup;
use std::os::fd::OwnedFd;

/// Other hosts.
#[derive(Default)]
pub(in crate::host) struct IntroducedHosts {
    /// Those of which there is something to know; the host itself may be among them.
    pub(in crate::host) peers: Vec<Peer>,
    /// Those of other worlds on this node.
    pub(in crate::host) neighbours: Vec<ShmGroup<OwnedFd>>,
}

impl IntroducedHosts {
    /// Takes note of what a message says of others; it is given back if it says nothing of them.
    pub(in crate::host) fn note(&mut self, received: Received<ToHost>) -> Option<Received<ToHost>> {
        let Received { message, descriptors } = received;
        match message {
            ToHost::Peers(peers) => self.peers.extend(peers),
            ToHost::Memory { hosts } => {
                let neighbours = descriptors.into_iter().map(|memory| ShmGroup {
                    hosts: hosts.clone(),
                    memory,
                });
                self.neighbours.extend(neighbours);
            }
            message => return Some(Received { message, descriptors }),
        }
        None
    }

    /// Those of other worlds, in the order of their numbers, and where they are.
    pub(in crate::host) fn places(&self) -> Vec<(HostId, Place)> {
        let peers = self.peers.iter();
        let mut places: Vec<_> = peers.filter_map(|peer| Some((peer.host, peer.place?))).collect();
        places.sort_unstable_by_key(|(host, _)| *host);
        places
    }
}
