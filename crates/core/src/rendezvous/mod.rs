//! A place where the same parties meet again and again.
//!
//! # Protocol
//!
//! Each party brings a value and freezes; the last to arrive looks at all values, leaves a result, and releases the
//! others with one splice per worker. Everybody can look at all values and at the result until it goes. Two meetings
//! alternate: a party that begins meeting *n + 2* has been at meeting *n + 1*, which took place only after everybody
//! had left meeting *n*; so the memory of meeting *n* is free by then, and nobody waits at the end of a meeting.
//!
//! # Cost
//!
//! Per party: a locked instruction on its own line, another on a line that stays on its core ([`Arrivals`]), one freeze
//! and one switch. Per worker: one message to the common count and one splice. Bench: `benches/collectives.rs` of
//! `simurgh-mpi`.

mod arrivals;

use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crossbeam_utils::CachePadded;

use crate::ec::{current, slot_count};
use crate::sync::{AtomicU64, Ordering};
use crate::wait_list::WaitList;
use arrivals::{Arrival, Arrivals, Home};

/// A meeting place for a fixed number of parties, which bring values `T`; the last one leaves a result `R`.
pub struct Rendezvous<T, R> {
    seats: Box<[CachePadded<Seat<T>>]>,
    rounds: [CachePadded<Round<R>>; 2],
}

/// A party's own line: what only it writes.
struct Seat<T> {
    /// Twice the number of meetings begun, and [`PRESENT`] while the party is at one.
    begun: AtomicU64,
    homes: [Home; 2],
    brought: [UnsafeCell<Option<T>>; 2],
}

const PRESENT: u64 = 1;

/// One of the two alternating meetings.
struct Round<R> {
    arrivals: Arrivals,
    waiting: WaitList,
    /// Number of the last meeting that took place here.
    ended: AtomicU64,
    result: UnsafeCell<Option<R>>,
}

// SAFETY:
// - values and results are written by one party before a synchronising step and read by others after it (see the
//   module's protocol, kept by `Visit`), so sharing the place shares `T` and `R` and moves them between threads.
unsafe impl<T: Send + Sync, R: Send + Sync> Sync for Rendezvous<T, R> {}
// SAFETY:
// - as above.
unsafe impl<T: Send, R: Send> Send for Rendezvous<T, R> {}

/// All that was brought to a meeting.
pub struct Brought<'a, T> {
    seats: &'a [CachePadded<Seat<T>>],
    parity: usize,
}

// SAFETY:
// - what was brought is only read while anybody holds this (see the protocol), so sharing it shares `T`.
unsafe impl<T: Sync> Sync for Brought<'_, T> {}

/// A party's presence at a meeting that has taken place. It has left when this is dropped.
pub struct Visit<'a, T, R> {
    place: &'a Rendezvous<T, R>,
    party: usize,
    parity: usize,
}

/// Why a party cannot take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Absence {
    /// There is no such party.
    #[error("no such party")]
    Unknown,
    /// The party is at a meeting already: two threads act for it at once.
    #[error("the party is at a meeting already")]
    Present,
}

impl<T, R> Rendezvous<T, R> {
    /// A meeting place for `parties`.
    #[must_use]
    pub fn new(parties: usize) -> Self {
        let round = || {
            CachePadded::new(Round {
                arrivals: Arrivals::new(parties, slot_count()),
                waiting: WaitList::new(),
                ended: AtomicU64::new(0),
                result: UnsafeCell::new(None),
            })
        };
        Self {
            seats: (0..parties).map(|_| CachePadded::new(Seat::new())).collect(),
            rounds: [round(), round()],
        }
    }

    /// Number of parties.
    #[must_use]
    pub fn parties(&self) -> usize {
        self.seats.len()
    }

