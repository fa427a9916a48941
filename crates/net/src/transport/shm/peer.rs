//! Another host, as a sender to it sees it.

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
    /// How far it has come with its ring.
    pub(super) cache: SenderCache,
    /// What can be done with its other memory, once somebody has asked.
    remote_process: OnceLock<RemoteProcess>,
}

/// What it shares.
enum Memory {
    /// It is of the own world, and goes when that does.
    Permanent(Segment),
    /// It may part before.
    Revocable(Revocable<Segment>),
}

/// The memory of a peer, which stays mapped for as long.
pub(super) enum SegmentRef<'a> {
    Permanent(&'a Segment),
    Revocable(Use<'a, Segment>),
}

/// A process, and what can be done with the memory that it does not share.
struct RemoteProcess {
    process: i32,
    access: Access,
}

impl Peer {
    /// One of the own world.
    pub(super) fn permanent(segment: Segment) -> Self {
        Self::of(Memory::Permanent(segment))
    }

    /// One of another world, which may part.
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

    /// Its memory; none if it has parted.
    #[inline]
    pub(super) fn segment(&self) -> Option<SegmentRef<'_>> {
        match &self.memory {
            Memory::Permanent(segment) => Some(SegmentRef::Permanent(segment)),
            Memory::Revocable(segment) => segment.access().map(SegmentRef::Revocable),
        }
    }

    /// It has ended: nobody visits it any more.
    pub(super) fn part(&self) {
        if let Memory::Revocable(segment) = &self.memory {
            segment.revoke();
        }
    }

    /// What can be done with the memory that it does not share: tried out when it is asked for the first time. None of
    /// one that has yet to say who it is.
    pub(super) fn access(&self) -> Access {
        self.remote_process()
            .map_or_else(Access::default, |remote_process| remote_process.access)
    }

    /// Its process, if it has said who it is.
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
    /// Wakes its owner if it sleeps, after something has been published.
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
