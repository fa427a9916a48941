//! How the hosts of a node come to share memory.

use std::collections::BTreeMap;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::EventfdFlags;
use rustix::io::Errno;
use simurgh_core::Roster;

use super::cross_memory::Probe;
use super::peer::Peer;
use super::segment::Segment;
use super::{Shm, ShmError};
use crate::transport::HostId;

/// Descriptors that a host gives to each other host of its node: its segment, and what wakes it from `poll(2)`.
pub const SHM_DESCRIPTORS: usize = 2;

/// What a host offers to the others of its node, before it knows them.
pub struct ShmOffer {
    pub(super) own: HostId,
    pub(super) segment: Segment,
    pub(super) probe: Box<Probe>,
    pub(super) descriptors: [OwnedFd; SHM_DESCRIPTORS],
}

/// Another host of the node, and what it offers.
#[derive(Debug)]
pub struct ShmPeer {
    /// Its number.
    pub host: HostId,
    /// Its process, as this one's kernel names it.
    pub pid: u32,
    /// What its [`ShmOffer::descriptors`] were.
    pub descriptors: [OwnedFd; SHM_DESCRIPTORS],
}

impl ShmOffer {
    /// Memory for host `own`.
    ///
    /// # Errors
    ///
    /// [`ShmError::Create`], if the kernel has no memory or descriptors.
    pub fn create(own: HostId) -> Result<Self, ShmError> {
        let failed =
            |error: std::io::Error| ShmError::Create(Errno::from_io_error(&error).unwrap_or(Errno::IO));
        let probe = Probe::new().map_err(failed)?;
        let (segment, file) = Segment::create(probe.advertise())?;
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        let bell = rustix::event::eventfd(0, flags).map_err(ShmError::Create)?;
        Ok(Self {
            own,
            segment,
            probe,
            descriptors: [file, bell],
        })
    }

    /// The host that makes it.
    #[must_use]
    pub fn host(&self) -> HostId {
        self.own
    }

    /// What the other hosts of the node need of this one, apart from its number and process.
    #[must_use]
    pub fn descriptors(&self) -> [BorrowedFd<'_>; SHM_DESCRIPTORS] {
        self.descriptors.each_ref().map(AsFd::as_fd)
    }

    /// Joins the other hosts, each of which has made its offer; with `cross_memory`, long messages are copied straight
    /// from process to process where the kernel allows it.
    ///
    /// # Errors
    ///
    /// [`ShmError`], if something is not a host's offer.
    pub fn join(self, peers: impl IntoIterator<Item = ShmPeer>, cross_memory: bool) -> Result<Shm, ShmError> {
        if cross_memory {
            Probe::permit();
        }
        let mut opened = BTreeMap::new();
        for peer in peers {
            opened.insert(peer.host, Peer::open(peer, cross_memory)?);
        }
        let near = neighbourhood(self.own, |host| opened.contains_key(&host));
        let table = Roster::new(near, |host| opened.remove(&host));
        for (host, peer) in opened {
            table.add(host, Some(peer));
        }
        Ok(Shm::new(self, table, cross_memory))
    }
}

/// The numbers around the own one of which others, not far from each other, are peers: most likely those that have
/// started together.
fn neighbourhood(own: HostId, is_peer: impl Fn(HostId) -> bool) -> Range<HostId> {
    /// Numbers of hosts of other nodes between two of this one.
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
