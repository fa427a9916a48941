//! Hosts that the launcher has introduced, and that this one has not connected to yet.

use simurgh_net::HostId;
use simurgh_net::control::{Peer, Received, ToHost};
use simurgh_net::job::Place;
use simurgh_net::transport::ShmGroup;
use std::os::fd::OwnedFd;

/// The introduced hosts.
#[derive(Default)]
pub(in crate::host) struct IntroducedHosts {
    /// The hosts about which something is known; this host itself may be among them.
    pub(in crate::host) peers: Vec<Peer>,
    /// The hosts of other worlds on this node, with the memory that they share.
    pub(in crate::host) neighbours: Vec<ShmGroup<OwnedFd>>,
}

impl IntroducedHosts {
    /// Notes what a message says about other hosts. A message that says nothing about them is given back.
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

    /// The hosts of other worlds and where they are, by ascending number.
    pub(in crate::host) fn places(&self) -> Vec<(HostId, Place)> {
        let peers = self.peers.iter();
        let mut places: Vec<_> = peers.filter_map(|peer| Some((peer.host, peer.place?))).collect();
        places.sort_unstable_by_key(|(host, _)| *host);
        places
    }
}
