//! Being at a meeting.

use crossbeam_utils::CachePadded;

use super::Rendezvous;
use super::seat::Seat;
use crate::sync::Ordering;

/// All that was brought to a meeting.
pub struct Brought<'a, T> {
    seats: &'a [CachePadded<Seat<T>>],
    number: u64,
}

// SAFETY:
// - what was brought is only read while anybody holds this (see the protocol), so sharing it shares `T`.
unsafe impl<T: Sync> Sync for Brought<'_, T> {}

/// A party's presence at a meeting that has taken place. It has left when this is dropped.
pub struct Visit<'a, T, R> {
    place: &'a Rendezvous<T, R>,
    party: usize,
    number: u64,
}

/// A party's presence at a meeting of a [`Circle`](super::Circle). It has left when this is dropped.
pub struct Presence<'a, T, R>(pub(super) Visit<'a, T, R>);

impl<'a, T> Brought<'a, T> {
    /// Only for who knows that all parties have arrived.
    pub(super) fn new(seats: &'a [CachePadded<Seat<T>>], number: u64) -> Self {
        Self { seats, number }
    }

    /// Whether all have come for the same.
    #[inline]
    pub(super) fn agree(&self) -> bool {
        let mut topics = self.seats.iter().map(|seat| seat.gift(self.number).sign.topic());
        let first = topics.next();
        topics.all(|topic| Some(topic) == first)
    }

    /// Number of parties.
    #[must_use]
    pub fn len(&self) -> usize {
        self.seats.len()
    }

    /// Whether there are no parties, which never is so at a meeting.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seats.is_empty()
    }

    /// What each party brought, in their order.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &'a T> + ExactSizeIterator + use<'a, T> {
        let (seats, number) = (self.seats, self.number);
        seats.iter().map(move |seat| value(seat, number))
    }
}

impl<T> std::ops::Index<usize> for Brought<'_, T> {
    type Output = T;

    fn index(&self, party: usize) -> &T {
        value(&self.seats[party], self.number)
    }
}

/// What a party brought to the meeting of this number, which the caller is at.
#[inline]
fn value<T>(seat: &Seat<T>, number: u64) -> &T {
    // SAFETY:
    // - the caller holds a `Brought`, so all parties have arrived: their values are written, and stay as they are
    //   until the caller has left (see the protocol).
    unsafe { &*seat.gift(number).value.get() }
}

impl<'a, T, R> Visit<'a, T, R> {
    /// The visit of a party that has begun the meeting of this number.
    #[inline]
    pub(super) fn new(place: &'a Rendezvous<T, R>, party: usize, number: u64) -> Self {
        Self { place, party, number }
    }

    /// The number of the meeting.
    #[inline]
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// All that was brought to the meeting.
    #[must_use]
    pub fn brought(&self) -> Brought<'_, T> {
        Brought::new(&self.place.seats, self.number)
    }

    /// What the last party to arrive has left.
    ///
    /// # Panics
    ///
    /// When the last party has panicked.
    #[inline]
    #[must_use]
    pub fn result(&self) -> &R {
        let round = self.place.round(self.number);
        // Relaxed: seen with the end of the meeting.
        assert!(
            !round.failed.load(Ordering::Relaxed),
            "the last party of the meeting panicked"
        );
        // SAFETY:
        // - the meeting has ended, and its result stays until this party, like all others, has left.
        unsafe { &*round.result.get() }
    }
}

impl<T, R> Drop for Visit<'_, T, R> {
    #[inline]
    fn drop(&mut self) {
        self.place.seats[self.party].leave(self.number);
    }
}
