//! What a party shows to the others: that it has arrived, and for what.

use crate::sync::{AtomicU64, Ordering};

/// A party's flag at one of two alternating meetings. Only the party writes it.
#[derive(Default)]
pub(super) struct Flag {
    /// Twice the number of the last meeting that the party has arrived to, and [`ASLEEP`] if it freezes until the others
    /// arrive.
    arrived: AtomicU64,
    /// What it has arrived for.
    topic: AtomicU64,
}

const ASLEEP: u64 = 1;

impl Flag {
    /// Says what the party comes for, before it comes.
    #[inline]
    pub(super) fn announce(&self, topic: u64) {
        // Relaxed: published by `arrive`, or by the counts of a larger company.
        self.topic.store(topic, Ordering::Relaxed);
    }

    /// What the party has arrived for the last time.
    #[inline]
    pub(super) fn topic(&self) -> u64 {
        // Relaxed: ordered by `arrived`, or a glance.
        self.topic.load(Ordering::Relaxed)
    }

    /// The party comes to a meeting, and has brought what it brings.
    #[inline]
    pub(super) fn arrive(&self, number: u64) {
        // Release pairs with the Acquire in `has_arrived`.
        self.arrived.store(2 * number, Ordering::Release);
    }

    /// The party, which has arrived, freezes until the others arrive.
    #[inline]
    pub(super) fn announce_sleep(&self, number: u64) {
        // Release: as in `arrive`.
        self.arrived.store(2 * number + ASLEEP, Ordering::Release);
    }

    /// Whether the party has arrived to a meeting. It cannot have arrived to a later one of the same kind.
    #[inline]
    pub(super) fn has_arrived(&self, number: u64) -> bool {
        // Acquire pairs with the Release in `arrive` and `announce_sleep`.
        self.arrived.load(Ordering::Acquire) / 2 == number
    }

    /// Whether the party freezes until the others arrive.
    #[inline]
    pub(super) fn is_asleep(&self, number: u64) -> bool {
        // Relaxed: ordered by the fences of who sleeps and who comes.
        self.arrived.load(Ordering::Relaxed) == 2 * number + ASLEEP
    }
}
