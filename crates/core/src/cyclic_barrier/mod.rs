//! A place where the same parties meet again and again.
//!
//! # Protocol
//!
//! Each party brings a value and freezes; the last to arrive looks at all values, leaves a result, and releases the
//! others with one splice per worker. Everybody can look at all values and at the result until it goes. Two meetings
//! alternate: a party that begins meeting *n + 2* has been at meeting *n + 1*, which took place only after everybody
//! had left meeting *n*; so the memory of meeting *n* is free by then, and nobody waits at the end of a meeting. Values
//! and results stay where they are and are changed in place, so that nothing is moved that a meeting does not need.
//! Few parties see each other, and need nobody to count or release them (`circle.rs`).
//!
//! # Cost
//!
//! Of few parties, each: a line to each other one. Of many, each: a locked instruction on its own line, another on a
//! line that stays on its core ([`Arrivals`]), which also is the lock under which it freezes, and one switch. Per
//! worker: one message to the common count and one splice. Bench: `benches/collectives.rs` of `simurgh-mpi`.

mod arrivals;
mod flag;
mod flag_barrier;
mod guard;
mod party;
#[cfg(all(test, not(loom)))]
mod tests;

use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crossbeam_utils::CachePadded;

use crate::ec::{current, others_are_ready};
use crate::sync::{AtomicBool, AtomicU64, Ordering, SpinGuard};
use crate::wait_list::{Slot, WaitList};
use arrivals::{Arrival, Arrivals};
use flag_barrier::FlagParty;
use party::Party;

pub(crate) use arrivals::Tally;
pub use flag_barrier::FlagBarrier;
pub(crate) use flag_barrier::uses_flags;
pub use guard::{Contributions, FlagPhaseGuard, PhaseGuard};

/// At the first of so many meetings the parties are spread evenly over the workers again.
const REBALANCE_PERIOD: u64 = 64;

/// A meeting place for a fixed number of parties, which bring values `T`; the last one leaves a result `R`.
pub struct CyclicBarrier<T, R> {
    parties: Box<[CachePadded<Party<T>>]>,
    phases: [CachePadded<Phase<R>>; 2],
    /// Whether the parties see each other.
    uses_flags: bool,
}

/// One of the two alternating meetings.
struct Phase<R> {
    waiting: WaitList,
    /// Number of the last meeting that took place here.
    ended: AtomicU64,
    /// Number of the last meeting of a circle whose work somebody has taken on.
    claimed: AtomicU64,
    /// Whether the last party has panicked.
    failed: AtomicBool,
    result: UnsafeCell<R>,
    arrivals: Arrivals,
}

// SAFETY:
// - values and results are written by one party before a synchronising step and read by others after it (see the
//   module's protocol, kept by `PhaseGuard`), so sharing the place shares `T` and `R` and moves them between threads.
unsafe impl<T: Send + Sync, R: Send + Sync> Sync for CyclicBarrier<T, R> {}
// SAFETY:
// - as above.
unsafe impl<T: Send, R: Send> Send for CyclicBarrier<T, R> {}

/// Why a party cannot take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArrivalError {
    /// There is no such party.
    #[error("no such party")]
    UnknownParty,
    /// The party is at a meeting already: two threads act for it at once.
    #[error("the party is at a meeting already")]
    AlreadyArrived,
}

/// A party's wait for the others.
pub struct Wait<'a>(Waiting<'a>);

enum Waiting<'a> {
    /// Until all have arrived.
    Others(&'a dyn Fn()),
    /// Until the meeting is over.
    End(End<'a>),
}

/// The end of a meeting, for who waits for it.
struct End<'a> {
    waiting: &'a WaitList,
    ended: &'a AtomicU64,
    number: u64,
    /// Locked from the moment of the party's arrival, if it was tallied and its worker has others to arrive.
    slot: Option<SpinGuard<'a, Slot>>,
}

impl<T: Default, R: Default> CyclicBarrier<T, R> {
    /// A meeting place for `parties`.
    #[must_use]
    pub fn new(parties: usize) -> Self {
        let phase = || {
            CachePadded::new(Phase {
                waiting: WaitList::new(),
                ended: AtomicU64::new(0),
                claimed: AtomicU64::new(0),
                failed: AtomicBool::new(false),
                result: UnsafeCell::default(),
                arrivals: Arrivals::new(parties),
            })
        };
        Self {
            parties: (0..parties).map(|_| CachePadded::new(Party::new())).collect(),
            phases: [phase(), phase()],
            uses_flags: uses_flags(parties),
        }
    }
}

impl<T, R> CyclicBarrier<T, R> {
    /// Number of parties.
    #[must_use]
    pub fn parties(&self) -> usize {
        self.parties.len()
    }

    /// The parties that are at a meeting, and what each has arrived for: of use when nothing moves any more.
    pub fn arrived(&self) -> impl Iterator<Item = (usize, u64)> {
        let parties = self.parties.iter().enumerate();
        parties.filter_map(|(index, party)| Some((index, party.present_for()?)))
    }

