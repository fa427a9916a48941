//! A barrier of few parties, in which each sees the flags of all others.
//!
//! Nobody counts the arrivals. Each party raises a flag on a line of its own and reads the flags of the others. So a
//! phase moves one line from each party to each other one, small values with it, and each party knows at once that all
//! have arrived; there is no last one that has to release the others.
//!
//! # Protocol
//!
//! * A party that arrives raises its flag, issues a fence, and reads the flags of the others. If all are up, it wakes
//!   those whose flags say that they sleep.
//! * A party that goes to sleep says so in its flag, issues a fence, and reads the flags of the others for the last
//!   time.
//!
//! Of all parties that arrive, the one whose fence comes last sees all flags up, and it sees every party that sleeps
//! without having seen all flags up.

use super::arrivals::are_tallied;
use super::guard::{Contributions, FlagPhaseGuard};
use super::party::Contribution;
use super::{ArrivalError, CyclicBarrier, Phase, Wait};
use crate::execution::spin_while_idle;
use crate::sync::{Ordering, fence};

/// The largest number of parties that use flags: each reads the lines of all others.
const MAX_PARTIES: usize = 4;

/// A cyclic barrier whose parties see each other's flags.
pub struct FlagBarrier<'a, T, R>(&'a CyclicBarrier<T, R>);

/// A party of a barrier with flags, in a phase.
pub(super) struct FlagParty<'a, T, R> {
    barrier: &'a CyclicBarrier<T, R>,
    party: usize,
    number: u64,
}

impl<T, R> CyclicBarrier<T, R> {
    /// The barrier with flags, if the parties are few.
    #[inline]
    #[must_use]
    pub fn as_flag_barrier(&self) -> Option<FlagBarrier<'_, T, R>> {
        self.uses_flags.then_some(FlagBarrier(self))
    }
}

/// Whether so many parties use flags: they are few, and there are not several of them on each worker.
pub(in super::super) fn uses_flags(parties: usize) -> bool {
    parties <= MAX_PARTIES && !are_tallied(parties)
}

impl<T, R> Clone for FlagBarrier<'_, T, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, R> Copy for FlagBarrier<'_, T, R> {}

impl<'a, T, R> FlagBarrier<'a, T, R> {
    /// Takes part in the next phase: contributes a value, and returns when all others have arrived. There is no barrier
    /// action and no result.
    ///
    /// The arguments are those of [`CyclicBarrier::arrive_and_wait`], which other parties may call in the same phase.
    ///
    /// # Errors
    ///
    /// [`ArrivalError`], when the party does not exist or is in a phase already.
    #[inline]
    pub fn arrive_and_wait(
        &self,
        party: usize,
        topic: u64,
        contribute: impl FnOnce(&mut T),
        wait: impl FnOnce(Wait<'_>),
    ) -> Result<FlagPhaseGuard<'a, T, R>, ArrivalError> {
        let guard = self.0.begin(party, topic, contribute)?;
        FlagParty::new(self.0, party, guard.number()).arrive(wait);
        Ok(FlagPhaseGuard(guard))
    }
}

impl<T, R> FlagPhaseGuard<'_, T, R> {
    /// All values that were contributed to the phase.
    #[inline]
    #[must_use]
    pub fn contributions(&self) -> Contributions<'_, T> {
        self.0.contributions()
    }

    /// Whether all have arrived for the same topic.
    #[inline]
    #[must_use]
    pub fn agreed(&self) -> bool {
        self.0.contributions().agree()
    }
}

impl<'a, T, R> FlagParty<'a, T, R> {
    #[inline]
    pub(super) fn new(barrier: &'a CyclicBarrier<T, R>, party: usize, number: u64) -> Self {
        Self {
            barrier,
            party,
            number,
        }
    }

    /// Arrives, and waits for the others.
    #[inline]
    pub(super) fn arrive(&self, wait: impl FnOnce(Wait<'_>)) {
        self.contribution().flag.arrive(self.number);
        // This look has the lines of the others fetched while the fence makes the party's own flag visible.
        let _ = self.have_all_arrived();
        fence(Ordering::SeqCst);
        if !self.have_all_arrived() {
            wait(Wait::for_others(&|| self.await_others()));
            // Correct whether or not `wait` uses its argument.
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
        self.phase().waiting.suspend_while(|| !self.have_all_arrived());
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

    #[inline]
    fn contributions(&self) -> impl Iterator<Item = &'a Contribution<T>> {
        let number = self.number;
        self.barrier
            .parties
            .iter()
            .map(move |party| party.contribution(number))
    }

    #[inline]
    fn contribution(&self) -> &'a Contribution<T> {
        self.barrier.parties[self.party].contribution(self.number)
    }

    #[inline]
    fn phase(&self) -> &'a Phase<R> {
        self.barrier.phase(self.number)
    }
}
