//! A party's place.

use std::cell::UnsafeCell;

use super::ArrivalError;
use super::arrivals::Home;
use super::flag::Flag;
use crate::sync::{AtomicU64, Ordering};

/// A party's own lines: what only it writes.
pub(super) struct Party<T> {
    /// Twice the number of meetings begun, and [`PRESENT`] while the party is at one.
    begun: AtomicU64,
    homes: [Home; 2],
    /// For the meetings of either kind.
    contributions: [Contribution<T>; 2],
}

/// What a party shows and brings. A small value lies on the line of the flag.
#[derive(Default)]
#[repr(C, align(64))]
pub(super) struct Contribution<T> {
    pub(super) flag: Flag,
    pub(super) value: UnsafeCell<T>,
}

const PRESENT: u64 = 1;

impl<T: Default> Party<T> {
    pub(super) fn new() -> Self {
        Self {
            begun: AtomicU64::new(0),
            homes: <[Home; 2]>::default(),
            contributions: <[Contribution<T>; 2]>::default(),
        }
    }
}

impl<T> Party<T> {
    /// Begins the party's next meeting, for which it comes with a topic, and returns its number, counted from one.
    #[inline]
    pub(super) fn begin(&self, topic: u64) -> Result<u64, ArrivalError> {
        let begun = self.begun.load(Ordering::Relaxed);
        if begun & PRESENT != 0 {
            return Err(ArrivalError::AlreadyArrived);
        }
        // Acquire pairs with the Release in `leave`, which another thread may have called for this party.
        self.begun
            .compare_exchange(begun, begun + 2 + PRESENT, Ordering::Acquire, Ordering::Relaxed)
            .map_err(|_| ArrivalError::AlreadyArrived)?;
        let number = begun / 2 + 1;
        self.contribution(number).flag.announce(topic);
        Ok(number)
    }

    /// What the party shows and brings at the meeting of this number.
    #[inline]
    pub(super) fn contribution(&self, number: u64) -> &Contribution<T> {
        &self.contributions[(number & 1) as usize]
    }

    /// Where the party is expected at a meeting of the kind of this number.
    #[inline]
    pub(super) fn home(&self, number: u64) -> &Home {
        &self.homes[(number & 1) as usize]
    }

    /// What the party has arrived for, if it is at a meeting.
    pub(super) fn present_for(&self) -> Option<u64> {
        // Relaxed: a glance, of use when nothing moves any more.
        let begun = self.begun.load(Ordering::Relaxed);
        (begun & PRESENT != 0).then(|| self.contribution(begun / 2).flag.topic())
    }

    /// Ends the party's presence at the meeting of this number.
    #[inline]
    pub(super) fn leave(&self, number: u64) {
        // Release: see `begin`; that this party has left is also what everybody learns from its next arrival.
        self.begun.store(2 * number, Ordering::Release);
    }
}
