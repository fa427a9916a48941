//! A party's place.

use std::cell::UnsafeCell;

use super::Absence;
use super::arrivals::Home;
use crate::sync::{AtomicU64, Ordering};

/// A party's own lines: what only it writes.
#[repr(C)]
pub(super) struct Seat<T> {
    /// Twice the number of meetings begun, and [`PRESENT`] while the party is at one.
    begun: AtomicU64,
    /// What the party has come for the last time.
    topic: AtomicU64,
    pub(super) homes: [Home; 2],
    pub(super) brought: [UnsafeCell<T>; 2],
}

const PRESENT: u64 = 1;

impl<T: Default> Seat<T> {
    pub(super) fn new() -> Self {
        Self {
            begun: AtomicU64::new(0),
            topic: AtomicU64::new(0),
            homes: [Home::default(), Home::default()],
            brought: [UnsafeCell::default(), UnsafeCell::default()],
        }
    }
}

impl<T> Seat<T> {
    /// Begins the party's next meeting, for which it comes with a topic, and returns its number, counted from one.
    #[inline]
    pub(super) fn begin(&self, topic: u64) -> Result<u64, Absence> {
        let begun = self.begun.load(Ordering::Relaxed);
        if begun & PRESENT != 0 {
            return Err(Absence::Present);
        }
        // Acquire pairs with the Release in `leave`, which another thread may have called for this party.
        self.begun
            .compare_exchange(begun, begun + 2 + PRESENT, Ordering::Acquire, Ordering::Relaxed)
            .map_err(|_| Absence::Present)?;
        // Relaxed: who looks at it does not rest on it.
        self.topic.store(topic, Ordering::Relaxed);
        Ok(begun / 2 + 1)
    }

    /// What the party has come for, if it is at a meeting.
    pub(super) fn present_for(&self) -> Option<u64> {
        // Relaxed: a glance, of use when nothing moves any more.
        let present = self.begun.load(Ordering::Relaxed) & PRESENT != 0;
        present.then(|| self.topic.load(Ordering::Relaxed))
    }

    /// Ends the party's presence at the meeting of this number.
    #[inline]
    pub(super) fn leave(&self, number: u64) {
        // Release: see `begin`; that this party has left is also what everybody learns from its next arrival.
        self.begun.store(2 * number, Ordering::Release);
    }
}
