//! A place where one party shows something to all others, act after act.
//!
//! Nobody waits for more than it needs: the audience of an act for what is shown, and who shows it for the place to
//! be free, which it is once everybody has left the act that was here before; several acts later, so that who is fast
//! may be acts ahead of who is slow. That is all synchronisation a broadcast asks for.
//!
//! # Protocol
//!
//! Each party numbers its acts, from one on, and all alike. An act is claimed by whoever shows first under its
//! number. `present` counts the audience and the one who shows; who leaves last ends the act (`ended`), and only then
//! may the place be written again. What is shown is read only between `shown` and leaving. Of a few parties each says
//! on its own line which act it has left the last, and who needs to know looks there.
//!
//! # Order
//!
//! Whether many parties wait for one is decided by who comes first. So who has shown something goes on before the
//! others of its worker when they all have met in between, and who waits looks for a moment before it freezes, since
//! all behind it would freeze too; not where the same worker runs who is awaited.
//!
//! # Cost
//!
//! Per member of the audience: a load, and a locked instruction on a line of all, or on its own if they are few. Per
//! act: two lines, asked for at a time, and two splices per worker if anybody waits; of few parties, one line, and
//! every few acts one back.

use std::cell::UnsafeCell;
use std::ops::Deref;

use crossbeam_utils::CachePadded;

use crate::crowd::Crowd;
use crate::ec::current;
use crate::rendezvous::is_circle;
use crate::sync::{AtomicU64, AtomicUsize, Ordering, fetch_to_write, store_fenced};

/// How many acts who is fast may be ahead. The model checker cannot afford that many.
const ACTS: u64 = if cfg!(loom) { 1 } else { 8 };

/// How often the first of an audience looks for what is shown, although others could use its worker: about as long as
/// it takes until the second on another worker has shown it. The model checker sees enough.
const LOOKS: usize = if cfg!(loom) { 0 } else { 32 };

/// How often who waits for others to leave looks: about as long as two of them take.
const GLANCES: usize = if cfg!(loom) { 0 } else { 16 };

const WAITS: u64 = 1;

/// Acts of a fixed company, each of which shows a `T`.
pub struct Stage<T> {
    parties: Box<[CachePadded<Party>]>,
    /// Number of the last act that each has left, if they are few; or else empty. Others look there again and again: it
    /// lies on a line that a party writes for nothing else.
    left: Box<[CachePadded<AtomicU64>]>,
    acts: Box<[Act<T>]>,
    /// Slot of the worker on which something was shown the last time.
    shown_on: CachePadded<AtomicUsize>,
    /// Those who wait for something to be shown.
    audience: Crowd,
    /// Those who wait for others to leave.
    performers: Crowd,
}

/// What a party says of itself.
#[derive(Default)]
struct Party {
    /// Twice the number of acts that it has begun, and [`WAITS`] while it waits for others.
    begun: AtomicU64,
    /// Number of an act that it knows all to have left.
    ended: AtomicU64,
}

struct Act<T> {
    /// Number of the last act that somebody has claimed to show here.
    claimed: CachePadded<AtomicU64>,
    front: CachePadded<Front<T>>,
    company: CachePadded<Company>,
}

/// Who is at an act, unless the parties are few.
#[derive(Default)]
struct Company {
    /// Parties that have not left the act.
    present: AtomicUsize,
    /// Number of the last act that everybody has left.
    ended: AtomicU64,
}

/// What the audience looks at; where a value begins lies on the line that says that it is there.
#[repr(C)]
struct Front<T> {
    /// Number of the last act that has been shown here.
    shown: AtomicU64,
    value: UnsafeCell<T>,
}

// SAFETY:
// - what is shown is written by one party, before a synchronising step, and read by all others after it, and written
//   again only when all have left (see the protocol); so sharing the stage shares `T` and moves it between threads.
unsafe impl<T: Send + Sync> Sync for Stage<T> {}

/// An act that a party has begun.
pub struct Turn<'a, T> {
    stage: &'a Stage<T>,
    party: usize,
    number: u64,
}

/// A party's presence at an act, and what it shows. It has left when this is dropped.
pub struct Seen<'a, T>(Turn<'a, T>);

impl<T: Default> Stage<T> {
    /// A stage for `parties`.
    #[must_use]
    pub fn new(parties: usize) -> Self {
        let act = || Act {
            claimed: CachePadded::default(),
            front: CachePadded::new(Front {
                shown: AtomicU64::new(0),
                value: UnsafeCell::new(T::default()),
            }),
            company: CachePadded::default(),
        };
        let of_few = if is_circle(parties) { parties } else { 0 };
        Self {
            parties: (0..parties).map(|_| CachePadded::default()).collect(),
            left: (0..of_few).map(|_| CachePadded::default()).collect(),
            acts: (0..ACTS).map(|_| act()).collect(),
            shown_on: CachePadded::default(),
            audience: Crowd::new(),
            performers: Crowd::new(),
        }
    }
}