    /// Takes part in the next meeting: brings something, waits for all others, and returns when the last party to
    /// arrive has made the result with `last`.
    ///
    /// `bring` changes the value that the party brought to the meeting before last. `topic`, neither zero nor the
    /// largest number, is what the party comes for; `last` is given all that was brought, and whether all arrived for the
    /// same, and changes the result of the meeting before last. A party that has to wait calls `wait` with what waits,
    /// so that it can tell the time it takes.
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
        last: impl FnOnce(Contributions<'_, T>, bool, &mut R),
        wait: impl Fn(Wait<'_>),
    ) -> Result<PhaseGuard<'_, T, R>, ArrivalError> {
        let guard = self.begin(party, topic, bring)?;
        let number = guard.number();
        let phase = self.phase(number);
        let arrival = if self.uses_flags {
            FlagParty::new(self, party, number).arrive(&wait);
            phase.claim(number)
        } else {
            let (home, worker) = (self.parties[party].home(number), current().slot());
            phase.arrivals.arrive(home, worker, topic, &phase.waiting)
        };
        match arrival {
            Arrival::Last => self.complete(number, last),
            Arrival::Early(slot) => {
                let (waiting, ended) = (&phase.waiting, &phase.ended);
                wait(Wait(Waiting::End(End {
                    waiting,
                    ended,
                    number,
                    slot,
                })));
                // Nothing rests on what `wait` does with its argument.
                phase.await_end(number);
            }
        }
        Ok(guard)
    }

    /// Begins a party's next meeting, and brings something.
    #[inline]
    fn begin(
        &self,
        party: usize,
        topic: u64,
        bring: impl FnOnce(&mut T),
    ) -> Result<PhaseGuard<'_, T, R>, ArrivalError> {
        let own = &**self.parties.get(party).ok_or(ArrivalError::UnknownParty)?;
        let number = own.begin(topic)?;
        // SAFETY:
        // - the party is present, so this thread alone acts for it; all others have left the meeting before last,
        //   where this place was used before (see the protocol).
        bring(unsafe { &mut *own.contribution(number).value.get() });
        Ok(PhaseGuard::new(self, party, number))
    }

    #[inline]
    fn phase(&self, number: u64) -> &Phase<R> {
        &self.phases[(number & 1) as usize]
    }

    /// The last party's duty.
    fn complete(&self, number: u64, last: impl FnOnce(Contributions<'_, T>, bool, &mut R)) {
        let phase = self.phase(number);
        let brought = Contributions::new(&self.parties, number);
        let agreed = match self.uses_flags {
            true => brought.agree(),
            false => phase.arrivals.agree(),
        };
        // SAFETY:
        // - all parties are at this meeting and none but the last touches the result before it has ended.
        let result = unsafe { &mut *phase.result.get() };
        // A panic must not leave the others waiting: they are told, and panic too.
        let outcome = catch_unwind(AssertUnwindSafe(|| last(brought, agreed, result)));
        // Relaxed: published with the end.
        phase.failed.store(outcome.is_err(), Ordering::Relaxed);
        phase.arrivals.reset();
        // Release pairs with the Acquire in `Phase::await_end`.
        phase.ended.store(number, Ordering::Release);
        phase.waiting.release(number % REBALANCE_PERIOD == 1);
        if let Err(panic) = outcome {
            resume_unwind(panic);
        }
    }
}

impl<'a> Wait<'a> {
    /// What waits for the other parties of a circle.
    #[inline]
    fn for_others(wait: &'a dyn Fn()) -> Self {
        Self(Waiting::Others(wait))
    }

    /// Waits until all have arrived, or the meeting is over.
    #[inline]
    pub fn block(self) {
        match self.0 {
            Waiting::Others(wait) => wait(),
            Waiting::End(end) => end.wait(),
        }
    }
}

impl End<'_> {
    #[inline]
    fn wait(self) {
        // While others can run here there is no use in watching for the end. Nor can it have arrived: the worker's parties
        // cannot be complete while their slot is locked.
        if let Some(slot) = self.slot
            && others_are_ready()
        {
            self.waiting.freeze(current(), slot);
        }
        await_end(self.waiting, self.ended, self.number);
    }
}

impl<R> Phase<R> {
    /// Takes on the work of a circle's meeting, unless somebody has.
    fn claim(&self, number: u64) -> Arrival<'static> {
        // Relaxed: everybody has seen all that was brought before.
        if self.claimed.fetch_max(number, Ordering::Relaxed) < number {
            Arrival::Last
        } else {
            Arrival::Early(None)
        }
    }

    #[inline]
    fn await_end(&self, number: u64) {
        await_end(&self.waiting, &self.ended, number);
    }
}

/// Waits until the meeting of this number is over.
#[inline]
fn await_end(waiting: &WaitList, ended: &AtomicU64, number: u64) {
    // Acquire pairs with the Release in `CyclicBarrier::complete`.
    let open = || ended.load(Ordering::Acquire) != number;
    if open() {
        waiting.freeze_while(open);
    }
}
