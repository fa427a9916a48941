//! What a party shows to the others: that it has come, and for what.

use crate::sync::{AtomicU64, Ordering};

/// A party's sign at one of two alternating meetings. Only the party writes it.
#[derive(Default)]
pub(super) struct Sign {
    /// Twice the number of the last meeting that the party has come to, and [`ASLEEP`] if it freezes until the others
    /// come.
    came: AtomicU64,
    /// What it has come for.
    topic: AtomicU64,
}

const ASLEEP: u64 = 1;

impl Sign {
    /// Says what the party comes for, before it comes.
    #[inline]
    pub(super) fn announce(&self, topic: u64) {
        // Relaxed: published by `come`, or by the counts of a larger company.
        self.topic.store(topic, Ordering::Relaxed);
    }

    /// What the party has come for the last time.
    #[inline]
    pub(super) fn topic(&self) -> u64 {
        // Relaxed: ordered by `came`, or a glance.
        self.topic.load(Ordering::Relaxed)
    }

    /// The party comes to a meeting, and has brought what it brings.
    #[inline]
    pub(super) fn come(&self, number: u64) {
        // Release pairs with the Acquire in `has_come`.
        self.came.store(2 * number, Ordering::Release);
    }

    /// The party, which has come, freezes until the others come.
    #[inline]
    pub(super) fn lie_down(&self, number: u64) {
        // Release: as in `come`.
        self.came.store(2 * number + ASLEEP, Ordering::Release);
    }

    /// Whether the party has come to a meeting. It cannot have come to a later one of the same kind.
    #[inline]
    pub(super) fn has_come(&self, number: u64) -> bool {
        // Acquire pairs with the Release in `come` and `lie_down`.
        self.came.load(Ordering::Acquire) / 2 == number
    }

    /// Whether the party freezes until the others come.
    #[inline]
    pub(super) fn sleeps(&self, number: u64) -> bool {
        // Relaxed: ordered by the fences of who sleeps and who comes.
        self.came.load(Ordering::Relaxed) == 2 * number + ASLEEP
    }
}
