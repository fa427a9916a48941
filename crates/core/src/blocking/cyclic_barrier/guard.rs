//! A party's presence in a phase, and access to what all have contributed.

use crossbeam_utils::CachePadded;

use super::CyclicBarrier;
use super::party::Party;
use crate::sync::Ordering;

/// The values of all parties in a phase.
pub struct Contributions<'a, T> {
    parties: &'a [CachePadded<Party<T>>],
    number: u64,
}

// SAFETY:
// - the values are only read while anybody holds this (see the protocol), so sharing it shares `T`.
unsafe impl<T: Sync> Sync for Contributions<'_, T> {}

/// A party's presence in a phase in which all have arrived. The party leaves the phase when this is dropped.
#[clippy::has_significant_drop]
pub struct PhaseGuard<'a, T, R> {
    barrier: &'a CyclicBarrier<T, R>,
    party: usize,
    number: u64,
}

/// A party's presence in a phase of a [`FlagBarrier`](super::FlagBarrier). The party leaves the phase when this is
/// dropped.
#[clippy::has_significant_drop]
pub struct FlagPhaseGuard<'a, T, R>(pub(super) PhaseGuard<'a, T, R>);

impl<'a, T> Contributions<'a, T> {
    /// All parties must have arrived in the phase with this number.
    pub(super) fn new(parties: &'a [CachePadded<Party<T>>], number: u64) -> Self {
        Self { parties, number }
    }

    /// Whether all have arrived for the same topic.
    #[inline]
    pub(super) fn agree(&self) -> bool {
        let topic = |party: &CachePadded<Party<T>>| party.contribution(self.number).flag.topic();
        let mut topics = self.parties.iter().map(topic);
        let first = topics.next();
        topics.all(|topic| Some(topic) == first)
    }

    /// Number of parties.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parties.len()
    }

    /// Whether there are no parties, which is never so in a phase.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parties.is_empty()
    }

    /// The value of each party, in the order of the parties.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &'a T> + ExactSizeIterator + use<'a, T> {
        let (parties, number) = (self.parties, self.number);
        parties.iter().map(move |party| value(party, number))
    }
}

impl<T> std::ops::Index<usize> for Contributions<'_, T> {
    type Output = T;

    fn index(&self, party: usize) -> &T {
        value(&self.parties[party], self.number)
    }
}

/// A party's value in the phase with this number, in which the caller is.
#[inline]
fn value<T>(party: &Party<T>, number: u64) -> &T {
    // SAFETY:
    // - the caller holds a `Contributions`, so all parties have arrived: their values are written, and stay as they are
    //   until the caller has left (see the protocol).
    unsafe { &*party.contribution(number).value.get() }
}

impl<'a, T, R> PhaseGuard<'a, T, R> {
    /// The guard of a party that has begun the phase with this number.
    #[inline]
    pub(super) fn new(barrier: &'a CyclicBarrier<T, R>, party: usize, number: u64) -> Self {
        Self {
            barrier,
            party,
            number,
        }
    }

    /// The number of the phase.
    #[inline]
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// All values that were contributed to the phase.
    #[must_use]
    pub fn contributions(&self) -> Contributions<'_, T> {
        Contributions::new(&self.barrier.parties, self.number)
    }

    /// The result of the barrier action.
    ///
    /// # Panics
    ///
    /// When the barrier action has panicked.
    #[inline]
    #[must_use]
    pub fn result(&self) -> &R {
        let phase = self.barrier.phase(self.number);
        // Relaxed: seen with the end of the phase.
        assert!(
            !phase.failed.load(Ordering::Relaxed),
            "the last party of the meeting panicked"
        );
        // SAFETY:
        // - the phase has ended, and its result stays until this party, like all others, has left.
        unsafe { &*phase.result.get() }
    }
}

impl<T, R> Drop for PhaseGuard<'_, T, R> {
    #[inline]
    fn drop(&mut self) {
        self.barrier.parties[self.party].leave(self.number);
    }
}
