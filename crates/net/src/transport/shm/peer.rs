//! Another host of the node, as a sender to it sees it.

use std::sync::OnceLock;

use super::observed_sleep::ObservedSleep;
use super::remote_process::RemoteProcess;
use super::ring::SenderCache;
use super::segment::Segment;
use super::wakeup_socket::WakeupSocket;
use crate::transport::Access;

/// Another host of the node.
pub(super) struct Peer {
    /// The memory that it shares.
    pub(super) segment: Segment,
    /// The cached state of its ring.
    pub(super) cache: SenderCache,
    /// Its process, once somebody has asked for access to its memory.
    remote_process: OnceLock<RemoteProcess>,
    sleep: ObservedSleep,
}

impl Peer {
    /// The peer with this segment.
    pub(super) fn new(segment: Segment) -> Self {
        Self {
            segment,
            cache: SenderCache::default(),
            remote_process: OnceLock::new(),
            sleep: ObservedSleep::default(),
        }
    }

    /// Whether it takes longer to access so many bytes of its memory than to send them in a packet.
    #[inline]
    pub(super) fn is_slow_to_access(&self, length: usize) -> bool {
        let is_slow = |process: &RemoteProcess| process.takes_longer_than_packets(length);
        self.remote_process().is_some_and(is_slow)
    }

    /// Whether it seems to answer a packet sooner than it takes to access so many bytes of its memory: the kernel is
    /// slow, and the host looks for packets, or is worth waking, since its memory is accessed again and again.
    #[inline]
    pub(super) fn answers_sooner(&self, length: usize) -> bool {
        self.is_slow_to_access(length) && self.looks()
    }

    fn looks(&self) -> bool {
        if self.segment.header.is_watched() {
            self.sleep.is_over();
            return true;
        }
        self.segment.ring.doorbell.is_armed() && self.sleep.is_worth_ending()
    }

    /// The access to its memory outside of the segment, which is tried out when it is first asked for. None until the
    /// peer has introduced itself.
    pub(super) fn access(&self) -> Access {
        self.remote_process()
            .map_or_else(Access::default, RemoteProcess::access)
    }

    /// Its process, once it has introduced itself.
    #[inline]
    pub(super) fn remote_process(&self) -> Option<&RemoteProcess> {
        if let Some(known) = self.remote_process.get() {
            return Some(known);
        }
        let owner = self.segment.header.owner()?;
        Some(self.remote_process.get_or_init(|| RemoteProcess::of(owner)))
    }
}

impl Segment {
    /// Wakes its owner if it sleeps, after a packet has been published.
    #[inline]
    pub(super) fn wake(&self, socket: &WakeupSocket) {
        self.ring
            .doorbell
            .ring(|| socket.ring(self.header.wakeup_address()));
    }
}
