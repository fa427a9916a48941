//! The group of hosts that share an arena.

use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};

use simurgh_core::HostTable;

use super::ShmError;
use super::arena::Arena;
use super::peer::Peer;
use super::segment::Segment;
use crate::HostId;

/// The hosts of a world on one node, and the memory that they share.
#[derive(Debug)]
pub struct ShmGroup<M> {
    /// Their numbers, in ascending order.
    pub hosts: Vec<HostId>,
    /// The descriptor of memory that [`shared_memory`] has made for so many hosts.
    pub memory: M,
}

/// Makes memory for so many hosts to share. The process that starts the hosts hands them the descriptor.
///
/// # Errors
///
/// [`ShmError::Create`], if the kernel has no memory or descriptors.
pub fn shared_memory(hosts: usize) -> Result<OwnedFd, ShmError> {
    Arena::create(hosts)
}

impl<M: AsFd> ShmGroup<M> {
    /// Maps the memory for a host in this network namespace. Gives each host with its segment.
    pub(super) fn open(&self, network: u64) -> Result<impl Iterator<Item = (HostId, Segment)>, ShmError> {
        if !self.hosts.is_sorted_by(|one, next| one < next) {
            return Err(ShmError::NotAnArena);
        }
        let arena = Arena::open(&self.memory, self.hosts.len(), network)?;
        let segments = (0..self.hosts.len()).map(move |index| arena.segment(index));
        Ok(self.hosts.iter().copied().zip(segments))
    }
}

/// The table of the peers of a host in its own world. Peers with numbers near its own lie in the table's dense part.
pub(super) fn peer_table(own: HostId, segments: Vec<(HostId, Segment)>) -> HostTable<Option<Peer>> {
    let peer = |(host, segment)| (host, Peer::new(segment));
    let mut peers: Vec<_> = segments.into_iter().map(peer).collect();
    let near = dense_range(own, |host| {
        peers.binary_search_by_key(&host, |(host, _)| *host).is_ok()
    });
    let far = peers
        .extract_if(.., |(host, _)| !near.contains(host))
        .collect::<Vec<_>>();
    let mut peers = peers.into_iter().peekable();
    let table = HostTable::new(near, |host| Some(peers.next_if(|(next, _)| *next == host)?.1));
    for (host, peer) in far {
        table.add(host, Some(peer));
    }
    table
}

/// The range of numbers around the own one in which peers are not far from each other: most likely those of hosts that
/// were started together.
fn dense_range(own: HostId, is_peer: impl Fn(HostId) -> bool) -> Range<HostId> {
    /// The most numbers of hosts of other nodes between two of this node.
    const GAP: u32 = 32;
    let (mut first, mut last) = (own, own);
    while let Some(before) = (first.saturating_sub(GAP)..first).find(|host| is_peer(*host)) {
        first = before;
    }
    while let Some(after) = (last + 1..=last.saturating_add(GAP)).rfind(|host| is_peer(*host)) {
        last = after;
    }
    first..last + 1
}
