//! Few parties, who see each other.
//!
//! Nobody counts them: each shows a flag on its own line and looks for those of the others. So a meeting moves one line
//! from each to each, small values with it, and everybody knows at once that all have arrived; there need not be a last
//! one that tells the others.
//!
//! Who comes makes its flag visible (a fence) before it looks for the others, and who finds all there wakes those
//! whose signs say that they sleep; who sleeps says so (another fence) before it looks for the last time. Of all who
//! arrive, the one whose fence is the last sees everybody, and everybody who sleeps without having seen all.

use super::arrivals::are_tallied;
use super::guard::{Contributions, FlagPhaseGuard};
use super::party::Contribution;
use super::{ArrivalError, CyclicBarrier, Phase, Wait};
use crate::ec::spin_while_idle;
use crate::sync::{Ordering, fence};

/// Parties that see each other: the most whose lines each looks at.
const MAX_PARTIES: usize = 4;

/// A meeting place whose parties see each other.
pub struct FlagBarrier<'a, T, R>(&'a CyclicBarrier<T, R>);

/// A party in a circle, at a meeting.
pub(super) struct FlagParty<'a, T, R> {
    place: &'a CyclicBarrier<T, R>,
    party: usize,
    number: u64,
}

impl<T, R> CyclicBarrier<T, R> {
    /// The place as its parties see it, if they are few.
    #[inline]
    #[must_use]
    pub fn as_flag_barrier(&self) -> Option<FlagBarrier<'_, T, R>> {
        self.uses_flags.then_some(FlagBarrier(self))
    }
}

/// Whether so many parties see each other: if they are few, and not several on each worker.
pub(crate) fn uses_flags(parties: usize) -> bool {
    parties <= MAX_PARTIES && !are_tallied(parties)
}

impl<T, R> Clone for FlagBarrier<'_, T, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, R> Copy for FlagBarrier<'_, T, R> {}

impl<'a, T, R> FlagBarrier<'a, T, R> {
    /// Takes part in the next meeting: brings something, and returns when all others have arrived. Nobody leaves a result.
    ///
    /// As [`CyclicBarrier::arrive_and_wait`], at which others may be without knowing the difference.
    ///
    /// # Errors
    ///
    /// [`ArrivalError`], when the party does not exist or is at a meeting already.
    #[inline]
    pub fn arrive_and_wait(
        &self,
        party: usize,
        topic: u64,
        bring: impl FnOnce(&mut T),
        wait: impl FnOnce(Wait<'_>),
    ) -> Result<FlagPhaseGuard<'a, T, R>, ArrivalError> {
        let guard = self.0.begin(party, topic, bring)?;
        FlagParty::new(self.0, party, guard.number()).arrive(wait);
        Ok(FlagPhaseGuard(guard))
    }
}

impl<T, R> FlagPhaseGuard<'_, T, R> {
    /// All that was brought to the meeting.
    #[inline]
    #[must_use]
    pub fn contributions(&self) -> Contributions<'_, T> {
        self.0.contributions()
    }

    /// Whether all have arrived for the same.
    #[inline]
    #[must_use]
    pub fn agreed(&self) -> bool {
        self.0.contributions().agree()
    }
}

impl<'a, T, R> FlagParty<'a, T, R> {
    #[inline]
    pub(super) fn new(place: &'a CyclicBarrier<T, R>, party: usize, number: u64) -> Self {
        Self { place, party, number }
    }

    /// Comes to the meeting, and waits for the others.
    #[inline]
    pub(super) fn arrive(&self, wait: impl FnOnce(Wait<'_>)) {
        self.contribution().flag.arrive(self.number);
        // The others' lines are on their way while the party's own is made visible.
        let _ = self.have_all_arrived();
        fence(Ordering::SeqCst);
        if !self.have_all_arrived() {
            wait(Wait::for_others(&|| self.await_others()));
            // Nothing rests on what `wait` does with its argument.
            self.await_others();
        } else if self.is_anybody_asleep() {
            self.phase().waiting.release_all();
        }
    }

    fn await_others(&self) {
        if spin_while_idle(|| self.have_all_arrived()) || self.have_all_arrived() {
            return;
        }
        self.contribution().flag.announce_sleep(self.number);
        // Pairs with the one in `arrive`.
        fence(Ordering::SeqCst);
        self.phase()
            .waiting
            .freeze_at_once_while(|| !self.have_all_arrived());
    }

    #[inline]
    fn have_all_arrived(&self) -> bool {
        self.contributions()
            .all(|contribution| contribution.flag.has_arrived(self.number))
    }

    fn is_anybody_asleep(&self) -> bool {
        self.contributions()
            .any(|contribution| contribution.flag.is_asleep(self.number))
    }

    fn contributions(&self) -> impl Iterator<Item = &'a Contribution<T>> {
        let number = self.number;
        self.place
            .parties
            .iter()
            .map(move |party| party.contribution(number))
    }

    fn contribution(&self) -> &'a Contribution<T> {
        self.place.parties[self.party].contribution(self.number)
    }

    fn phase(&self) -> &'a Phase<R> {
        self.place.phase(self.number)
    }
}
