//! Another host, as a sender to it sees it.

use std::os::fd::OwnedFd;

use rustix::fs::OFlags;
use simurgh_core::sync::SpinLock;

use super::cross_memory::Probe;
use super::ring::Seen;
use super::segment::Segment;
use super::{ShmError, ShmPeer};
use crate::transport::Access;

/// Another host of the node.
pub(super) struct Peer {
    /// Its memory.
    pub(super) segment: Segment,
    /// How far it has come with its ring.
    pub(super) seen: Seen,
    /// Its process.
    pub(super) pid: i32,
    /// What can be done with the memory it does not share.
    pub(super) access: Access,
    /// None when it has gone.
    bell: SpinLock<Option<OwnedFd>>,
}

impl Peer {
    /// Maps its memory, and tries whether its other memory can be accessed.
    pub(super) fn open(peer: ShmPeer, cross_memory: bool) -> Result<Self, ShmError> {
        let [file, bell] = peer.descriptors;
        let segment = Segment::open(&file)?;
        // Ringing must not block, whatever the descriptor is.
        rustix::fs::fcntl_setfl(&bell, OFlags::NONBLOCK).map_err(ShmError::Map)?;
        let pid = i32::try_from(peer.pid).map_err(|_| ShmError::NotASegment)?;
        let (read, write) = if cross_memory {
            Probe::try_out(pid, segment.probe())
        } else {
            (false, false)
        };
        Ok(Self {
            segment,
            seen: Seen::default(),
            pid,
            access: Access { read, write },
            bell: SpinLock::new(Some(bell)),
        })
    }

    /// Wakes it if it sleeps, after something has been published.
    #[inline]
    pub(super) fn ring(&self) {
        self.segment.ring.doorbell.ring(|| {
            // A bell that cannot be rung is one that rings already, or its host is gone.
            if let Some(bell) = &*self.bell.lock() {
                let _ = rustix::io::write(bell, &1u64.to_ne_bytes());
            }
        });
    }

    /// It has gone, and its packets have been handled here: its memory is let go of.
    pub(super) fn part(&self) {
        self.segment.let_go();
        let bell = self.bell.lock().take();
        drop(bell);
    }
}
