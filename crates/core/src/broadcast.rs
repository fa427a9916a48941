//! A place where one party shows something to all others, slot after slot.
//!
//! Nobody waits for more than it needs: the readers of a slot for what is shown, and who shows it for the place to
//! be free, which it is once everybody has left the slot that was here before; several slots later, so that who is fast
//! may be slots ahead of who is slow. That is all synchronisation a broadcast asks for.
//!
//! # Protocol
//!
//! Each party numbers its slots, from one on, and all alike. A slot is claimed by whoever shows first under its
//! number. `present` counts the readers and the one who shows; who leaves last ends the slot (`ended`), and only then
//! may the place be written again. What is shown is read only between `shown` and leaving. Of a few parties each says
//! on its own line which slot it has left the last, and who needs to know looks there.
//!
//! # Order
//!
//! Whether many parties wait for one is decided by who comes first. So who has shown something goes on before the
//! others of its worker when they all have met in between, and who waits looks for a moment before it freezes, since
//! all behind it would freeze too; not where the same worker runs who is awaited.
//!
//! # Cost
//!
//! Per member of the readers: a load, and a locked instruction on a line of all, or on its own if they are few. Per
//! slot: two lines, asked for at a time, and two splices per worker if anybody waits; of few parties, one line, and
//! every few slots one back.

use std::cell::UnsafeCell;
use std::ops::Deref;

use crossbeam_utils::CachePadded;

use crate::cyclic_barrier::uses_flags;
use crate::ec::current;
use crate::event_count::EventCount;
use crate::sync::{AtomicU64, AtomicUsize, Ordering, prefetch_write, store_fenced};

/// How many slots who is fast may be ahead. The model checker cannot afford that many.
const SLOTS: u64 = if cfg!(loom) { 1 } else { 8 };

/// How often the first of an readers looks for what is shown, although others could use its worker: about as long as
/// it takes until the second on another worker has shown it. The model checker sees enough.
const READER_SPINS: usize = if cfg!(loom) { 0 } else { 32 };

/// How often who waits for others to leave looks: about as long as two of them take.
const WRITER_SPINS: usize = if cfg!(loom) { 0 } else { 16 };

const WAITS: u64 = 1;

/// Acts of a fixed attendance, each of which shows a `T`.
pub struct BroadcastRing<T> {
    parties: Box<[CachePadded<Party>]>,
    /// Number of the last slot that each has left, if they are few; or else empty. Others look there again and again: it
    /// lies on a line that a party writes for nothing else.
    left: Box<[CachePadded<AtomicU64>]>,
    slots: Box<[Slot<T>]>,
    /// Slot of the worker on which something was shown the last time.
    published_on: CachePadded<AtomicUsize>,
    /// Those who wait for something to be shown.
    readers: EventCount,
    /// Those who wait for others to leave.
    writers: EventCount,
}

/// What a party says of itself.
#[derive(Default)]
struct Party {
    /// Twice the number of slots that it has begun, and [`WAITS`] while it waits for others.
    begun: AtomicU64,
    /// Number of a slot that it knows all to have left.
    ended: AtomicU64,
}

struct Slot<T> {
    /// Number of the last slot that somebody has claimed to show here.
    claimed: CachePadded<AtomicU64>,
    published: CachePadded<Published<T>>,
    attendance: CachePadded<Attendance>,
}

/// Who is at a slot, unless the parties are few.
#[derive(Default)]
struct Attendance {
    /// Parties that have not left the slot.
    present: AtomicUsize,
    /// Number of the last slot that everybody has left.
    ended: AtomicU64,
}

/// What the readers looks at; where a value begins lies on the line that says that it is there.
#[repr(C)]
struct Published<T> {
    /// Number of the last slot that has been shown here.
    number: AtomicU64,
    value: UnsafeCell<T>,
}

// SAFETY:
// - what is shown is written by one party, before a synchronising step, and read by all others after it, and written
//   again only when all have left (see the protocol); so sharing the ring shares `T` and moves it between threads.
unsafe impl<T: Send + Sync> Sync for BroadcastRing<T> {}

/// A slot that a party has begun.
pub struct Round<'a, T> {
    ring: &'a BroadcastRing<T>,
    party: usize,
    number: u64,
}

