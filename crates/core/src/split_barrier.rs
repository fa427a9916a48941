//! Where parties leave things without waiting, and whoever comes last finds them all.
//!
//! It is a meeting in two phases, for work that nobody waits for at once. A party *brings* a value and goes on. The
//! last one gets all that was brought ([`CompletedPhase`]): it may do what is to be done itself, or cut it into shares
//! ([`CompletedPhase::divide`]), which whoever has time takes one by one ([`SplitBarrier::claim_share`]); the one that finishes the
//! last share has it all again. In the end the parties are dismissed one after the other. From then on a party may
//! bring its next value, while others have not been dismissed yet: what belongs to it alone is its seat.
//!
//! # Protocol
//!
//! A seat is its party's until the party has come, then it is the last one's or, while there are shares, that of all
//! who hold one, to read; dismissal gives it back. What a party wrote is seen by the last to come (AcqRel on
//! `missing`), by who claims a share (AcqRel on `shares`), and by who gets everything back (AcqRel on `undone`). All
//! counters are made ready for the next time before the first party is dismissed.
//!
//! A share is claimed by a compare-exchange of both numbers, the next share and how many there are. So a claim that
//! comes late, by somebody who still knows of the barrier, finds no share, or one of the next time: that is as good.
//!
//! # Cost
//!
//! Per party: a locked instruction on its own line and one on a line of all. Per share: two on lines of all.

use std::cell::UnsafeCell;

use crossbeam_utils::CachePadded;

use crate::cyclic_barrier::ArrivalError;
use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// A barrier of a fixed number of parties, which bring values `T`, again and again.
pub struct SplitBarrier<T> {
    seats: Box<[CachePadded<Seat<T>>]>,
    /// Parties that have not come.
    missing: CachePadded<AtomicUsize>,
    /// The next share to be taken, and in the upper half the number of shares.
    shares: CachePadded<AtomicU64>,
    /// Shares that have not been done.
    undone: AtomicUsize,
}

struct Seat<T> {
    taken: AtomicBool,
    value: UnsafeCell<Option<T>>,
}

// SAFETY:
// - a value is written by its party, read by whoever the protocol lets see it, on any thread, and taken by one of
//   them, in this order with synchronisation in between.
unsafe impl<T: Send + Sync> Sync for SplitBarrier<T> {}
// SAFETY:
// - as above.
unsafe impl<T: Send> Send for SplitBarrier<T> {}

/// All that was brought: nobody else has it.
#[must_use = "dropping it dismisses all parties"]
pub struct CompletedPhase<'a, T>(&'a SplitBarrier<T>);

/// A look at all that was brought.
pub struct PhaseValues<'a, T>(&'a SplitBarrier<T>);

/// A share of the work on what was brought.
#[must_use = "the barrier goes on only when the share is done"]
pub struct WorkShare<'a, T> {
    barrier: &'a SplitBarrier<T>,
    index: usize,
    of: usize,
}

/// The parties as they are dismissed, each with what it brought; those left are dismissed when this is dropped.
pub struct ReleasedParties<'a, T> {
    barrier: &'a SplitBarrier<T>,
    next: usize,
}

impl<T> SplitBarrier<T> {
    /// A barrier of `parties`.
    #[must_use]
    pub fn new(parties: usize) -> Self {
        let seat = || Seat {
            taken: AtomicBool::new(false),
            value: UnsafeCell::new(None),
        };
        Self {
            seats: (0..parties).map(|_| CachePadded::new(seat())).collect(),
            missing: CachePadded::new(AtomicUsize::new(parties)),
            shares: CachePadded::new(AtomicU64::new(0)),
            undone: AtomicUsize::new(0),
        }
    }

