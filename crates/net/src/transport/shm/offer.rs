//! How the hosts of a node come to share memory.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::EventfdFlags;
use rustix::io::Errno;

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
    descriptors: [OwnedFd; SHM_DESCRIPTORS],
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
        let mut table = Vec::new();
        for peer in peers {
            let index = peer.host as usize;
            if table.len() <= index {
                table.resize_with(index + 1, || None);
            }
            table[index] = Some(Peer::open(peer, cross_memory)?);
        }
        let [_file, bell] = self.descriptors;
        Ok(Shm::new(self.own, self.segment, self.probe, bell, table.into()))
    }
}
