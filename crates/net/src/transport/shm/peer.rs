//! Another host of the node, as a sender to it sees it.

use std::ops::Deref;
use std::sync::OnceLock;

use super::cross_memory::Probe;
use super::revocable::{Access as Use, Revocable};
use super::ring::SenderCache;
use super::segment::Segment;
use super::wakeup_socket::WakeupSocket;
use crate::transport::Access;

/// Another host of the node.
pub(super) struct Peer {
    memory: Memory,
    /// What is known of its ring.
    pub(super) cache: SenderCache,
    /// Its process, once somebody has asked for access to its memory.
    remote_process: OnceLock<RemoteProcess>,
}

/// The memory that it shares.
enum Memory {
    /// Of a host of the own world, which stays as long as this one.
    Permanent(Segment),
    /// Of a host of another world, which may leave before.
    Revocable(Revocable<Segment>),
}

/// A reference to a peer's segment, which stays mapped meanwhile.
pub(super) enum SegmentRef<'a> {
    Permanent(&'a Segment),
    Revocable(Use<'a, Segment>),
}

/// A process, and the access to its memory outside of the segment.
struct RemoteProcess {
    process: i32,
    access: Access,
}

impl Peer {
    /// A peer of the own world.
    pub(super) fn permanent(segment: Segment) -> Self {
        Self::of(Memory::Permanent(segment))
    }

    /// A peer of another world, which may leave.
    pub(super) fn revocable(segment: Segment) -> Self {
        Self::of(Memory::Revocable(Revocable::new(segment)))
    }

    fn of(memory: Memory) -> Self {
        Self {
            memory,
            cache: SenderCache::default(),
            remote_process: OnceLock::new(),
        }
    }

    /// Its segment; none if it has left.
    #[inline]
    pub(super) fn segment(&self) -> Option<SegmentRef<'_>> {
        match &self.memory {
            Memory::Permanent(segment) => Some(SegmentRef::Permanent(segment)),
            Memory::Revocable(segment) => segment.access().map(SegmentRef::Revocable),
        }
    }

    /// Unmaps its segment, since it has left, as soon as nobody uses it.
    pub(super) fn part(&self) {
        if let Memory::Revocable(segment) = &self.memory {
            segment.revoke();
        }
    }

    /// The access to its memory outside of the segment, which is tried out when it is first asked for. None until the
    /// peer has introduced itself.
    pub(super) fn access(&self) -> Access {
        self.remote_process()
            .map_or_else(Access::default, |remote_process| remote_process.access)
    }

    /// The number of its process, once it has introduced itself.
    pub(super) fn process(&self) -> Option<i32> {
        Some(self.remote_process()?.process)
    }

    fn remote_process(&self) -> Option<&RemoteProcess> {
        let owner = self.segment()?.header.owner()?;
        Some(self.remote_process.get_or_init(|| RemoteProcess::of(owner)))
    }
}

impl Deref for SegmentRef<'_> {
    type Target = Segment;

    #[inline]
    fn deref(&self) -> &Segment {
        match self {
            Self::Permanent(segment) => segment,
            Self::Revocable(segment) => segment,
        }
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

impl RemoteProcess {
    fn of((process, probe): (u32, [u64; 2])) -> Self {
        let process = i32::try_from(process).unwrap_or(0);
        let (read, write) = Probe::try_out(process, probe);
        Self {
            process,
            access: Access { read, write },
        }
    }
}