    /// Leaves what a party brings. The last one gets everything.
    ///
    /// # Errors
    ///
    /// [`ArrivalError`], when there is no such party, or it has come already and not been dismissed.
    pub fn arrive(&self, party: usize, value: T) -> Result<Option<CompletedPhase<'_, T>>, ArrivalError> {
        let seat = &**self.seats.get(party).ok_or(ArrivalError::UnknownParty)?;
        // Acquire pairs with the Release in `ReleasedParties`.
        if seat.taken.swap(true, Ordering::Acquire) {
            return Err(ArrivalError::AlreadyArrived);
        }
        // SAFETY:
        // - the seat was free, so it is this party's alone until all have come.
        unsafe { *seat.value.get() = Some(value) };
        // AcqRel: the last party sees what all others have brought.
        if self.missing.fetch_sub(1, Ordering::AcqRel) != 1 {
            return Ok(None);
        }
        // Relaxed: who brings something next has been dismissed, which is later.
        self.missing.store(self.seats.len(), Ordering::Relaxed);
        Ok(Some(CompletedPhase(self)))
    }

    /// Whether a party has come and not been dismissed.
    ///
    /// # Panics
    ///
    /// When there is no such party.
    #[must_use]
    pub fn has_arrived(&self, party: usize) -> bool {
        // Acquire: who asks may look at what the party did before.
        self.seats[party].taken.load(Ordering::Acquire)
    }

    /// Takes a share, if one is left.
    pub fn claim_share(&self) -> Option<WorkShare<'_, T>> {
        let next = |shares: u64| (shares as u32 != (shares >> 32) as u32).then_some(shares + 1);
        // Acquire pairs with the Release in `divide`.
        let taken = self
            .shares
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, next)
            .ok()?;
        Some(WorkShare {
            barrier: self,
            index: taken as u32 as usize,
            of: (taken >> 32) as usize,
        })
    }

    /// Whether no share is left to be taken.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        // Relaxed: a hint.
        let shares = self.shares.load(Ordering::Relaxed);
        shares as u32 == (shares >> 32) as u32
    }
}

impl<T> Clone for PhaseValues<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for PhaseValues<'_, T> {}

impl<'a, T> PhaseValues<'a, T> {
    /// Number of parties.
    #[must_use]
    pub fn len(self) -> usize {
        self.0.seats.len()
    }

    /// Whether there are no parties.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// What a party has brought.
    #[must_use]
    pub fn of(self, party: usize) -> &'a T {
        // SAFETY:
        // - this exists as long as a `CompletedPhase` or a `WorkShare` is borrowed: all have come and none has been dismissed, so
        //   the value is there and nobody writes it.
        let value = unsafe { &*self.0.seats[party].value.get() };
        value.as_ref().expect("every party brings a value")
    }
}

impl<'a, T> CompletedPhase<'a, T> {
    /// What the parties have brought.
    #[must_use]
    pub fn values(&self) -> PhaseValues<'_, T> {
        PhaseValues(self.0)
    }

    /// Cuts the work into shares, at least one, for whoever [claims](SplitBarrier::claim_share) them.
    pub fn divide(self, shares: u32) {
        let barrier = self.0;
        std::mem::forget(self);
        let shares = shares.max(1);
        // Relaxed: published by the next line.
        barrier.undone.store(shares as usize, Ordering::Relaxed);
        // Release pairs with the Acquire in `claim_share`.
        barrier.shares.store(u64::from(shares) << 32, Ordering::Release);
    }

    /// Lets the parties go.
    pub fn release(self) -> ReleasedParties<'a, T> {
        let barrier = self.0;
        std::mem::forget(self);
        ReleasedParties { barrier, next: 0 }
    }
}

impl<T> Drop for CompletedPhase<'_, T> {
    fn drop(&mut self) {
        drop(ReleasedParties {
            barrier: self.0,
            next: 0,
        });
    }
}

impl<'a, T> WorkShare<'a, T> {
    /// Which of how many shares it is.
    #[must_use]
    pub fn share(&self) -> (usize, usize) {
        (self.index, self.of)
    }

