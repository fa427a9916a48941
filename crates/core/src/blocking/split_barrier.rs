//! A split-phase barrier: parties arrive with a value and do not wait, and the last one to arrive finds all values.
//!
//! It is for work that nobody waits for at once. A party *arrives* with a value and goes on. The last one gets the
//! completed phase ([`CompletedPhase`]): it may do the work itself, or divide it into shares
//! ([`CompletedPhase::divide`]), which anybody may claim one by one ([`SplitBarrier::claim_share`]). Whoever finishes
//! the last share gets the completed phase again. In the end the parties are released one after the other. A released
//! party may arrive with its next value while others have not been released yet: its slot belongs to it alone.
//!
//! # Protocol
//!
//! A slot belongs to its party until the party has arrived. Then it belongs to the last party, or, while there are
//! shares, to all that hold one, for reading. The release gives it back. A party's value is seen by the last one to
//! arrive (AcqRel on `missing`), by those that claim a share (AcqRel on `shares`), and by the one that gets the
//! completed phase again (AcqRel on `unfinished`). All counters are prepared for the next phase before the first party
//! is released.
//!
//! A claim is a compare-exchange of two numbers at once: the next share, and how many there are. So a claim that comes
//! late, by somebody that still knows of the barrier, finds no share, or a share of the next phase, which is as good.
//!
//! # Cost
//!
//! For each party, a locked instruction on its own line and one on a shared line. For each share, two on shared lines.

use std::cell::UnsafeCell;

use crossbeam_utils::CachePadded;

use super::cyclic_barrier::ArrivalError;
use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// A split-phase barrier for a fixed number of parties, which arrive with values `T`.
pub struct SplitBarrier<T> {
    slots: Box<[CachePadded<Slot<T>>]>,
    /// The number of parties that have not arrived.
    missing: CachePadded<AtomicUsize>,
    /// The next share to be claimed, and in the upper half the number of shares.
    shares: CachePadded<AtomicU64>,
    /// The number of shares that have not been finished.
    unfinished: AtomicUsize,
}

struct Slot<T> {
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

/// A phase in which all parties have arrived, with their values. Nobody else has it.
#[must_use = "dropping it releases all parties"]
pub struct CompletedPhase<'a, T>(&'a SplitBarrier<T>);

/// The values with which the parties have arrived.
pub struct PhaseValues<'a, T>(&'a SplitBarrier<T>);

/// A share of the work on the values of a phase.
#[must_use = "the phase is completed only when the share is finished"]
pub struct WorkShare<'a, T> {
    barrier: &'a SplitBarrier<T>,
    index: usize,
    of: usize,
}

/// Releases the parties one after the other, and yields each with its value; those left are released when this is
/// dropped.
pub struct ReleasedParties<'a, T> {
    barrier: &'a SplitBarrier<T>,
    next: usize,
}

impl<T> SplitBarrier<T> {
    /// A barrier for `parties`.
    #[must_use]
    pub fn new(parties: usize) -> Self {
        let slot = || Slot {
            taken: AtomicBool::new(false),
            value: UnsafeCell::new(None),
        };
        Self {
            slots: (0..parties).map(|_| CachePadded::new(slot())).collect(),
            missing: CachePadded::new(AtomicUsize::new(parties)),
            shares: CachePadded::new(AtomicU64::new(0)),
            unfinished: AtomicUsize::new(0),
        }
    }

