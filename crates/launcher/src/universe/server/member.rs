//! An `mpiexec` as its universe sees it.

use simurgh_net::HostId;
use simurgh_net::control::Peer;
use simurgh_net::job::Realm;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// An `mpiexec`.
#[derive(Debug)]
pub(super) struct Member {
    /// The group to which it belongs, named by the realm of one of its members. Hosts of one group are all wired up.
    pub(super) group: Realm,
    /// The shares that it may give its hosts.
    pub(super) shares: Vec<u32>,
    /// The hosts that others have been told of, by their worlds.
    pub(super) known: BTreeMap<u32, Range<HostId>>,
    /// Worlds that have been released.
    pub(super) gone: BTreeSet<u32>,
}

impl Member {
    /// A member that is alone in its group.
    pub(super) fn new(realm: Realm, shares: Vec<u32>) -> Self {
        Self {
            group: realm,
            shares,
            known: BTreeMap::new(),
            gone: BTreeSet::new(),
        }
    }

    /// Takes note that others are told of these hosts.
    pub(super) fn make_known(&mut self, peers: &[Peer]) {
        for peer in peers {
            let Some(place) = peer.place else { continue };
            let hosts = self.known.entry(place.world).or_insert(peer.host..peer.host + 1);
            *hosts = hosts.start.min(peer.host)..hosts.end.max(peer.host + 1);
        }
    }
}

/// Whether all these hosts belong to a realm, and have places in its worlds.
pub(super) fn are_own(realm: Realm, peers: &[Peer]) -> bool {
    peers.iter().all(|peer| {
        let is_somewhere = |place: simurgh_net::job::Place| Realm::of(place.world) == realm;
        Realm::of(peer.host) == realm && peer.place.is_some_and(is_somewhere)
    })
}
