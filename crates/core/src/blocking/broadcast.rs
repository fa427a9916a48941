//! A broadcast ring: in each round one party publishes something that all others receive.
//!
//! Nobody waits for more than it needs. The readers of a round wait for what is published. The writer waits for a free
//! slot: one whose last round all parties have left. There are several slots, so that a fast party may be rounds ahead
//! of a slow one. That is all the synchronisation that a broadcast asks for.
//!
//! # Protocol
//!
//! Each party numbers its rounds from one on, and all parties number them alike. Round *n* uses slot *n* modulo the
//! number of slots.
//!
//! 1. The party that is the first to publish under the round's number claims the round (`claimed`).
//! 2. It waits until all parties have left the last round of this slot, writes the value, and publishes the round's
//!    number (`number`).
//! 3. Readers read the value between the publication and their leaving.
//! 4. A party leaves. With many parties, `present` counts those that have not left, the writer among them, and the last
//!    one ends the round (`ended`). Of a few parties, each has a flag on a line of its own with the number of the last
//!    round that it has left, and whoever needs to know reads all flags.
//!
//! # Order
//!
//! Whether many parties wait for one depends on which is first. So a party that has published something is resumed
//! before the others of its worker when they all have met in between. And a reader checks for a moment before it
//! suspends, since all that run behind it would suspend too; not where the writer is expected to run on the same
//! worker.
//!
//! # Cost
//!
//! For each reader: a load, and a locked instruction on a shared line, or on its own line with few parties. For each
//! round: two lines, which are prefetched together, and two splices per worker if anybody waits; with few parties one
//! line, and one back every few rounds.

use std::cell::UnsafeCell;
use std::ops::Deref;

use crossbeam_utils::CachePadded;

use super::cyclic_barrier::uses_flags;
use super::event_count::EventCount;
use crate::execution::current;
use crate::sync::{AtomicU64, AtomicUsize, Ordering, prefetch_write, store_fenced};

/// Slots, and so the number of rounds that a fast party may be ahead. The model checker cannot afford that many.
const SLOTS: u64 = if cfg!(loom) { 1 } else { 8 };

/// How often the first reader checks whether something is published, even if others could use its worker: about the
/// time until the second party on another worker has published something. The model checker sees enough without.
const READER_CHECKS: usize = if cfg!(loom) { 0 } else { 32 };

/// How often a party checks whether others have left, before it suspends: about the time that two of them take.
const WRITER_CHECKS: usize = if cfg!(loom) { 0 } else { 16 };

const WAITS: u64 = 1;

/// Broadcasts of values `T` among a fixed number of parties.
pub struct BroadcastRing<T> {
    parties: Box<[CachePadded<Party>]>,
    /// The flag of each party: the number of the last round that it has left. Empty if there are many parties. Others
    /// read a flag again and again, so the party writes nothing else on its line.
    left: Box<[CachePadded<AtomicU64>]>,
    slots: Box<[Slot<T>]>,
    /// The wait-list slot of the worker on which something was published last.
    published_on: CachePadded<AtomicUsize>,
    /// Parties that wait for something to be published.
    readers: EventCount,
    /// Parties that wait for others to leave.
    writers: EventCount,
}

/// The progress of a party.
#[derive(Default)]
struct Party {
    /// Twice the number of rounds that it has begun, and [`WAITS`] while it waits for others.
    begun: AtomicU64,
    /// The number of a round that it knows all parties to have left.
    ended: AtomicU64,
}

struct Slot<T> {
    /// The number of the last round here that a writer has claimed.
    claimed: CachePadded<AtomicU64>,
    published: CachePadded<Published<T>>,
    attendance: CachePadded<Attendance>,
}

/// The parties in a round, if there are many.
#[derive(Default)]
struct Attendance {
    /// The number of parties that have not left the round.
    present: AtomicUsize,
    /// The number of the last round here that all parties have left.
    ended: AtomicU64,
}

/// The value of a slot, and the number of its round. They begin on the same line.
#[repr(C)]
struct Published<T> {
    /// The number of the last round that was published here.
    number: AtomicU64,
    value: UnsafeCell<T>,
}

// SAFETY:
// - a value is written by one party, before a synchronising step, and read by all others after it, and written again
//   only when all have left (see the protocol); so sharing the ring shares `T` and moves it between threads.
unsafe impl<T: Send + Sync> Sync for BroadcastRing<T> {}

