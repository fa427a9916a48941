//! A party of a cyclic barrier.

use std::cell::UnsafeCell;

use super::ArrivalError;
use super::arrivals::Home;
use super::flag::Flag;
use crate::sync::{AtomicU64, Ordering, if_biased};

/// A party's own lines, which nobody else writes.
pub(super) struct Party<T> {
    /// Twice the number of phases begun, and [`PRESENT`] while the party is in one.
    begun: AtomicU64,
    homes: [Home; 2],
    /// For even and odd phases.
    contributions: [Contribution<T>; 2],
}

/// A party's flag and value in a phase. A small value lies on the line of the flag.
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
    /// Begins the party's next phase with a topic, and returns the number of the phase, counted from one.
    #[inline]
    pub(super) fn begin(&self, topic: u64) -> Result<u64, ArrivalError> {
        let begun = self.begun.load(Ordering::Relaxed);
        if begun & PRESENT != 0 {
            return Err(ArrivalError::AlreadyArrived);
        }
        let present = begun + 2 + PRESENT;
        let plain = || {
            // Relaxed: no other thread can have changed it.
            self.begun.store(present, Ordering::Relaxed);
            Ok(begun)
        };
        // Acquire pairs with the Release in `leave`, which another thread may have called for this party.
        let locked = || {
            self.begun
                .compare_exchange(begun, present, Ordering::Acquire, Ordering::Relaxed)
        };
        if_biased(plain, locked).map_err(|_| ArrivalError::AlreadyArrived)?;
        let number = begun / 2 + 1;
        self.contribution(number).flag.set_topic(topic);
        Ok(number)
    }

    /// The party's flag and value in the phase with this number.
    #[inline]
    pub(super) fn contribution(&self, number: u64) -> &Contribution<T> {
        &self.contributions[(number & 1) as usize]
    }

    /// The slot in which the party is expected, in phases of the parity of this number.
    #[inline]
    pub(super) fn home(&self, number: u64) -> &Home {
        &self.homes[(number & 1) as usize]
    }

    /// The party's topic, if it is in a phase.
    pub(super) fn present_for(&self) -> Option<u64> {
        // Relaxed: for a report, when nothing moves any more.
        let begun = self.begun.load(Ordering::Relaxed);
        (begun & PRESENT != 0).then(|| self.contribution(begun / 2).flag.topic())
    }

    /// Ends the party's presence in the phase with this number.
    #[inline]
    pub(super) fn leave(&self, number: u64) {
        // Release: see `begin`. The others learn from the party's next arrival that it has left.
        self.begun.store(2 * number, Ordering::Release);
    }
}