/// A party's presence at a slot, and what it shows. It has left when this is dropped.
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
        let of_few = if uses_flags(parties) { parties } else { 0 };
        Self {
            parties: (0..parties).map(|_| CachePadded::default()).collect(),
            left: (0..of_few).map(|_| CachePadded::default()).collect(),
            slots: (0..SLOTS).map(|_| slot()).collect(),
            published_on: CachePadded::default(),
            readers: EventCount::new(),
            writers: EventCount::new(),
        }
    }
}

impl<T> BroadcastRing<T> {
    /// Begins a party's next slot.
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

    /// The parties that wait for others, and those they may be waiting for, who have not begun the slot: of use when
    /// nothing moves any more.
    #[must_use]
    pub fn waiting(&self) -> (Vec<usize>, Vec<usize>) {
        // Relaxed: a glance.
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

    /// Whether the parties are few, so that each says on a line of its own what it has left.
    #[inline]
    fn has_flags(&self) -> bool {
        !self.left.is_empty()
    }

    /// Number of the last slot that one of few parties has left.
    fn last_left(&self, party: usize) -> u64 {
        // Acquire pairs with the Release in `Round::leave` and `Round::publish_and_leave`: what it did with what it has seen is done.
        self.left[party].load(Ordering::Acquire)
    }

    /// Whether everybody has left a slot, as a party asks.
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

    /// Whether all but one party have left a slot.
    fn has_ended_but_for(&self, party: usize, number: u64) -> bool {
        if self.has_flags() {
            let mut others = (0..self.left.len()).filter(|other| *other != party);
            others.all(|other| self.last_left(other) >= number)
        } else {
            // Acquire pairs with the AcqRel in `Round::leave`: what others did with what they have seen is done.
            self.slot(number).attendance.present.load(Ordering::Acquire) <= 1
        }
    }
}

impl<T> Slot<T> {
    /// Asks for the lines that are to be written by who shows something: others have looked there the last.
    #[inline]
    fn prefetch(&self) {
        prefetch_write(&raw const self.published);
        prefetch_write(&raw const self.attendance);
    }
}

impl<'a, T> Round<'a, T> {
    /// Shows what `fill` makes of what was shown here before. `None`, and nothing is shown, if another party shows
    /// something in this slot.
    ///
    /// A party that has to wait calls `wait` with what waits, so that it can tell the time it takes.
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

    /// Shows something as [`Round::publish`] does, and leaves at once. Whether it was shown.
    pub fn publish_and_leave(&self, fill: impl FnOnce(&mut T), wait: impl FnOnce(&dyn Fn())) -> bool {
        let ring = self.ring;
        if !ring.has_flags() {
            return self.publish(fill, wait).is_some();
        }
        let leaving = |value: &mut T| {
            fill(value);
            // Release: all that was done with what was shown comes before whoever sees it.
            ring.left[self.party].store(self.number, Ordering::Release);
        };
        let shown = self.write(leaving, wait);
        if shown {
            ring.readers.release_after_fence();
            ring.writers.release_after_fence();
        }
        shown
    }

    /// Puts something where all can see it, before all that follows, and tells nobody. Whether it did, and no other
    /// party.
    #[inline]
    fn write(&self, fill: impl FnOnce(&mut T), wait: impl FnOnce(&dyn Fn())) -> bool {
        let (ring, number, slot) = (self.ring, self.number, self.slot());
        slot.prefetch();
        let in_use = || !ring.has_ended(number.saturating_sub(SLOTS), self.party);
        self.wait(&ring.writers, in_use, || WRITER_SPINS, wait);
        // Relaxed: who loses the claim looks at nothing before the slot is shown.
        if slot.claimed.fetch_max(number, Ordering::Relaxed) >= number {
            return false;
        }
        // SAFETY:
        // - the slot that was shown here before has ended, and this one is claimed by this party alone.
        fill(unsafe { &mut *slot.published.value.get() });
        if !ring.has_flags() {
            // Relaxed: published by the next line.
            slot.attendance
                .present
                .store(ring.parties.len(), Ordering::Relaxed);
        }
        let me = current();
        // Who has shown something may well show the next, when all have met: then nobody waits for it.
        me.go_first();
        let here = me.slot();
        // Relaxed here and below: a hint, on a line that seldom changes.
        if ring.published_on.load(Ordering::Relaxed) != here {
            ring.published_on.store(here, Ordering::Relaxed);
        }
        // Its Release pairs with the Acquire in `attend`; it is the fence for both crowds.
        store_fenced(&slot.published.number, number);
        true
    }

