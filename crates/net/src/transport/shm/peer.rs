//! Another host, as a sender to it sees it.

use std::ops::Deref;
use std::sync::OnceLock;

use super::bell::Bell;
use super::cross_memory::Probe;
use super::revocable::{Access as Use, Revocable};
use super::ring::Seen;
use super::segment::Segment;
use crate::transport::Access;

/// Another host of the node.
pub(super) struct Peer {
    memory: Memory,
    /// How far it has come with its ring.
    pub(super) seen: Seen,
    /// What can be done with its other memory, once somebody has asked.
    reach: OnceLock<Reach>,
}

/// What it shares.
enum Memory {
    /// It is of the own world, and goes when that does.
    Lasting(Segment),
    /// It may part before.
    Passing(Revocable<Segment>),
}

/// The memory of a peer, which stays mapped for as long.
pub(super) enum Visit<'a> {
    Lasting(&'a Segment),
    Passing(Use<'a, Segment>),
}

/// A process, and what can be done with the memory that it does not share.
struct Reach {
    process: i32,
    access: Access,
}

impl Peer {
    /// One of the own world.
    pub(super) fn lasting(segment: Segment) -> Self {
        Self::of(Memory::Lasting(segment))
    }

    /// One of another world, which may part.
    pub(super) fn passing(segment: Segment) -> Self {
        Self::of(Memory::Passing(Revocable::new(segment)))
    }

    fn of(memory: Memory) -> Self {
        Self {
            memory,
            seen: Seen::default(),
            reach: OnceLock::new(),
        }
    }

    /// Its memory; none if it has parted.
    #[inline]
    pub(super) fn visit(&self) -> Option<Visit<'_>> {
        match &self.memory {
            Memory::Lasting(segment) => Some(Visit::Lasting(segment)),
            Memory::Passing(segment) => segment.access().map(Visit::Passing),
        }
    }

    /// It has ended: nobody visits it any more.
    pub(super) fn part(&self) {
        if let Memory::Passing(segment) = &self.memory {
            segment.revoke();
        }
    }

    /// What can be done with the memory that it does not share: tried out when it is asked for the first time. None of
    /// one that has yet to say who it is.
    pub(super) fn access(&self) -> Access {
        self.reach().map_or_else(Access::default, |reach| reach.access)
    }

    /// Its process, if it has said who it is.
    pub(super) fn process(&self) -> Option<i32> {
        Some(self.reach()?.process)
    }

    fn reach(&self) -> Option<&Reach> {
        let owner = self.visit()?.title.owner()?;
        Some(self.reach.get_or_init(|| Reach::of(owner)))
    }
}

impl Deref for Visit<'_> {
    type Target = Segment;

    #[inline]
    fn deref(&self) -> &Segment {
        match self {
            Self::Lasting(segment) => segment,
            Self::Passing(segment) => segment,
        }
    }
}

impl Segment {
    /// Wakes its owner if it sleeps, after something has been published.
    #[inline]
    pub(super) fn wake(&self, bell: &Bell) {
        self.ring.doorbell.ring(|| bell.ring(self.title.bell()));
    }
}

impl Reach {
    fn of((process, probe): (u32, [u64; 2])) -> Self {
        let process = i32::try_from(process).unwrap_or(0);
        let (read, write) = Probe::try_out(process, probe);
        Self {
            process,
            access: Access { read, write },
        }
    }
}
