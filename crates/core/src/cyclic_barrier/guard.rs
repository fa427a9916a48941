//! Being at a meeting.

use crossbeam_utils::CachePadded;

use super::CyclicBarrier;
use super::party::Party;
use crate::sync::Ordering;

/// All that was brought to a meeting.
pub struct Contributions<'a, T> {
    parties: &'a [CachePadded<Party<T>>],
    number: u64,
}

// SAFETY:
// - what was brought is only read while anybody holds this (see the protocol), so sharing it shares `T`.
unsafe impl<T: Sync> Sync for Contributions<'_, T> {}

/// A party's presence at a meeting that has taken place. It has left when this is dropped.
pub struct PhaseGuard<'a, T, R> {
    place: &'a CyclicBarrier<T, R>,
    party: usize,
    number: u64,
}

/// A party's presence at a meeting of a [`FlagBarrier`](super::FlagBarrier). It has left when this is dropped.
pub struct FlagPhaseGuard<'a, T, R>(pub(super) PhaseGuard<'a, T, R>);

impl<'a, T> Contributions<'a, T> {
    /// Only for who knows that all parties have arrived.
    pub(super) fn new(parties: &'a [CachePadded<Party<T>>], number: u64) -> Self {
        Self { parties, number }
    }

    /// Whether all have arrived for the same.
    #[inline]
    pub(super) fn agree(&self) -> bool {
        let mut topics = self
            .parties
            .iter()
            .map(|party| party.contribution(self.number).flag.topic());
        let first = topics.next();
        topics.all(|topic| Some(topic) == first)
    }

    /// Number of parties.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parties.len()
    }

    /// Whether there are no parties, which never is so at a meeting.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parties.is_empty()
    }

    /// What each party brought, in their order.
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

/// What a party brought to the meeting of this number, which the caller is at.
#[inline]
fn value<T>(party: &Party<T>, number: u64) -> &T {
    // SAFETY:
    // - the caller holds a `Contributions`, so all parties have arrived: their values are written, and stay as they are
    //   until the caller has left (see the protocol).
    unsafe { &*party.contribution(number).value.get() }
}

impl<'a, T, R> PhaseGuard<'a, T, R> {
    /// The guard of a party that has begun the meeting of this number.
    #[inline]
    pub(super) fn new(place: &'a CyclicBarrier<T, R>, party: usize, number: u64) -> Self {
        Self { place, party, number }
    }

    /// The number of the meeting.
    #[inline]
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// All that was brought to the meeting.
    #[must_use]
    pub fn contributions(&self) -> Contributions<'_, T> {
        Contributions::new(&self.place.parties, self.number)
    }

    /// What the last party to arrive has left.
    ///
    /// # Panics
    ///
    /// When the last party has panicked.
    #[inline]
    #[must_use]
    pub fn result(&self) -> &R {
        let phase = self.place.phase(self.number);
        // Relaxed: seen with the end of the meeting.
        assert!(
            !phase.failed.load(Ordering::Relaxed),
            "the last party of the meeting panicked"
        );
        // SAFETY:
        // - the meeting has ended, and its result stays until this party, like all others, has left.
        unsafe { &*phase.result.get() }
    }
}

impl<T, R> Drop for PhaseGuard<'_, T, R> {
    #[inline]
    fn drop(&mut self) {
        self.place.parties[self.party].leave(self.number);
    }
}