    /// Has a party arrive with a value. The last one gets the completed phase.
    ///
    /// # Errors
    ///
    /// [`ArrivalError`], when there is no such party, or it has arrived already and has not been released.
    pub fn arrive(&self, party: usize, value: T) -> Result<Option<CompletedPhase<'_, T>>, ArrivalError> {
        let slot = &**self.slots.get(party).ok_or(ArrivalError::UnknownParty)?;
        // Acquire pairs with the Release in `ReleasedParties`.
        if slot.taken.swap(true, Ordering::Acquire) {
            return Err(ArrivalError::AlreadyArrived);
        }
        // SAFETY:
        // - the slot was free, so it is this party's alone until all have arrived.
        unsafe { *slot.value.get() = Some(value) };
        // AcqRel: the last party sees the values of all others.
        if self.missing.fetch_sub(1, Ordering::AcqRel) != 1 {
            return Ok(None);
        }
        // Relaxed: a party arrives again only after its release, which is later.
        self.missing.store(self.slots.len(), Ordering::Relaxed);
        Ok(Some(CompletedPhase(self)))
    }

    /// Whether a party has arrived and not been released.
    ///
    /// # Panics
    ///
    /// When there is no such party.
    #[must_use]
    pub fn has_arrived(&self, party: usize) -> bool {
        // Acquire: the caller may look at what the party did before.
        self.slots[party].taken.load(Ordering::Acquire)
    }

    /// Claims a share of the work, if one is left.
    pub fn claim_share(&self) -> Option<WorkShare<'_, T>> {
        let next = |shares: u64| (shares as u32 != (shares >> 32) as u32).then_some(shares + 1);
        // Acquire pairs with the Release in `divide`.
        let claimed = self
            .shares
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, next)
            .ok()?;
        Some(WorkShare {
            barrier: self,
            index: claimed as u32 as usize,
            of: (claimed >> 32) as usize,
        })
    }

    /// Whether no share is left to be claimed.
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
        self.0.slots.len()
    }

    /// Whether there are no parties.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The value of a party.
    #[must_use]
    pub fn of(self, party: usize) -> &'a T {
        // SAFETY:
        // - this exists as long as a `CompletedPhase` or a `WorkShare` is borrowed: all have arrived and none has been
        //   released, so the value is there and nobody writes it.
        let value = unsafe { &*self.0.slots[party].value.get() };
        value.as_ref().expect("every party brings a value")
    }
}

impl<'a, T> CompletedPhase<'a, T> {
    /// The values of the parties.
    #[must_use]
    pub fn values(&self) -> PhaseValues<'_, T> {
        PhaseValues(self.0)
    }

    /// Divides the work into shares, at least one, for anybody to [claim](SplitBarrier::claim_share).
    pub fn divide(self, shares: u32) {
        let barrier = self.0;
        std::mem::forget(self);
        let shares = shares.max(1);
        // Relaxed: published by the next store.
        barrier.unfinished.store(shares as usize, Ordering::Relaxed);
        // Release pairs with the Acquire in `claim_share`.
        barrier.shares.store(u64::from(shares) << 32, Ordering::Release);
    }

    /// Releases the parties.
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
    /// The index of the share, and the number of shares.
    #[must_use]
    pub fn share(&self) -> (usize, usize) {
        (self.index, self.of)
    }

    /// The values of the parties.
    #[must_use]
    pub fn values(&self) -> PhaseValues<'_, T> {
        // Nobody is released before all shares are finished, and this one is not.
        PhaseValues(self.barrier)
    }

    /// Says that the share is finished. Whoever finishes the last one gets the completed phase.
    #[must_use = "dropping it releases all parties"]
    pub fn finish(self) -> Option<CompletedPhase<'a, T>> {
        // AcqRel: the one that finishes the last share sees what was done in the others.
        let last = self.barrier.unfinished.fetch_sub(1, Ordering::AcqRel) == 1;
        last.then(|| CompletedPhase(self.barrier))
    }
}

impl<T> Iterator for ReleasedParties<'_, T> {
    type Item = (usize, T);

    fn next(&mut self) -> Option<(usize, T)> {
        let party = self.next;
        let slot = &**self.barrier.slots.get(party)?;
        self.next += 1;
        // SAFETY:
        // - all have arrived and this party has not been released, which only the owner of this value does.
        let value = unsafe { &mut *slot.value.get() }.take();
        // Release pairs with the Acquire in `arrive`.
        slot.taken.store(false, Ordering::Release);
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
    fn the_last_to_arrive_finds_the_values_of_all() {
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
    fn a_party_arrives_once_and_again_after_its_release() {
        let barrier = SplitBarrier::new(2);
        assert!(barrier.arrive(0, 'a').unwrap().is_none());
        assert_eq!(barrier.arrive(0, 'b').err(), Some(ArrivalError::AlreadyArrived));
        assert_eq!(barrier.arrive(2, 'b').err(), Some(ArrivalError::UnknownParty));
        let all = barrier.arrive(1, 'b').unwrap().expect("both are there");
        let mut released = all.release();
        assert_eq!(released.next(), Some((0, 'a')));
        assert!(barrier.arrive(0, 'c').unwrap().is_none());
        assert_eq!(barrier.arrive(1, 'd').err(), Some(ArrivalError::AlreadyArrived));
        drop(released);
        let all = barrier.arrive(1, 'd').unwrap().expect("both are there again");
        assert_eq!((*all.values().of(0), *all.values().of(1)), ('c', 'd'));
    }

    #[test]
    fn each_share_is_finished_once() {
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
