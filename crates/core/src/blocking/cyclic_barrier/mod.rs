//! A cyclic barrier at which each party contributes a value, with an action of the last party to arrive.
//!
//! # Protocol
//!
//! In each phase, every party contributes a value and suspends. The last one to arrive runs the barrier action: it
//! looks at all values, leaves a result, and releases the others with one splice per worker. Each party can look at all
//! values and at the result until it leaves the phase.
//!
//! Two phases alternate. A party that begins phase *n + 2* has been in phase *n + 1*, which took place only after all
//! parties had left phase *n*. So the memory of phase *n* is free by then, and nobody waits at the end of a phase.
//! Values and results stay where they are and are changed in place, so that nothing is moved without need.
//!
//! Few parties use flags: each sees the arrivals of all others, and nobody has to count or release them
//! (`flag_barrier.rs`).
//!
//! # Cost
//!
//! With few parties, each reads a line of each other one. With many, each pays a locked instruction on its own line,
//! another on a line that stays on its core ([`Arrivals`]), which also is the lock under which it suspends, and one
//! switch. Each worker sends one message to the common count, and there is one splice for it. Bench:
//! `benches/collectives.rs` of `simurgh-mpi`.

mod arrivals;
mod common_count;
mod flag;
mod flag_barrier;
mod guard;
mod party;
mod watch;

use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crossbeam_utils::CachePadded;

use super::wait_list::WaitList;
use crate::execution::{Slot, current, others_are_ready};
use crate::sync::{AtomicBool, AtomicU64, Ordering, SpinGuard};
use arrivals::{Arrival, Arrivals, Early};
use flag_barrier::FlagParty;
use party::Party;
use watch::Watch;

pub use flag_barrier::FlagBarrier;
pub(super) use flag_barrier::uses_flags;
pub use guard::{Contributions, FlagPhaseGuard, PhaseGuard};

/// The first of so many phases spreads the parties evenly over the workers again.
const REBALANCE_PERIOD: u64 = 64;

/// A barrier for a fixed number of parties, which contribute values `T`; the last one to arrive leaves a result `R`.
pub struct CyclicBarrier<T, R> {
    parties: Box<[CachePadded<Party<T>>]>,
    phases: [CachePadded<Phase<R>>; 2],
    /// Whether the parties are few, and see each other's flags.
    uses_flags: bool,
}

/// One of the two alternating phases.
struct Phase<R> {
    waiting: WaitList,
    /// Number of the last phase that has ended here.
    ended: AtomicU64,
    /// Number of the last phase with flags whose action a party has claimed.
    claimed: AtomicU64,
    /// Whether the last party has panicked.
    failed: AtomicBool,
    result: UnsafeCell<R>,
    arrivals: Arrivals,
}

// SAFETY:
// - values and results are written by one party before a synchronising step and read by others after it (see the
//   module's protocol, kept by `PhaseGuard`), so sharing the barrier shares `T` and `R` and moves them between threads.
unsafe impl<T: Send + Sync, R: Send + Sync> Sync for CyclicBarrier<T, R> {}
// SAFETY:
// - as above.
unsafe impl<T: Send, R: Send> Send for CyclicBarrier<T, R> {}

/// Why a party cannot arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArrivalError {
    /// There is no such party.
    #[error("no such party")]
    UnknownParty,
    /// The party is in a phase already: two threads act for it at once.
    #[error("the party is at a meeting already")]
    AlreadyArrived,
}

/// A party's wait for the others.
pub struct Wait<'a>(Waiting<'a>);

enum Waiting<'a> {
    /// Until all have arrived.
    Others(&'a dyn Fn()),
    /// Until the phase has ended.
    End(End<'a>),
}

/// The end of a phase, for a party that waits for it.
struct End<'a> {
    waiting: &'a WaitList,
    ended: &'a AtomicU64,
    number: u64,
    /// Locked since the party has arrived, if it was tallied and others of its worker are still to arrive.
    slot: Option<SpinGuard<'a, Slot>>,
    watch: Option<Watch<'a>>,
}

impl<T: Default, R: Default> CyclicBarrier<T, R> {
    /// A barrier for `parties`.
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

    /// The parties that are in a phase, and the topic of each. Reliable only when nothing moves any more.
    pub fn arrived(&self) -> impl Iterator<Item = (usize, u64)> {
        let parties = self.parties.iter().enumerate();
        parties.filter_map(|(index, party)| Some((index, party.present_for()?)))
    }

