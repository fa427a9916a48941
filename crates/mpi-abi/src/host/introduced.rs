//! Hosts of which the launcher has told this one, until it is told to connect to them.

use simurgh_net::control::{Peer, Received, ToHost};
use simurgh_net::transport::ShmNeighbours;
use std::os::fd::OwnedFd;

/// Other hosts.
#[derive(Default)]
pub(super) struct Introduced {
    /// Those of which there is something to know; the host itself may be among them.
    pub(super) peers: Vec<Peer>,
    /// Those of other worlds on this node.
    pub(super) neighbours: Vec<ShmNeighbours<OwnedFd>>,
}

impl Introduced {
    /// Takes note of what a message says of others; it is given back if it says nothing of them.
    pub(super) fn note(&mut self, received: Received<ToHost>) -> Option<Received<ToHost>> {
        let Received { message, descriptors } = received;
        match message {
            ToHost::Peers(peers) => self.peers.extend(peers),
            ToHost::Memory { hosts } => {
                let neighbours = descriptors.into_iter().map(|memory| ShmNeighbours {
                    hosts: hosts.clone(),
                    memory,
                });
                self.neighbours.extend(neighbours);
            }
            message => return Some(Received { message, descriptors }),
        }
        None
    }
}
