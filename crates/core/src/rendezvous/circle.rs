//! Few parties, who see each other.
//!
//! Nobody counts them: each shows a sign on its own line and looks for those of the others. So a meeting moves one line
//! from each to each, small values with it, and everybody knows at once that all have come; there need not be a last
//! one that tells the others.
//!
//! Who comes makes its sign visible (a fence) before it looks for the others, and who finds all there wakes those
//! whose signs say that they sleep; who sleeps says so (another fence) before it looks for the last time. Of all who
//! come, the one whose fence is the last sees everybody, and everybody who sleeps without having seen all.

use super::arrivals::are_tallied;
use super::seat::Gift;
use super::visit::{Brought, Presence};
use super::{Absence, Rendezvous, Round, Wait};
use crate::ec::spin_while_idle;
use crate::sync::{Ordering, fence};

/// Parties that see each other: the most whose lines each looks at.
const MOST: usize = 4;

/// A meeting place whose parties see each other.
pub struct Circle<'a, T, R>(&'a Rendezvous<T, R>);

/// A party in a circle, at a meeting.
pub(super) struct Member<'a, T, R> {
    place: &'a Rendezvous<T, R>,
    party: usize,
    number: u64,
}

impl<T, R> Rendezvous<T, R> {
    /// The place as its parties see it, if they are few.
    #[inline]
    #[must_use]
    pub fn circle(&self) -> Option<Circle<'_, T, R>> {
        self.is_circle.then_some(Circle(self))
    }
}

/// Whether so many parties see each other: if they are few, and not several on each worker.
pub(crate) fn is_circle(parties: usize) -> bool {
    parties <= MOST && !are_tallied(parties)
}

impl<T, R> Clone for Circle<'_, T, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, R> Copy for Circle<'_, T, R> {}

impl<'a, T, R> Circle<'a, T, R> {
    /// Takes part in the next meeting: brings something, and returns when all others have come. Nobody leaves a result.
    ///
    /// As [`Rendezvous::meet`], at which others may be without knowing the difference.
    ///
    /// # Errors
    ///
    /// [`Absence`], when the party does not exist or is at a meeting already.
    #[inline]
    pub fn face(
        &self,
        party: usize,
        topic: u64,
        bring: impl FnOnce(&mut T),
        wait: impl FnOnce(Wait<'_>),
    ) -> Result<Presence<'a, T, R>, Absence> {
        let visit = self.0.begin(party, topic, bring)?;
        Member::new(self.0, party, visit.number()).come(wait);
        Ok(Presence(visit))
    }
}

impl<T, R> Presence<'_, T, R> {
    /// All that was brought to the meeting.
    #[inline]
    #[must_use]
    pub fn brought(&self) -> Brought<'_, T> {
        self.0.brought()
    }

    /// Whether all have come for the same.
    #[inline]
    #[must_use]
    pub fn agreed(&self) -> bool {
        self.0.brought().agree()
    }
}

impl<'a, T, R> Member<'a, T, R> {
    #[inline]
    pub(super) fn new(place: &'a Rendezvous<T, R>, party: usize, number: u64) -> Self {
        Self { place, party, number }
    }

    /// Comes to the meeting, and waits for the others.
    #[inline]
    pub(super) fn come(&self, wait: impl FnOnce(Wait<'_>)) {
        self.gift().sign.come(self.number);
        // The others' lines are on their way while the party's own is made visible.
        let _ = self.are_all_here();
        fence(Ordering::SeqCst);
        if !self.are_all_here() {
            wait(Wait::for_others(&|| self.await_others()));
            // Nothing rests on what `wait` does with its argument.
            self.await_others();
        } else if self.does_anybody_sleep() {
            self.round().waiting.release_all();
        }
    }

    fn await_others(&self) {
        if spin_while_idle(|| self.are_all_here()) || self.are_all_here() {
            return;
        }
        self.gift().sign.lie_down(self.number);
        // Pairs with the one in `come`.
        fence(Ordering::SeqCst);
        self.round().waiting.freeze_at_once_while(|| !self.are_all_here());
    }

    #[inline]
    fn are_all_here(&self) -> bool {
        self.gifts().all(|gift| gift.sign.has_come(self.number))
    }

    fn does_anybody_sleep(&self) -> bool {
        self.gifts().any(|gift| gift.sign.sleeps(self.number))
    }

    fn gifts(&self) -> impl Iterator<Item = &'a Gift<T>> {
        let number = self.number;
        self.place.seats.iter().map(move |seat| seat.gift(number))
    }

    fn gift(&self) -> &'a Gift<T> {
        self.place.seats[self.party].gift(self.number)
    }

    fn round(&self) -> &'a Round<R> {
        self.place.round(self.number)
    }
}