    /// Takes part in the next phase: contributes a value, waits for all other parties, and returns when the last one to
    /// arrive has made the result with `last`.
    ///
    /// * `contribute` changes the value that the party contributed to the phase before last.
    /// * `topic` is what the party arrives for: neither zero nor the largest number.
    /// * `last` is the barrier action. It is given all values and whether all topics are the same, and changes the
    ///   result of the phase before last.
    /// * `wait` is called by a party that has to wait, with what waits, so that it can measure the time.
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
        last: impl FnOnce(Contributions<'_, T>, bool, &mut R),
        wait: impl Fn(Wait<'_>),
    ) -> Result<PhaseGuard<'_, T, R>, ArrivalError> {
        let guard = self.begin(party, topic, contribute)?;
        let number = guard.number();
        let phase = self.phase(number);
        let arrival = if self.uses_flags {
            FlagParty::new(self, party, number).arrive(&wait);
            phase.claim(number)
        } else {
            let (home, worker) = (self.parties[party].home(number), current().slot());
            let may_promise = !is_rebalanced(number);
            phase
                .arrivals
                .arrive(home, (worker, may_promise), topic, &phase.waiting)
        };
        match arrival {
            Arrival::Last(own) => self.complete(number, own, last),
            Arrival::Early(Early { slot, promised }) => {
                let (waiting, ended) = (&phase.waiting, &phase.ended);
                let watch = promised.map(|index| Watch {
                    count: phase.arrivals.count(),
                    waiting,
                    ended,
                    number,
                    index,
                });
                wait(Wait(Waiting::End(End {
                    waiting,
                    ended,
                    number,
                    slot,
                    watch,
                })));
                // Correct whether or not `wait` uses its argument.
                phase.await_end(number);
            }
        }
        Ok(guard)
    }

    /// Begins a party's next phase, and contributes a value.
    #[inline]
    fn begin(
        &self,
        party: usize,
        topic: u64,
        contribute: impl FnOnce(&mut T),
    ) -> Result<PhaseGuard<'_, T, R>, ArrivalError> {
        let own = &**self.parties.get(party).ok_or(ArrivalError::UnknownParty)?;
        let number = own.begin(topic)?;
        // SAFETY:
        // - the party is present, so this thread alone acts for it; all others have left the phase before last, in
        //   which this place was used before (see the protocol).
        contribute(unsafe { &mut *own.contribution(number).value.get() });
        Ok(PhaseGuard::new(self, party, number))
    }

    #[inline]
    fn phase(&self, number: u64) -> &Phase<R> {
        &self.phases[(number & 1) as usize]
    }

    /// Runs the barrier action, and ends the phase, for a party that has promised to release its `own` slot.
    fn complete(
        &self,
        number: u64,
        own: Option<usize>,
        last: impl FnOnce(Contributions<'_, T>, bool, &mut R),
    ) {
        let phase = self.phase(number);
        let contributions = Contributions::new(&self.parties, number);
        let agreed = match self.uses_flags {
            true => contributions.agree(),
            false => phase.arrivals.agree(),
        };
        // SAFETY:
        // - all parties are in this phase and none but the last touches the result before it has ended.
        let result = unsafe { &mut *phase.result.get() };
        // A panic must not leave the others waiting: they are told, and panic too.
        let outcome = catch_unwind(AssertUnwindSafe(|| last(contributions, agreed, result)));
        // Relaxed: published with the end.
        phase.failed.store(outcome.is_err(), Ordering::Relaxed);
        let by_others = phase.arrivals.reset(own);
        // Release pairs with the Acquire in `Phase::await_end`.
        phase.ended.store(number, Ordering::Release);
        phase.waiting.release(by_others, is_rebalanced(number));
        if let Err(panic) = outcome {
            resume_unwind(panic);
        }
    }
}

impl<'a> Wait<'a> {
    /// The wait for the other parties of a barrier with flags.
    #[inline]
    fn for_others(wait: &'a dyn Fn()) -> Self {
        Self(Waiting::Others(wait))
    }

    /// Waits until all have arrived, or the phase has ended.
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
        // There is no use in spinning while others can run here. Nor can the phase have ended: the tally of this worker
        // cannot be complete while its slot is locked.
        if let Some(slot) = self.slot
            && others_are_ready()
        {
            self.waiting.suspend(current(), slot);
        }
        drop(self.watch);
        await_end(self.waiting, self.ended, self.number);
    }
}

