//! Counting who has arrived, first on each worker and then altogether.
//!
//! Where each worker has several parties, those of a worker are tallied in the slot of the wait list in which they then
//! freeze: one lock serves both, on a line that stays on the worker's core. A tally knows how many parties to expect.
//! Only when it has all of them does it report to the common count, so that a meeting moves the common line once per
//! worker and not once per party. What a tally expects follows the parties as they wander between workers: one that
//! arrives elsewhere than last time is expected there from then on, and no longer at the old place. Whoever makes a
//! tally complete, be it by arriving or by not being expected any more, claims in the same step the arrivals that
//! nobody has reported, and reports them; so no arrival is counted late, twice or not at all. (With the claim in a step
//! of its own a slow reporter could count into the next meeting: the model in `tests/loom.rs` finds it.)
//!
//! Few parties are counted at once, on the common line.

use crossbeam_utils::CachePadded;

use crate::ec::slot_count;
use crate::sync::{AtomicU32, AtomicU64, AtomicUsize, Ordering, SpinGuard};
use crate::wait_list::{Slot, WaitList};

/// Parties for each worker from which on they are tallied there. The model checker cannot afford that many.
const PARTIES_PER_TALLY: usize = if cfg!(loom) { 1 } else { 2 };

/// Arrivals at one meeting.
pub(super) struct Arrivals {
    parties: usize,
    /// Whether they are tallied on each worker first.
    tallied: bool,
    total: CachePadded<Total>,
}

#[derive(Default)]
struct Total {
    arrived: AtomicUsize,
    /// What the first party arrived for, or [`MIXED`]; zero before.
    topic: AtomicU64,
}

/// The arrivals on one worker, protected by the lock of its slot.
#[derive(Default)]
pub(crate) struct Tally {
    expected: usize,
    arrived: usize,
    /// Arrivals that somebody has reported, or is about to.
    claimed: usize,
    /// As in [`Total`].
    topic: u64,
}

/// What parties arrived for that did not arrive for the same.
const MIXED: u64 = u64::MAX;

/// Where a party is expected: 0 nowhere yet, or 1 + the number of a slot. Only the party itself uses it.
#[derive(Default)]
pub(super) struct Home(AtomicU32);

/// How an arrival ended.
pub(super) enum Arrival<'a> {
    /// Others are still to arrive. Those of this worker cannot have arrived before the slot is unlocked, if it is given.
    Early(Option<SpinGuard<'a, Slot>>),
    /// Everybody is here.
    Last,
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

    /// A party arrives on a worker, and will wait in `waiting`.
    #[inline]
    pub(super) fn arrive<'a>(
        &self,
        home: &Home,
        worker: usize,
        topic: u64,
        waiting: &'a WaitList,
    ) -> Arrival<'a> {
        if !self.tallied {
            return self.report(1, topic);
        }
        let (index, slot) = waiting.slot(worker);
        let mut guard = slot.lock();
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
                drop(guard);
                self.report(arrivals, topic)
            }
            None => Arrival::Early(Some(guard)),
        }
    }

    /// Tallies a party that was not expected here. One slot is locked at a time, so that two that change places do not
    /// wait for each other.
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
            (Some((arrivals, topic)), None) | (None, Some((arrivals, topic))) => self.report(arrivals, topic),
            (Some(here), Some(there)) => {
                self.note(there.1);
                self.report(here.0 + there.0, here.1)
            }
            (None, None) => Arrival::Early(None),
        }
    }

    /// Adds arrivals to the total.
    #[inline]
    fn report(&self, arrivals: usize, topic: u64) -> Arrival<'static> {
        self.note(topic);
        // AcqRel: the last one sees what all others brought; pairs with the same of the others.
        if self.total.arrived.fetch_add(arrivals, Ordering::AcqRel) + arrivals == self.parties {
            Arrival::Last
        } else {
            Arrival::Early(None)
        }
    }

    /// Notes what parties arrived for, or that it is not what others arrived for.
    #[inline]
    fn note(&self, topic: u64) {
        // Relaxed throughout: the count orders it.
        if self.total.topic.load(Ordering::Relaxed) != topic {
            let first = self
                .total
                .topic
                .compare_exchange(0, topic, Ordering::Relaxed, Ordering::Relaxed);
            if first.is_err_and(|seen| seen != topic) {
                self.total.topic.store(MIXED, Ordering::Relaxed);
            }
        }
    }

    /// Whether all parties arrived for the same. Asked by the last one.
    pub(super) fn agree(&self) -> bool {
        // Relaxed: ordered by the count.
        self.total.topic.load(Ordering::Relaxed) != MIXED
    }

    /// Prepares for the next meeting; the tallies begin anew when the parties that wait are released. Called by the
    /// last one, before anybody is let go.
    pub(super) fn reset(&self) {
        // Relaxed throughout: whoever lets the parties go publishes it, and nobody arrives before.
        self.total.arrived.store(0, Ordering::Relaxed);
        self.total.topic.store(0, Ordering::Relaxed);
    }
}

impl Tally {
    #[inline]
    fn note(&mut self, topic: u64) {
        if self.topic == 0 {
            self.topic = topic;
        } else if self.topic != topic {
            self.topic = MIXED;
        }
    }

    /// If all have arrived: the arrivals that nobody else reports, unless there are none, and what they arrived for.
    #[inline]
    fn claim(&mut self) -> Option<(usize, u64)> {
        if self.arrived != self.expected || self.arrived == self.claimed {
            return None;
        }
        let new = self.arrived - self.claimed;
        self.claimed = self.arrived;
        Some((new, self.topic))
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