    /// Takes part in the next meeting: brings `value`, waits for all others, and returns when the last party to
    /// arrive has made the result with `last`.
    ///
    /// `topic`, neither zero nor the largest number, is what the party comes for; `last` is given all that was brought,
    /// and whether all came for the same. A party that has to wait calls `wait` with what waits, so that it can tell
    /// the time it takes.
    ///
    /// # Errors
    ///
    /// [`Absence`], when the party does not exist or is at a meeting already.
    pub fn meet(
        &self,
        party: usize,
        topic: u64,
        value: T,
        last: impl FnOnce(Brought<'_, T>, bool) -> R,
        wait: impl FnOnce(&dyn Fn()),
    ) -> Result<Visit<'_, T, R>, Absence> {
        let seat = &**self.seats.get(party).ok_or(Absence::Unknown)?;
        let number = seat.begin()?;
        let parity = (number & 1) as usize;
        let round = &*self.rounds[parity];
        // SAFETY:
        // - the party is present, so this thread alone acts for it; all others have left the meeting before last,
        //   where this place was used before (see the protocol).
        unsafe { *seat.brought[parity].get() = Some(value) };
        let worker = current().slot();
        match round.arrivals.arrive(&seat.homes[parity], worker, topic) {
            Arrival::Last => self.conclude(number, last),
            Arrival::Early => {
                wait(&|| round.await_end(number));
                // Nothing rests on what `wait` does with its argument.
                round.await_end(number);
            }
        }
        Ok(Visit {
            place: self,
            party,
            parity,
        })
    }

    /// The last party's duty.
    fn conclude(&self, number: u64, last: impl FnOnce(Brought<'_, T>, bool) -> R) {
        let parity = (number & 1) as usize;
        let round = &*self.rounds[parity];
        let brought = Brought {
            seats: &self.seats,
            parity,
        };
        let agreed = round.arrivals.agree();
        // A panic must not leave the others waiting: they find no result, and panic too.
        let outcome = catch_unwind(AssertUnwindSafe(|| last(brought, agreed)));
        let (result, panic) = match outcome {
            Ok(result) => (Some(result), None),
            Err(panic) => (None, Some(panic)),
        };
        // SAFETY:
        // - all parties are at this meeting and none but the last touches the result before it has ended.
        unsafe { *round.result.get() = result };
        round.arrivals.reset();
        // Release pairs with the Acquire in `meet`.
        round.ended.store(number, Ordering::Release);
        round.waiting.release_all();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

impl<R> Round<R> {
    /// Waits until the meeting of this number is over.
    #[inline]
    fn await_end(&self, number: u64) {
        // Acquire pairs with the Release in `conclude`.
        let open = || self.ended.load(Ordering::Acquire) != number;
        if open() {
            self.waiting.freeze_while(open);
        }
    }
}

impl<T> Seat<T> {
    fn new() -> Self {
        Self {
            begun: AtomicU64::new(0),
            homes: [Home::default(), Home::default()],
            brought: [UnsafeCell::new(None), UnsafeCell::new(None)],
        }
    }

    /// Begins the party's next meeting and returns its number, counted from one.
    fn begin(&self) -> Result<u64, Absence> {
        let begun = self.begun.load(Ordering::Relaxed);
        if begun & PRESENT != 0 {
            return Err(Absence::Present);
        }
        // Acquire pairs with the Release in `Visit::drop`, which another thread may have run for this party.
        self.begun
            .compare_exchange(begun, begun + 2 + PRESENT, Ordering::Acquire, Ordering::Relaxed)
            .map_err(|_| Absence::Present)?;
        Ok(begun / 2 + 1)
    }
}

impl<'a, T> Brought<'a, T> {
    /// Number of parties.
    #[must_use]
    pub fn len(&self) -> usize {
        self.seats.len()
    }

    /// Whether there are no parties, which never is so at a meeting.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seats.is_empty()
    }

    /// What each party brought, in their order.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &'a T> + ExactSizeIterator + use<'a, T> {
        let (seats, parity) = (self.seats, self.parity);
        seats.iter().map(move |seat| value(seat, parity))
    }
}

impl<T> std::ops::Index<usize> for Brought<'_, T> {
    type Output = T;

    fn index(&self, party: usize) -> &T {
        value(&self.seats[party], self.parity)
    }
}

