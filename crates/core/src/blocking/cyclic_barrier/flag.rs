//! The flag of a party: that it has arrived, and for what.

use crate::sync::{AtomicU64, Ordering};

/// A party's flag for one of two alternating phases. Only the party writes it.
#[derive(Default)]
pub(super) struct Flag {
    /// Twice the number of the last phase in which the party has arrived, and [`ASLEEP`] if it suspends until the
    /// others arrive.
    arrived: AtomicU64,
    /// The topic for which it has arrived.
    topic: AtomicU64,
}

const ASLEEP: u64 = 1;

impl Flag {
    /// Sets the topic, before the party arrives.
    #[inline]
    pub(super) fn set_topic(&self, topic: u64) {
        // Relaxed: published by `arrive`, or by the counts of a barrier without flags.
        self.topic.store(topic, Ordering::Relaxed);
    }

    /// The topic of the party's last arrival.
    #[inline]
    pub(super) fn topic(&self) -> u64 {
        // Relaxed: ordered by `arrived`, or for a report.
        self.topic.load(Ordering::Relaxed)
    }

    /// Says that the party has arrived in a phase, and publishes its contribution.
    #[inline]
    pub(super) fn arrive(&self, number: u64) {
        // Release pairs with the Acquire in `has_arrived`.
        self.arrived.store(2 * number, Ordering::Release);
    }

    /// Says that the party, which has arrived, suspends until the others arrive.
    #[inline]
    pub(super) fn announce_sleep(&self, number: u64) {
        // Release: as in `arrive`.
        self.arrived.store(2 * number + ASLEEP, Ordering::Release);
    }

    /// Whether the party has arrived in a phase. It cannot have arrived in a later one of the same parity.
    #[inline]
    pub(super) fn has_arrived(&self, number: u64) -> bool {
        // Acquire pairs with the Release in `arrive` and `announce_sleep`.
        self.arrived.load(Ordering::Acquire) / 2 == number
    }

    /// Whether the party suspends until the others arrive.
    #[inline]
    pub(super) fn is_asleep(&self, number: u64) -> bool {
        // Relaxed: ordered by the fences of the party that sleeps and of the one that arrives.
        self.arrived.load(Ordering::Relaxed) == 2 * number + ASLEEP
    }
}