impl<T> Stage<T> {
    /// Begins a party's next act.
    #[must_use]
    pub fn turn(&self, party: usize) -> Turn<'_, T> {
        let begun = &self.parties[party].begun;
        // Relaxed: the number concerns this party alone.
        let number = begun.load(Ordering::Relaxed) / 2 + 1;
        begun.store(2 * number, Ordering::Relaxed);
        Turn {
            stage: self,
            party,
            number,
        }
    }

    /// The parties that wait for others, and those they may be waiting for, who have not begun the act: of use when
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

    fn act(&self, number: u64) -> &Act<T> {
        &self.acts[(number % ACTS) as usize]
    }

    /// Whether the parties are few, so that each says on a line of its own what it has left.
    #[inline]
    fn is_circle(&self) -> bool {
        !self.left.is_empty()
    }

    /// Number of the last act that one of few parties has left.
    fn last_left(&self, party: usize) -> u64 {
        // Acquire pairs with the Release in `Turn::leave` and `Turn::tell`: what it did with what it has seen is done.
        self.left[party].load(Ordering::Acquire)
    }

    /// Whether everybody has left an act, as a party asks.
    fn has_ended(&self, number: u64, party: usize) -> bool {
        if !self.is_circle() {
            // Acquire pairs with the Release in `Turn::leave`.
            return self.act(number).company.ended.load(Ordering::Acquire) >= number;
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

    /// Whether all but one party have left an act.
    fn has_ended_but_for(&self, party: usize, number: u64) -> bool {
        if self.is_circle() {
            let mut others = (0..self.left.len()).filter(|other| *other != party);
            others.all(|other| self.last_left(other) >= number)
        } else {
            // Acquire pairs with the AcqRel in `Turn::leave`: what others did with what they have seen is done.
            self.act(number).company.present.load(Ordering::Acquire) <= 1
        }
    }
}

impl<T> Act<T> {
    /// Asks for the lines that are to be written by who shows something: others have looked there the last.
    #[inline]
    fn fetch_to_show(&self) {
        fetch_to_write(&raw const self.front);
        fetch_to_write(&raw const self.company);
    }
}

impl<'a, T> Turn<'a, T> {
    /// Shows what `fill` makes of what was shown here before. `None`, and nothing is shown, if another party shows
    /// something in this act.
    ///
    /// A party that has to wait calls `wait` with what waits, so that it can tell the time it takes.
    pub fn show(&self, fill: impl FnOnce(&mut T), wait: impl FnOnce(&dyn Fn())) -> Option<Seen<'a, T>> {
        self.put(fill, wait).then(|| {
            self.stage.audience.release_after_fence();
            Seen(*self)
        })
    }

    /// Shows something as [`Turn::show`] does, and leaves at once. Whether it was shown.
    pub fn tell(&self, fill: impl FnOnce(&mut T), wait: impl FnOnce(&dyn Fn())) -> bool {
        let stage = self.stage;
        if !stage.is_circle() {
            return self.show(fill, wait).is_some();
        }
        let leaving = |value: &mut T| {
            fill(value);
            // Release: all that was done with what was shown comes before whoever sees it.
            stage.left[self.party].store(self.number, Ordering::Release);
        };
        let shown = self.put(leaving, wait);
        if shown {
            stage.audience.release_after_fence();
            stage.performers.release_after_fence();
        }
        shown
    }

    /// Puts something where all can see it, before all that follows, and tells nobody. Whether it did, and no other
    /// party.
    #[inline]
    fn put(&self, fill: impl FnOnce(&mut T), wait: impl FnOnce(&dyn Fn())) -> bool {
        let (stage, number, act) = (self.stage, self.number, self.act());
        act.fetch_to_show();
        let in_use = || !stage.has_ended(number.saturating_sub(ACTS), self.party);
        self.wait(&stage.performers, in_use, || GLANCES, wait);
        // Relaxed: who loses the claim looks at nothing before the act is shown.
        if act.claimed.fetch_max(number, Ordering::Relaxed) >= number {
            return false;
        }
        // SAFETY:
        // - the act that was shown here before has ended, and this one is claimed by this party alone.
        fill(unsafe { &mut *act.front.value.get() });
        if !stage.is_circle() {
            // Relaxed: published by the next line.
            act.company.present.store(stage.parties.len(), Ordering::Relaxed);
        }
        let me = current();
        // Who has shown something may well show the next, when all have met: then nobody waits for it.
        me.go_first();
        let here = me.slot();
        // Relaxed here and below: a hint, on a line that seldom changes.
        if stage.shown_on.load(Ordering::Relaxed) != here {
            stage.shown_on.store(here, Ordering::Relaxed);
        }
        // Its Release pairs with the Acquire in `attend`; it is the fence for both crowds.
        store_fenced(&act.front.shown, number);
        true
    }

    /// Waits until something is shown.
    pub fn attend(&self, wait: impl FnOnce(&dyn Fn())) -> Seen<'a, T> {
        let act = self.act();
        // Acquire pairs with the Release in `show`.
        let hidden = || act.front.shown.load(Ordering::Acquire) != self.number;
        // What is to be shown on the worker of who waits cannot be seen before others run there.
        let looks = || match self.stage.shown_on.load(Ordering::Relaxed) {
            here if here == current().slot() => 0,
            _ => LOOKS,
        };
        self.wait(&self.stage.audience, hidden, looks, wait);
        Seen(*self)
    }

    fn act(&self) -> &'a Act<T> {
        self.stage.act(self.number)
    }

    /// Waits in a list while `closed` holds, and looks so often before.
    fn wait(
        &self,
        list: &Crowd,
        closed: impl Fn() -> bool,
        looks: impl Fn() -> usize,
        wait: impl FnOnce(&dyn Fn()),
    ) {
        if !closed() {
            return;
        }
        let begun = &self.stage.parties[self.party].begun;
        // Relaxed here and below: for a glance.
        begun.store((2 * self.number) | WAITS, Ordering::Relaxed);
        wait(&|| list.freeze_while(&closed, &looks));
        // Nothing rests on what `wait` does with its argument.
        list.freeze_while(&closed, &looks);
        begun.store(2 * self.number, Ordering::Relaxed);
    }

    /// Leaves the act.
    #[inline]
    fn leave(&self) {
        let (stage, act) = (self.stage, self.act());
        if stage.is_circle() {
            // Its Release comes after all that was done with what was shown: whoever sees it may write there.
            store_fenced(&stage.left[self.party], self.number);
            return stage.performers.release_after_fence();
        }
        // AcqRel: all that was done with what was shown comes before whoever sees that it is over.
        match act.company.present.fetch_sub(1, Ordering::AcqRel) {
            1 => {
                // Release pairs with the Acquire in `Stage::has_ended`.
                act.company.ended.store(self.number, Ordering::Release);
                stage.performers.release();
            }
            // The one that is left may be who has shown it, and wait.
            2 => stage.performers.release(),
            _ => {}
        }
    }
}

