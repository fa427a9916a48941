//! An mpiexec, as its universe sees it.

use simurgh_net::HostId;
use simurgh_net::control::Peer;
use simurgh_net::job::Realm;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// An mpiexec.
#[derive(Debug)]
pub(super) struct Member {
    /// Members of one circle know all hosts of each other.
    pub(super) circle: Realm,
    /// What it may give its hosts.
    pub(super) shares: Vec<u32>,
    /// The hosts that others have been told of, by their worlds.
    pub(super) known: BTreeMap<u32, Range<HostId>>,
    /// Worlds that have been let go.
    pub(super) gone: BTreeSet<u32>,
}

impl Member {
    /// One that nobody knows.
    pub(super) fn new(realm: Realm, shares: Vec<u32>) -> Self {
        Self {
            circle: realm,
            shares,
            known: BTreeMap::new(),
            gone: BTreeSet::new(),
        }
    }

    /// Others are told of these hosts.
    pub(super) fn make_known(&mut self, peers: &[Peer]) {
        for peer in peers {
            let Some(place) = peer.place else { continue };
            let hosts = self.known.entry(place.world).or_insert(peer.host..peer.host + 1);
            *hosts = hosts.start.min(peer.host)..hosts.end.max(peer.host + 1);
        }
    }
}

/// Whether all these hosts are somebody's own, and somewhere.
pub(super) fn are_own(realm: Realm, peers: &[Peer]) -> bool {
    peers.iter().all(|peer| {
        let is_somewhere = |place: simurgh_net::job::Place| Realm::of(place.world) == realm;
        Realm::of(peer.host) == realm && peer.place.is_some_and(is_somewhere)
    })
}