/// A round that a party has begun.
pub struct Round<'a, T> {
    ring: &'a BroadcastRing<T>,
    party: usize,
    number: u64,
}

/// A party's presence in a round, and access to the published value. The party leaves the round when this is dropped.
#[clippy::has_significant_drop]
pub struct RoundGuard<'a, T>(Round<'a, T>);

impl<T: Default> BroadcastRing<T> {
    /// A ring for `parties`.
    #[must_use]
    pub fn new(parties: usize) -> Self {
        let slot = || Slot {
            claimed: CachePadded::default(),
            published: CachePadded::new(Published {
                number: AtomicU64::new(0),
                value: UnsafeCell::new(T::default()),
            }),
            attendance: CachePadded::default(),
        };
        let flags = if uses_flags(parties) { parties } else { 0 };
        Self {
            parties: (0..parties).map(|_| CachePadded::default()).collect(),
            left: (0..flags).map(|_| CachePadded::default()).collect(),
            slots: (0..SLOTS).map(|_| slot()).collect(),
            published_on: CachePadded::default(),
            readers: EventCount::new(),
            writers: EventCount::new(),
        }
    }
}

impl<T> BroadcastRing<T> {
    /// Begins a party's next round.
    #[must_use]
    pub fn next_round(&self, party: usize) -> Round<'_, T> {
        let begun = &self.parties[party].begun;
        // Relaxed: the number concerns this party alone.
        let number = begun.load(Ordering::Relaxed) / 2 + 1;
        begun.store(2 * number, Ordering::Relaxed);
        Round {
            ring: self,
            party,
            number,
        }
    }

    /// The parties that wait for others, and the parties for which they may be waiting, which have not begun the round.
    /// Reliable only when nothing moves any more.
    #[must_use]
    pub fn waiting(&self) -> (Vec<usize>, Vec<usize>) {
        // Relaxed: for a report.
        let begun: Vec<u64> = self
            .parties
            .iter()
            .map(|party| party.begun.load(Ordering::Relaxed))
            .collect();
        let parties =
            |wanted: &dyn Fn(u64) -> bool| (0..begun.len()).filter(|&party| wanted(begun[party])).collect();
        let first = begun.iter().filter(|begun| *begun & WAITS != 0).min();
        let Some(first) = first.copied() else {
            return (Vec::new(), Vec::new());
        };
        (
            parties(&|begun| begun & WAITS != 0),
            parties(&|begun| begun | WAITS < first),
        )
    }

    fn slot(&self, number: u64) -> &Slot<T> {
        &self.slots[(number % SLOTS) as usize]
    }

    /// Whether the parties are few, so that each has a flag.
    #[inline]
    fn has_flags(&self) -> bool {
        !self.left.is_empty()
    }

    /// The flag of a party: the number of the last round that it has left.
    fn last_left(&self, party: usize) -> u64 {
        // Acquire pairs with the Release in `Round::leave` and `Round::publish_and_leave`: the party has done what it
        // did with the value.
        self.left[party].load(Ordering::Acquire)
    }

    /// Whether all parties have left a round; `party` is the one that asks.
    fn has_ended(&self, number: u64, party: usize) -> bool {
        if !self.has_flags() {
            // Acquire pairs with the Release in `Round::leave`.
            return self.slot(number).attendance.ended.load(Ordering::Acquire) >= number;
        }
        let known = &self.parties[party].ended;
        // Relaxed here and below: only the party uses it.
        if known.load(Ordering::Relaxed) >= number {
            return true;
        }
        let ended = (0..self.left.len()).map(|party| self.last_left(party)).min();
        known.store(ended.unwrap_or(number), Ordering::Relaxed);
        ended.is_none_or(|ended| ended >= number)
    }

    /// Whether all parties but one have left a round.
    fn has_ended_but_for(&self, party: usize, number: u64) -> bool {
        if self.has_flags() {
            let mut others = (0..self.left.len()).filter(|other| *other != party);
            others.all(|other| self.last_left(other) >= number)
        } else {
            // Acquire pairs with the AcqRel in `Round::leave`: the others have done what they did with the value.
            self.slot(number).attendance.present.load(Ordering::Acquire) <= 1
        }
    }
}

impl<T> Slot<T> {
    /// Prefetches the lines that a writer writes: others were the last to read them.
    #[inline]
    fn prefetch(&self) {
        prefetch_write(&raw const self.published);
        prefetch_write(&raw const self.attendance);
    }
}