    /// Waits until something is shown.
    pub fn receive(&self, wait: impl FnOnce(&dyn Fn())) -> RoundGuard<'a, T> {
        let slot = self.slot();
        // Acquire pairs with the Release in `show`.
        let hidden = || slot.published.number.load(Ordering::Acquire) != self.number;
        // What is to be shown on the worker of who waits cannot be seen before others run there.
        let looks = || match self.ring.published_on.load(Ordering::Relaxed) {
            here if here == current().slot() => 0,
            _ => READER_SPINS,
        };
        self.wait(&self.ring.readers, hidden, looks, wait);
        RoundGuard(*self)
    }

    fn slot(&self) -> &'a Slot<T> {
        self.ring.slot(self.number)
    }

    /// Waits in a list while `closed` holds, and looks so often before.
    fn wait(
        &self,
        list: &EventCount,
        closed: impl Fn() -> bool,
        looks: impl Fn() -> usize,
        wait: impl FnOnce(&dyn Fn()),
    ) {
        if !closed() {
            return;
        }
        let begun = &self.ring.parties[self.party].begun;
        // Relaxed here and below: for a glance.
        begun.store((2 * self.number) | WAITS, Ordering::Relaxed);
        wait(&|| list.freeze_while(&closed, &looks));
        // Nothing rests on what `wait` does with its argument.
        list.freeze_while(&closed, &looks);
        begun.store(2 * self.number, Ordering::Relaxed);
    }

    /// Leaves the slot.
    #[inline]
    fn leave(&self) {
        let (ring, slot) = (self.ring, self.slot());
        if ring.has_flags() {
            // Its Release comes after all that was done with what was shown: whoever sees it may write there.
            store_fenced(&ring.left[self.party], self.number);
            return ring.writers.release_after_fence();
        }
        // AcqRel: all that was done with what was shown comes before whoever sees that it is over.
        match slot.attendance.present.fetch_sub(1, Ordering::AcqRel) {
            1 => {
                // Release pairs with the Acquire in `BroadcastRing::has_ended`.
                slot.attendance.ended.store(self.number, Ordering::Release);
                ring.writers.release();
            }
            // The one that is left may be who has shown it, and wait.
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
    /// Waits until everybody else has left.
    pub fn await_others(&self, wait: impl FnOnce(&dyn Fn())) {
        let Round { ring, party, number } = self.0;
        let watched = || !ring.has_ended_but_for(party, number);
        self.0.wait(&ring.writers, watched, || WRITER_SPINS, wait);
        // Who has shown something may well show the next; nobody else looks there before it is time.
        ring.slot(number + 1).prefetch();
    }
}

impl<T> Deref for RoundGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY:
        // - the slot has been shown, and is not written again before this party has left.
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
    fn everybody_sees_each_act_and_the_fast_run_ahead() {
        let ring = BroadcastRing::<u64>::new(4);
        thread::scope(|scope| {
            for party in 0..4 {
                let ring = &ring;
                scope.spawn(move || {
                    for number in 1..=5000 {
                        let round = ring.next_round(party as usize);
                        if number % 4 == party {
                            let fill = |value: &mut u64| *value = number * 3;
                            let seen = round.publish(fill, at_once).expect("nobody else shows");
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
    fn one_party_can_show_several_acts_alone_but_not_too_many() {
        let ring = BroadcastRing::<u64>::new(2);
        for number in 1..=SLOTS {
            let shown = ring.next_round(0).publish(|value| *value = number, at_once);
            assert!(shown.is_some());
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
                    .expect("nobody else shows"),
            );
            let all = SLOTS * (SLOTS + 1) / 2;
            assert_eq!(late.join().expect("no panic"), all + 101);
        });
    }

    #[test]
    fn who_shows_second_is_told() {
        let ring = BroadcastRing::<char>::new(2);
        let (one, other) = (ring.next_round(0), ring.next_round(1));
        let first = one.publish(|value| *value = 'a', at_once).expect("the first");
        assert!(other.publish(|value| *value = 'b', at_once).is_none());
        assert_eq!((*first, *other.receive(at_once)), ('a', 'a'));
    }

    #[test]
    fn who_waits_and_for_whom_can_be_seen() {
        let ring = BroadcastRing::<u8>::new(3);
        assert_eq!(ring.waiting(), (vec![], vec![]));
        let waiting = Cell::new((vec![], vec![]));
        let shown = ring
            .next_round(1)
            .publish(|_| (), at_once)
            .expect("nobody else shows");
        shown.await_others(|until| {
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
