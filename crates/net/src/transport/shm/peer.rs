//! Another host, as a sender to it sees it.

use std::sync::OnceLock;

use super::bell::Bell;
use super::cross_memory::Probe;
use super::ring::Seen;
use super::segment::Segment;
use crate::transport::Access;

/// Another host of the node.
pub(super) struct Peer {
    /// Its memory.
    pub(super) segment: Segment,
    /// How far it has come with its ring.
    pub(super) seen: Seen,
    /// What can be done with its other memory, once somebody has asked.
    reach: OnceLock<Reach>,
}

/// A process, and what can be done with the memory that it does not share.
struct Reach {
    process: i32,
    access: Access,
}

impl Peer {
    pub(super) fn new(segment: Segment) -> Self {
        Self {
            segment,
            seen: Seen::default(),
            reach: OnceLock::new(),
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
        let owner = self.segment.title.owner()?;
        Some(self.reach.get_or_init(|| Reach::of(owner)))
    }

    /// Wakes it if it sleeps, after something has been published.
    #[inline]
    pub(super) fn ring(&self, bell: &Bell) {
        let segment = &self.segment;
        segment.ring.doorbell.ring(|| bell.ring(segment.title.bell()));
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
