//! Counting arrivals, first on each worker and then altogether.
//!
//! Where each worker has several parties, the arrivals of a worker are tallied in the slot of the wait list in which
//! its parties then suspend: one lock serves both, on a line that stays on the worker's core. A tally knows how many
//! parties to expect. Only a complete tally is reported to the common count. So a phase moves the line of the common
//! count once per worker, and not once per party.
//!
//! # Protocol
//!
//! Parties move between workers, and what a tally expects follows them: a party that arrives on another worker than
//! last time is expected there from then on, and no longer in the old place. So a tally becomes complete by the arrival
//! of a party, or because one is no longer expected. Whoever completes a tally claims, in the same step under its lock,
//! the arrivals that have not been reported, and then reports them. So no arrival is counted late, twice, or not at
//! all. (Were the claim a step of its own, a slow reporter could count into the next phase: the model in
//! `tests/loom.rs` finds that.)
//!
//! Few parties are counted at once, on the line of the common count.
//!
//! Whoever reports the arrivals of a worker may promise to release its parties ([`watch`](super::watch)).

use crossbeam_utils::CachePadded;

use super::common_count::{CommonCount, PROMISED};
use crate::blocking::wait_list::WaitList;
use crate::execution::{MIXED_TOPICS, Slot, may_spin, slot_count};
use crate::sync::{AtomicU32, AtomicU64, Ordering, SpinGuard};

/// Parties per worker from which on they are tallied there. The model checker cannot afford that many.
const PARTIES_PER_TALLY: usize = if cfg!(loom) { 1 } else { 2 };

/// The arrivals in one phase.
pub(super) struct Arrivals {
    parties: usize,
    /// Whether they are tallied on each worker first.
    tallied: bool,
    total: CachePadded<Total>,
}

/// The common count.
#[derive(Default)]
struct Total {
    arrived: CommonCount,
    /// The topic of the parties: zero before the first one, [`MIXED_TOPICS`] if they differ.
    topic: AtomicU64,
}

/// The slot in which a party is expected: 0 for none yet, or 1 + its index. Only the party itself uses it.
#[derive(Default)]
pub(super) struct Home(AtomicU32);

/// The outcome of an arrival.
pub(super) enum Arrival<'a> {
    /// Others are still to arrive.
    Early(Early<'a>),
    /// All have arrived; with the index of the slot that the party would have released.
    Last(Option<usize>),
}

/// An arrival before that of others.
#[derive(Default)]
pub(super) struct Early<'a> {
    /// The locked slot of the worker, if its tally is not complete before that is unlocked.
    pub(super) slot: Option<SpinGuard<'a, Slot>>,
    /// The index of the slot that the party has promised to release.
    pub(super) promised: Option<usize>,
}

/// Whether so many parties are tallied on each worker first.
pub(super) fn are_tallied(parties: usize) -> bool {
    parties >= slot_count() * PARTIES_PER_TALLY
}

impl Arrivals {
    pub(super) fn new(parties: usize) -> Self {
        Self {
            parties,
            tallied: are_tallied(parties),
            total: CachePadded::default(),
        }
    }

    /// Counts a party that arrives on a worker, and that will wait in `waiting`. If it `may_promise`, it may have
    /// promised to release the slot of the worker.
    #[inline]
    pub(super) fn arrive<'a>(
        &self,
        home: &Home,
        (worker, may_promise): (usize, bool),
        topic: u64,
        waiting: &'a WaitList,
    ) -> Arrival<'a> {
        if !self.tallied {
            return self.report(1, topic, None);
        }
        let (index, slot) = waiting.slot(worker);
        let mut guard = slot.lock_biased();
        let tally = &mut guard.tally;
        tally.note(topic);
        tally.arrived += 1;
        // Relaxed here and below: only the party uses it.
        let old = home.0.load(Ordering::Relaxed) as usize;
        if old != index + 1 {
            home.0.store(index as u32 + 1, Ordering::Relaxed);
            return self.move_in(guard, old, waiting);
        }
        match tally.claim() {
            Some((arrivals, topic)) => {
                let promised =
                    (may_promise && index < PROMISED && may_spin() && tally.promise()).then_some(index);
                drop(guard);
                self.report(arrivals, topic, promised)
            }
            None => Arrival::Early(Early {
                slot: Some(guard),
                promised: None,
            }),
        }
    }

    /// Expects a party in this slot that was not expected here before. One slot is locked at a time, so that two
    /// parties that change places do not wait for each other.
    #[cold]
    fn move_in<'a>(&self, mut guard: SpinGuard<'a, Slot>, old: usize, waiting: &'a WaitList) -> Arrival<'a> {
        guard.tally.expected += 1;
        let here = guard.tally.claim();
        drop(guard);
        let there = old.checked_sub(1).and_then(|old| {
            let mut guard = waiting.slot(old).1.lock();
            guard.tally.expected -= 1;
            guard.tally.claim()
        });
        match (here, there) {
            (Some((arrivals, topic)), None) | (None, Some((arrivals, topic))) => {
                self.report(arrivals, topic, None)
            }
            (Some(here), Some(there)) => {
                self.note(there.1);
                self.report(here.0 + there.0, here.1, None)
            }
            (None, None) => Arrival::Early(Early::default()),
        }
    }

    /// Adds arrivals to the common count, with the promise to release a slot.
    #[inline]
    fn report(&self, arrivals: usize, topic: u64, promised: Option<usize>) -> Arrival<'static> {
        self.note(topic);
        if self.total.arrived.add(arrivals, promised) == self.parties {
            Arrival::Last(promised)
        } else {
            let slot = None;
            Arrival::Early(Early { slot, promised })
        }
    }

    /// Notes a topic, or that it differs from that of others.
    #[inline]
    fn note(&self, topic: u64) {
        // Relaxed throughout: the count orders it.
        if self.total.topic.load(Ordering::Relaxed) != topic {
            let first = self
                .total
                .topic
                .compare_exchange(0, topic, Ordering::Relaxed, Ordering::Relaxed);
            if first.is_err_and(|seen| seen != topic) {
                self.total.topic.store(MIXED_TOPICS, Ordering::Relaxed);
            }
        }
    }

    /// Whether all parties have arrived for the same topic. For the last one.
    pub(super) fn agree(&self) -> bool {
        // Relaxed: ordered by the count.
        self.total.topic.load(Ordering::Relaxed) != MIXED_TOPICS
    }

    /// The common count.
    pub(super) fn count(&self) -> &CommonCount {
        &self.total.arrived
    }

    /// Prepares for the next phase; the tallies begin anew when the parties that wait are released. For the last party,
    /// before it releases any other, which has promised to release its `own` slot. Returns the slots that others
    /// release, as bits.
    pub(super) fn reset(&self, own: Option<usize>) -> u64 {
        // Relaxed: the release publishes it, and nobody arrives before.
        self.total.topic.store(0, Ordering::Relaxed);
        self.total.arrived.take(own)
    }
}