/// What a party brought to the meeting of this parity, which the caller is at.
fn value<T>(seat: &Seat<T>, parity: usize) -> &T {
    // SAFETY:
    // - the caller holds a `Brought`, so all parties have arrived: their values are written, and stay as they are
    //   until the caller has left (see the protocol).
    let value = unsafe { &*seat.brought[parity].get() };
    value.as_ref().expect("every party brings a value")
}

impl<T, R> Visit<'_, T, R> {
    /// All that was brought to the meeting.
    #[must_use]
    pub fn brought(&self) -> Brought<'_, T> {
        Brought {
            seats: &self.place.seats,
            parity: self.parity,
        }
    }

    /// What the last party to arrive has left.
    ///
    /// # Panics
    ///
    /// When the last party has panicked.
    #[must_use]
    pub fn result(&self) -> &R {
        // SAFETY:
        // - the meeting has ended, and its result stays until this party, like all others, has left.
        let result = unsafe { &*self.place.rounds[self.parity].result.get() };
        result.as_ref().expect("the last party of the meeting panicked")
    }
}

impl<T, R> Drop for Visit<'_, T, R> {
    fn drop(&mut self) {
        let begun = &self.place.seats[self.party].begun;
        // Relaxed: while the party is present, only its thread changes it. Release: see `Seat::begin`; that this
        // party has left is also what everybody learns from its next arrival.
        begun.store(begun.load(Ordering::Relaxed) & !PRESENT, Ordering::Release);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn everybody_sees_what_all_brought_and_the_result() {
        let place = Rendezvous::<usize, usize>::new(5);
        thread::scope(|scope| {
            for party in 0..5 {
                let place = &place;
                scope.spawn(move || {
                    for round in 0..2000 {
                        let last = |brought: Brought<'_, usize>, agreed: bool| {
                            assert!(agreed);
                            brought.iter().sum()
                        };
                        let visit = place
                            .meet(party, 7, party * round, last, |wait| wait())
                            .expect("present once");
                        assert_eq!(*visit.result(), 10 * round);
                        assert_eq!(visit.brought()[(party + 1) % 5], (party + 1) % 5 * round);
                    }
                });
            }
        });
    }

    #[test]
    fn parties_that_came_for_different_things_are_told() {
        let place = Rendezvous::<(), bool>::new(9);
        thread::scope(|scope| {
            for party in 0..9 {
                let place = &place;
                scope.spawn(move || {
                    for odd_one in 0..9 {
                        let topic = if party == odd_one { 2 } else { 3 };
                        let visit = place
                            .meet(party, topic, (), |_, agreed| agreed, |wait| wait())
                            .expect("present once");
                        assert!(!*visit.result());
                    }
                });
            }
        });
    }

    #[test]
    fn a_party_cannot_be_there_twice() {
        let place = Rendezvous::<u8, ()>::new(1);
        let visit = place.meet(0, 1, 0, |_, _| (), |wait| wait()).expect("alone");
        assert_eq!(
            place.meet(0, 1, 0, |_, _| (), |wait| wait()).err(),
            Some(Absence::Present)
        );
        assert_eq!(
            place.meet(1, 1, 0, |_, _| (), |wait| wait()).err(),
            Some(Absence::Unknown)
        );
        drop(visit);
        place
            .meet(0, 1, 0, |_, _| (), |wait| wait())
            .expect("left before");
    }

    #[test]
    fn a_panic_of_the_last_party_reaches_all() {
        let place = Rendezvous::<u8, ()>::new(2);
        let outcomes = thread::scope(|scope| {
            let meet = |party| {
                let place = &place;
                scope.spawn(move || {
                    let visit = place
                        .meet(party, 1, 0, |_, _| panic!("the work fails"), |_| ())
                        .expect("present once");
                    let () = visit.result();
                })
            };
            [meet(0), meet(1)].map(|thread| thread.join().is_err())
        });
        assert_eq!(outcomes, [true, true]);
    }
}