impl<R> Phase<R> {
    /// Claims the action of a phase with flags, unless another party has.
    fn claim(&self, number: u64) -> Arrival<'static> {
        // Relaxed: each party has seen all contributions before.
        if self.claimed.fetch_max(number, Ordering::Relaxed) < number {
            Arrival::Last(None)
        } else {
            Arrival::Early(Early::default())
        }
    }

    #[inline]
    fn await_end(&self, number: u64) {
        await_end(&self.waiting, &self.ended, number);
    }
}

/// Whether the phase with this number spreads the parties evenly over the workers.
#[inline]
fn is_rebalanced(number: u64) -> bool {
    number % REBALANCE_PERIOD == 1
}

/// Whether the phase with this number has ended, while a party is in it.
#[inline]
fn has_ended(ended: &AtomicU64, number: u64) -> bool {
    // Acquire pairs with the Release in `CyclicBarrier::complete`.
    ended.load(Ordering::Acquire) == number
}

/// Waits until the phase with this number has ended.
#[inline]
fn await_end(waiting: &WaitList, ended: &AtomicU64, number: u64) {
    let open = || !has_ended(ended, number);
    if open() {
        waiting.wait_while(open);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{ArrivalError, Contributions, CyclicBarrier};
    use std::thread;

    #[test]
    fn everybody_sees_all_contributions_and_the_result() {
        let barrier = CyclicBarrier::<usize, usize>::new(5);
        thread::scope(|scope| {
            for party in 0..5 {
                let barrier = &barrier;
                scope.spawn(move || {
                    for phase in 0..2000 {
                        let last =
                            |contributions: Contributions<'_, usize>, agreed: bool, sum: &mut usize| {
                                assert!(agreed);
                                *sum = contributions.iter().sum();
                            };
                        let guard = barrier
                            .arrive_and_wait(
                                party,
                                7,
                                |mine| *mine = party * phase,
                                last,
                                |wait| wait.block(),
                            )
                            .expect("present once");
                        assert_eq!(*guard.result(), 10 * phase);
                        assert_eq!(guard.contributions()[(party + 1) % 5], (party + 1) % 5 * phase);
                    }
                });
            }
        });
    }

    #[test]
    fn parties_with_different_topics_are_told() {
        let barrier = CyclicBarrier::<(), bool>::new(9);
        thread::scope(|scope| {
            for party in 0..9 {
                let barrier = &barrier;
                scope.spawn(move || {
                    for odd_one in 0..9 {
                        let topic = if party == odd_one { 2 } else { 3 };
                        let guard = barrier
                            .arrive_and_wait(
                                party,
                                topic,
                                |()| (),
                                |_, agreed, told| *told = agreed,
                                |wait| wait.block(),
                            )
                            .expect("present once");
                        assert!(!*guard.result());
                    }
                });
            }
        });
    }

    #[test]
    fn a_party_cannot_arrive_twice() {
        let barrier = CyclicBarrier::<u8, ()>::new(1);
        let guard = barrier
            .arrive_and_wait(0, 1, |_| (), |_, _, ()| (), |wait| wait.block())
            .expect("alone");
        assert_eq!(
            barrier
                .arrive_and_wait(0, 1, |_| (), |_, _, ()| (), |wait| wait.block())
                .err(),
            Some(ArrivalError::AlreadyArrived)
        );
        assert_eq!(
            barrier
                .arrive_and_wait(1, 1, |_| (), |_, _, ()| (), |wait| wait.block())
                .err(),
            Some(ArrivalError::UnknownParty)
        );
        drop(guard);
        barrier
            .arrive_and_wait(0, 1, |_| (), |_, _, ()| (), |wait| wait.block())
            .expect("left before");
    }

    #[test]
    fn a_panic_of_the_last_party_reaches_all() {
        let barrier = CyclicBarrier::<u8, ()>::new(2);
        let outcomes = thread::scope(|scope| {
            let meet = |party| {
                let barrier = &barrier;
                scope.spawn(move || {
                    let guard = barrier
                        .arrive_and_wait(party, 1, |_| (), |_, _, ()| panic!("the work fails"), |_| ())
                        .expect("present once");
                    let () = guard.result();
                })
            };
            [meet(0), meet(1)].map(|thread| thread.join().is_err())
        });
        assert_eq!(outcomes, [true, true]);
    }
}
