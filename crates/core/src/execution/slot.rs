//! The place of one worker in a wait list.

use super::{EcRef, Suspended};

/// The execution contexts of one worker that wait in a list.
#[derive(Default)]
pub(crate) struct Slot {
    /// Coroutines, linked through their control blocks.
    pub(crate) suspended: Suspended,
    /// Execution contexts that wait by their park token.
    pub(crate) by_token: Vec<EcRef>,
    /// Their arrivals, where the list is that of a [`CyclicBarrier`](crate::CyclicBarrier).
    pub(crate) tally: Tally,
}

/// Arrivals at a barrier on one worker, under the lock of the worker's slot.
///
/// A tally knows how many parties to expect. It is complete when all of them have arrived; then somebody claims the
/// arrivals that have not been reported yet, and reports them.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) expected: usize,
    pub(crate) arrived: usize,
    /// Arrivals that somebody has reported, or is about to.
    claimed: usize,
    /// The topic of the parties: zero before the first one, [`MIXED_TOPICS`] if they differ.
    topic: u64,
    /// Whether a party has promised to release the others.
    is_promised: bool,
}

/// The topic of parties that have not arrived for the same.
pub(crate) const MIXED_TOPICS: u64 = u64::MAX;

impl Tally {
    /// Notes what a party has arrived for.
    #[inline]
    pub(crate) fn note(&mut self, topic: u64) {
        if self.topic == 0 {
            self.topic = topic;
        } else if self.topic != topic {
            self.topic = MIXED_TOPICS;
        }
    }

    /// Claims the arrivals that nobody has reported, if all parties have arrived and there are such arrivals. Returns
    /// their number and topic.
    #[inline]
    pub(crate) fn claim(&mut self) -> Option<(usize, u64)> {
        if self.arrived != self.expected || self.arrived == self.claimed {
            return None;
        }
        let new = self.arrived - self.claimed;
        self.claimed = self.arrived;
        Some((new, self.topic))
    }

    /// Notes that a party promises to release the others. False if one has done so before.
    #[inline]
    pub(crate) fn promise(&mut self) -> bool {
        !std::mem::replace(&mut self.is_promised, true)
    }

    /// Begins anew, with the same parties expected.
    #[inline]
    pub(crate) fn reset(&mut self) {
        *self = Self {
            expected: self.expected,
            ..Self::default()
        };
    }
}