impl<'a, T> Round<'a, T> {
    /// Publishes a value: `fill` changes the one that was published in this slot before. Returns `None`, without
    /// effect, if another party publishes in this round.
    ///
    /// If the party has to wait, `wait` is called with a closure that waits, so that the caller can measure the time.
    pub fn publish(
        &self,
        fill: impl FnOnce(&mut T),
        wait: impl FnOnce(&dyn Fn()),
    ) -> Option<RoundGuard<'a, T>> {
        self.write(fill, wait).then(|| {
            self.ring.readers.release_after_fence();
            RoundGuard(*self)
        })
    }

    /// Publishes as [`Round::publish`] does, and leaves at once. Returns whether the value was published.
    pub fn publish_and_leave(&self, fill: impl FnOnce(&mut T), wait: impl FnOnce(&dyn Fn())) -> bool {
        let ring = self.ring;
        if !ring.has_flags() {
            return self.publish(fill, wait).is_some();
        }
        let leaving = |value: &mut T| {
            fill(value);
            // Release: what was done with the value comes before whoever sees that this party has left.
            ring.left[self.party].store(self.number, Ordering::Release);
        };
        let published = self.write(leaving, wait);
        if published {
            ring.readers.release_after_fence();
            ring.writers.release_after_fence();
        }
        published
    }

    /// Writes and publishes a value, with a fence behind it, and releases nobody. Returns whether it did: false if
    /// another party has claimed the round.
    #[inline]
    fn write(&self, fill: impl FnOnce(&mut T), wait: impl FnOnce(&dyn Fn())) -> bool {
        let (ring, number, slot) = (self.ring, self.number, self.slot());
        slot.prefetch();
        let in_use = || !ring.has_ended(number.saturating_sub(SLOTS), self.party);
        self.wait(&ring.writers, in_use, || WRITER_CHECKS, wait);
        // Relaxed: a party that loses the claim reads nothing before the value is published.
        if slot.claimed.fetch_max(number, Ordering::Relaxed) >= number {
            return false;
        }
        // SAFETY:
        // - the round that was published here before has ended, and this one is claimed by this party alone.
        fill(unsafe { &mut *slot.published.value.get() });
        if !ring.has_flags() {
            let present = &slot.attendance.present;
            // Relaxed: published by the store below.
            present.store(ring.parties.len(), Ordering::Relaxed);
        }
        let me = current();
        // This party may well publish in the next round, too. Where all have met in between, nobody has to wait for
        // that if this party is resumed first.
        me.resume_first();
        let worker = me.slot();
        // Relaxed here and below: a hint, on a line that seldom changes.
        if ring.published_on.load(Ordering::Relaxed) != worker {
            ring.published_on.store(worker, Ordering::Relaxed);
        }
        // Its Release pairs with the Acquire in `receive`; it is the fence for both event counts.
        store_fenced(&slot.published.number, number);
        true
    }

    /// Waits until something is published in this round.
    pub fn receive(&self, wait: impl FnOnce(&dyn Fn())) -> RoundGuard<'a, T> {
        let slot = self.slot();
        // Acquire pairs with the Release in `write`.
        let unpublished = || slot.published.number.load(Ordering::Acquire) != self.number;
        // A writer on the same worker cannot run before this party suspends.
        let checks = || match self.ring.published_on.load(Ordering::Relaxed) {
            worker if worker == current().slot() => 0,
            _ => READER_CHECKS,
        };
        self.wait(&self.ring.readers, unpublished, checks, wait);
        RoundGuard(*self)
    }

    fn slot(&self) -> &'a Slot<T> {
        self.ring.slot(self.number)
    }

    /// Waits in `list` while `closed` returns true, after so many `checks`.
    fn wait(
        &self,
        list: &EventCount,
        closed: impl Fn() -> bool,
        checks: impl Fn() -> usize,
        wait: impl FnOnce(&dyn Fn()),
    ) {
        if !closed() {
            return;
        }
        let begun = &self.ring.parties[self.party].begun;
        // Relaxed here and below: for a report.
        begun.store((2 * self.number) | WAITS, Ordering::Relaxed);
        wait(&|| list.wait_while(&closed, &checks));
        // Correct whether or not `wait` calls its argument.
        list.wait_while(&closed, &checks);
        begun.store(2 * self.number, Ordering::Relaxed);
    }

    /// Leaves the round.
    #[inline]
    fn leave(&self) {
        let (ring, slot) = (self.ring, self.slot());
        if ring.has_flags() {
            // Its Release comes after all that was done with the value: a writer that sees the flag may write.
            store_fenced(&ring.left[self.party], self.number);
            return ring.writers.release_after_fence();
        }
        // AcqRel: what was done with the value comes before whoever sees that the round has ended.
        match slot.attendance.present.fetch_sub(1, Ordering::AcqRel) {
            1 => {
                // Release pairs with the Acquire in `BroadcastRing::has_ended`.
                slot.attendance.ended.store(self.number, Ordering::Release);
                ring.writers.release();
            }
            // The party that is left may be the writer, and wait for the others.
            2 => ring.writers.release(),
            _ => {}
        }
    }
}