    /// What the parties have brought.
    #[must_use]
    pub fn values(&self) -> PhaseValues<'_, T> {
        // Nobody is dismissed before all shares are done, and this one is not.
        PhaseValues(self.barrier)
    }

    /// Says that the share is done. Whoever finishes the last one gets everything.
    #[must_use = "dropping it dismisses all parties"]
    pub fn finish(self) -> Option<CompletedPhase<'a, T>> {
        // AcqRel: who finishes the last share comes after all that was done in the others.
        let last = self.barrier.undone.fetch_sub(1, Ordering::AcqRel) == 1;
        last.then(|| CompletedPhase(self.barrier))
    }
}

impl<T> Iterator for ReleasedParties<'_, T> {
    type Item = (usize, T);

    fn next(&mut self) -> Option<(usize, T)> {
        let party = self.next;
        let seat = &**self.barrier.seats.get(party)?;
        self.next += 1;
        // SAFETY:
        // - all have come and this party has not been dismissed, which only the owner of this value does.
        let value = unsafe { &mut *seat.value.get() }.take();
        // Release pairs with the Acquire in `arrive`.
        seat.taken.store(false, Ordering::Release);
        Some((party, value.expect("every party brings a value")))
    }
}

impl<T> Drop for ReleasedParties<'_, T> {
    fn drop(&mut self) {
        self.for_each(drop);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn the_last_to_come_finds_what_all_have_brought() {
        let barrier = SplitBarrier::new(3);
        for round in 0..3 {
            assert!(barrier.arrive(2, round + 2).unwrap().is_none());
            assert!(barrier.arrive(0, round).unwrap().is_none());
            let all = barrier.arrive(1, round + 1).unwrap().expect("all are there");
            assert!((0..all.values().len()).all(|party| *all.values().of(party) == round + party));
            assert!(all.release().eq((0..3).map(|party| (party, round + party))));
        }
    }

    #[test]
    fn a_party_comes_once_and_again_when_it_has_been_dismissed() {
        let barrier = SplitBarrier::new(2);
        assert!(barrier.arrive(0, 'a').unwrap().is_none());
        assert_eq!(barrier.arrive(0, 'b').err(), Some(ArrivalError::AlreadyArrived));
        assert_eq!(barrier.arrive(2, 'b').err(), Some(ArrivalError::UnknownParty));
        let all = barrier.arrive(1, 'b').unwrap().expect("both are there");
        let mut dismissal = all.release();
        assert_eq!(dismissal.next(), Some((0, 'a')));
        assert!(barrier.arrive(0, 'c').unwrap().is_none());
        assert_eq!(barrier.arrive(1, 'd').err(), Some(ArrivalError::AlreadyArrived));
        drop(dismissal);
        let all = barrier.arrive(1, 'd').unwrap().expect("both are there again");
        assert_eq!((*all.values().of(0), *all.values().of(1)), ('c', 'd'));
    }

    #[test]
    fn each_share_is_done_once() {
        const SHARES: u32 = 1000;
        let barrier = SplitBarrier::new(1);
        let sum = AtomicUsize::new(0);
        assert!(barrier.claim_share().is_none());
        barrier.arrive(0, 5).unwrap().expect("alone").divide(SHARES);
        let work = || {
            let mut ends = 0;
            while let Some(claim) = barrier.claim_share() {
                let (index, of) = claim.share();
                assert_eq!((of, *claim.values().of(0)), (SHARES as usize, 5));
                sum.fetch_add(index, Ordering::Relaxed);
                ends += claim.finish().map_or(0, |all| all.release().count());
            }
            ends
        };
        let ends: usize = thread::scope(|scope| {
            let workers = [scope.spawn(work), scope.spawn(work)];
            workers.map(|worker| worker.join().unwrap()).iter().sum()
        });
        assert_eq!((ends, sum.into_inner()), (1, 999 * 1000 / 2));
        assert!(barrier.is_exhausted());
    }
}