impl<T> Clone for Turn<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Turn<'_, T> {}

impl<T> Seen<'_, T> {
    /// Waits until everybody else has left.
    pub fn await_others(&self, wait: impl FnOnce(&dyn Fn())) {
        let Turn { stage, party, number } = self.0;
        let watched = || !stage.has_ended_but_for(party, number);
        self.0.wait(&stage.performers, watched, || GLANCES, wait);
        // Who has shown something may well show the next; nobody else looks there before it is time.
        stage.act(number + 1).fetch_to_show();
    }
}

impl<T> Deref for Seen<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY:
        // - the act has been shown, and is not written again before this party has left.
        unsafe { &*self.0.act().front.value.get() }
    }
}

impl<T> Drop for Seen<'_, T> {
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
        let stage = Stage::<u64>::new(4);
        thread::scope(|scope| {
            for party in 0..4 {
                let stage = &stage;
                scope.spawn(move || {
                    for number in 1..=5000 {
                        let turn = stage.turn(party as usize);
                        if number % 4 == party {
                            let fill = |value: &mut u64| *value = number * 3;
                            let seen = turn.show(fill, at_once).expect("nobody else shows");
                            if number % 3 == 0 {
                                seen.await_others(at_once);
                            }
                        } else {
                            assert_eq!(*turn.attend(at_once), number * 3);
                        }
                    }
                });
            }
        });
    }

    #[test]
    fn one_party_can_show_several_acts_alone_but_not_too_many() {
        let stage = Stage::<u64>::new(2);
        for number in 1..=ACTS {
            let shown = stage.turn(0).show(|value| *value = number, at_once);
            assert!(shown.is_some());
        }
        thread::scope(|scope| {
            let late = scope.spawn(|| {
                (1..=ACTS + 1)
                    .map(|_| *stage.turn(1).attend(at_once))
                    .sum::<u64>()
            });
            let fill = |value: &mut u64| *value += 100;
            drop(stage.turn(0).show(fill, at_once).expect("nobody else shows"));
            let all = ACTS * (ACTS + 1) / 2;
            assert_eq!(late.join().expect("no panic"), all + 101);
        });
    }

    #[test]
    fn who_shows_second_is_told() {
        let stage = Stage::<char>::new(2);
        let (one, other) = (stage.turn(0), stage.turn(1));
        let first = one.show(|value| *value = 'a', at_once).expect("the first");
        assert!(other.show(|value| *value = 'b', at_once).is_none());
        assert_eq!((*first, *other.attend(at_once)), ('a', 'a'));
    }

    #[test]
    fn who_waits_and_for_whom_can_be_seen() {
        let stage = Stage::<u8>::new(3);
        assert_eq!(stage.waiting(), (vec![], vec![]));
        let waiting = Cell::new((vec![], vec![]));
        let shown = stage.turn(1).show(|_| (), at_once).expect("nobody else shows");
        shown.await_others(|until| {
            waiting.set(stage.waiting());
            drop((stage.turn(0).attend(at_once), stage.turn(2).attend(at_once)));
            until();
        });
        assert_eq!(waiting.take(), (vec![1], vec![0, 2]));
        assert_eq!(stage.waiting(), (vec![], vec![]));
    }
}