impl<T> Clone for Round<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Round<'_, T> {}

impl<T> RoundGuard<'_, T> {
    /// Waits until all other parties have left the round.
    pub fn await_others(&self, wait: impl FnOnce(&dyn Fn())) {
        let Round { ring, party, number } = self.0;
        let in_use = || !ring.has_ended_but_for(party, number);
        self.0.wait(&ring.writers, in_use, || WRITER_CHECKS, wait);
        // This party may well publish in the next round, too, and nobody else reads there before.
        ring.slot(number + 1).prefetch();
    }
}

impl<T> Deref for RoundGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY:
        // - the round has been published, and its value is not written again before this party has left.
        unsafe { &*self.0.slot().published.value.get() }
    }
}

impl<T> Drop for RoundGuard<'_, T> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::thread;

    fn at_once(wait: &dyn Fn()) {
        wait();
    }

    #[test]
    fn everybody_receives_each_round_and_the_fast_run_ahead() {
        let ring = BroadcastRing::<u64>::new(4);
        thread::scope(|scope| {
            for party in 0..4 {
                let ring = &ring;
                scope.spawn(move || {
                    for number in 1..=5000 {
                        let round = ring.next_round(party as usize);
                        if number % 4 == party {
                            let fill = |value: &mut u64| *value = number * 3;
                            let seen = round.publish(fill, at_once).expect("nobody else publishes");
                            if number % 3 == 0 {
                                seen.await_others(at_once);
                            }
                        } else {
                            assert_eq!(*round.receive(at_once), number * 3);
                        }
                    }
                });
            }
        });
    }

    #[test]
    fn one_party_can_publish_several_rounds_alone_but_not_too_many() {
        let ring = BroadcastRing::<u64>::new(2);
        for number in 1..=SLOTS {
            let published = ring.next_round(0).publish(|value| *value = number, at_once);
            assert!(published.is_some());
        }
        thread::scope(|scope| {
            let late = scope.spawn(|| {
                (1..=SLOTS + 1)
                    .map(|_| *ring.next_round(1).receive(at_once))
                    .sum::<u64>()
            });
            let fill = |value: &mut u64| *value += 100;
            drop(
                ring.next_round(0)
                    .publish(fill, at_once)
                    .expect("nobody else publishes"),
            );
            let all = SLOTS * (SLOTS + 1) / 2;
            assert_eq!(late.join().expect("no panic"), all + 101);
        });
    }

    #[test]
    fn the_second_to_publish_is_told() {
        let ring = BroadcastRing::<char>::new(2);
        let (one, other) = (ring.next_round(0), ring.next_round(1));
        let first = one.publish(|value| *value = 'a', at_once).expect("the first");
        assert!(other.publish(|value| *value = 'b', at_once).is_none());
        assert_eq!((*first, *other.receive(at_once)), ('a', 'a'));
    }

    #[test]
    fn parties_that_wait_and_those_they_wait_for_can_be_seen() {
        let ring = BroadcastRing::<u8>::new(3);
        assert_eq!(ring.waiting(), (vec![], vec![]));
        let waiting = Cell::new((vec![], vec![]));
        let published = ring
            .next_round(1)
            .publish(|_| (), at_once)
            .expect("nobody else publishes");
        published.await_others(|until| {
            waiting.set(ring.waiting());
            drop((
                ring.next_round(0).receive(at_once),
                ring.next_round(2).receive(at_once),
            ));
            until();
        });
        assert_eq!(waiting.take(), (vec![1], vec![0, 2]));
        assert_eq!(ring.waiting(), (vec![], vec![]));
    }
}
