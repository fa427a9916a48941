//! The meeting place of a communicator's ranks on this host.
//!
//! # Protocol
//!
//! A meeting is over when every rank has arrived. Each rank leaves what it brings in the table, under a lock held for
//! a few stores, and freezes; the last one finds everything on the table, does the work or says how it is shared, and
//! releases all with one splice per virtual processor. Two meetings alternate: nobody can arrive at meeting *n + 2*
//! before all have arrived at *n + 1*, and whoever arrives there has left meeting *n*. So there is no trailing barrier.
//!
//! # Cost
//!
//! Per rank one uncontended lock on a line that stays on the core as long as the ranks of one virtual processor
//! arrive one after the other, one freeze, and one switch. The work of a short collective is done by the last rank
//! alone, on data that is warm in its cache, and costs the others nothing. Checked by `benches/collectives.rs`.

use std::any::{Any, type_name};

use crossbeam_utils::CachePadded;
use simurgh_core::WaitList;
use simurgh_core::sync::{Arc, AtomicU64, Ordering, SpinLock};

use super::meeting::{Meeting, Offer, Share};
use crate::error::{Error, ErrorClass, Result};
use crate::tool::{self, Reason};

/// What ranks agree on when they meet: the name of the call and its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) root: Option<usize>,
}

/// Where the ranks of a communicator that live on this host meet.
///
/// Calls of one rank follow each other, as the standard demands of collectives on one communicator; different ranks
/// may run anywhere, in execution contexts or attached threads.
pub struct Board {
    size: usize,
    /// Meetings each rank has begun; written by that rank only.
    begun: Box<[CachePadded<AtomicU64>]>,
    rounds: [CachePadded<Round>; 2],
}

/// One of the two places at the board.
struct Round {
    table: SpinLock<Table>,
    /// Number of the last meeting that ended here, counted from one, shifted, and its verdict ([`DONE`] or [`LOOK`]).
    ended: AtomicU64,
    waiting: WaitList,
}

/// What has been brought so far.
#[derive(Default)]
struct Table {
    arrived: usize,
    /// Bytes of work that all offers together stand for.
    work: usize,
    first: Option<(usize, Call)>,
    offers: Vec<Offer>,
    values: Vec<Option<Box<dyn Any + Send>>>,
    result: Outcome,
    /// Ranks that have looked at the result.
    looked: usize,
}

/// What the last rank to arrive leaves for the others.
#[derive(Clone, Default)]
enum Outcome {
    #[default]
    Nothing,
    Answer(Arc<dyn Any + Send + Sync>),
    Shared(Arc<Meeting>),
    Fault(Error),
}

const VERDICT_BITS: u32 = 1;
/// The collective is complete.
const DONE: u64 = 0b0;
/// Look at the table's outcome.
const LOOK: u64 = 0b1;

impl Board {
    /// A meeting place for `size` ranks.
    #[must_use]
    pub fn new(size: usize) -> Self {
        Self {
            size,
            begun: (0..size).map(|_| CachePadded::new(AtomicU64::new(0))).collect(),
            rounds: [
                CachePadded::new(Round::new(size)),
                CachePadded::new(Round::new(size)),
            ],
        }
    }

    /// Number of ranks that meet.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Waits until every rank has come.
    ///
    /// # Errors
    ///
    /// When ranks are in different collective calls.
    pub(crate) fn barrier(&self, rank: usize) -> Result<()> {
        let call = Call {
            name: "barrier",
            root: None,
        };
        let last = |table: &mut Table| close(&mut table.result, Outcome::Nothing);
        match self.arrive(rank, call, |_| {}, last)? {
            Outcome::Fault(fault) => Err(fault),
            _ => Ok(()),
        }
    }

    /// Every rank gives a value; the last to come combines them, in rank order; everyone gets the result.
    ///
    /// # Errors
    ///
    /// When ranks are in different collective calls; `combine` is not called then.
    pub fn exchange<V, T>(&self, rank: usize, value: V, combine: impl FnOnce(Vec<V>) -> T) -> Result<Arc<T>>
    where
        V: Send + 'static,
        T: Send + Sync + 'static,
    {
        let call = Call {
            name: type_name::<V>(),
            root: None,
        };
        let deposit = |table: &mut Table| {
            table.values.resize_with(self.size, || None);
            table.values[rank] = Some(Box::new(value));
        };
        let last = |table: &mut Table| {
            let answer = Arc::new(combine(unpack(&mut table.values)));
            close(&mut table.result, Outcome::Answer(answer))
        };
        match self.arrive(rank, call, deposit, last)? {
            Outcome::Answer(answer) => answer.downcast().map_err(|_| unexpected()),
            Outcome::Fault(fault) => Err(fault),
            Outcome::Nothing | Outcome::Shared(_) => Err(unexpected()),
        }
    }

    /// Runs a collective: all ranks' offers, and how to do a share of the work once they are on the table.
    ///
    /// Returns when the rank's own buffers are no longer used by others, if `lends`, or else when its share is done.
    /// Up to `alone_limit` bytes of work are done by the last rank to arrive; beyond, the ranks share it, which costs a
    /// second round of switches.
    ///
    /// # Errors
    ///
    /// When ranks are in different calls, or what `perform` reports.
    pub(crate) fn collect(
        &self,
        rank: usize,
        call: Call,
        offer: Offer,
        lends: bool,
        alone_limit: usize,
        perform: impl Fn(&[Offer], Share) -> Result<()>,
    ) -> Result<()> {
        let deposit = |table: &mut Table| {
            table.work = table.work.saturating_add(offer.work());
            table.offers[rank] = offer;
        };
        let last = |table: &mut Table| {
            let outcome = if table.work > alone_limit && self.size > 1 {
                let fresh = vec![Offer::default(); self.size];
                Outcome::Shared(Arc::new(Meeting::new(std::mem::replace(
                    &mut table.offers,
                    fresh,
                ))))
            } else {
                perform(&table.offers, Share::ALL).map_or_else(Outcome::Fault, |()| Outcome::Nothing)
            };
            table.forget();
            close(&mut table.result, outcome)
        };
        match self.arrive(rank, call, deposit, last)? {
            Outcome::Nothing => Ok(()),
            Outcome::Shared(meeting) => meeting.contribute(Share::one(rank, self.size), lends, perform),
            Outcome::Fault(fault) => Err(fault),
            Outcome::Answer(_) => Err(unexpected()),
        }
    }

    /// Arrives at the next meeting, waits for its end and returns the outcome.
    fn arrive(
        &self,
        rank: usize,
        call: Call,
        deposit: impl FnOnce(&mut Table),
        last: impl FnOnce(&mut Table) -> u64,
    ) -> Result<Outcome> {
        let begun = self.begun.get(rank).ok_or_else(|| outside(rank, self.size))?;
        // Relaxed: only this rank uses the counter.
        let number = begun.load(Ordering::Relaxed) + 1;
        begun.store(number, Ordering::Relaxed);
        let round = &*self.rounds[(number & 1) as usize];
        match round.enter(self.size, rank, call, deposit) {
            Some(mut table) => round.finish(number, &mut table, last),
            // Acquire pairs with the Release in `finish`.
            None => tool::blocking(Reason::Collective, || {
                round
                    .waiting
                    .freeze_while(|| round.ended.load(Ordering::Acquire) >> VERDICT_BITS != number);
            }),
        }
        // Acquire pairs with the Release in `finish`.
        let looks = round.ended.load(Ordering::Acquire) & LOOK != 0;
        Ok(if looks {
            round.outcome(self.size)
        } else {
            Outcome::Nothing
        })
    }
}

impl Round {
    fn new(size: usize) -> Self {
        let table = Table {
            offers: vec![Offer::default(); size],
            ..Table::default()
        };
        Self {
            table: SpinLock::new(table),
            ended: AtomicU64::new(0),
            waiting: WaitList::new(),
        }
    }

    /// Puts what a rank brings on the table; the last one takes the table away.
    fn enter(&self, size: usize, rank: usize, call: Call, deposit: impl FnOnce(&mut Table)) -> Option<Table> {
        let mut table = self.table.lock();
        if table.arrived == 0 {
            table.first = Some((rank, call));
            table.result = Outcome::Nothing;
        }
        if let Some((other, theirs)) = table.first.filter(|(_, theirs)| *theirs != call) {
            table.result = Outcome::Fault(disagreement(rank, call, other, theirs));
        }
        deposit(&mut table);
        table.arrived += 1;
        (table.arrived == size).then(|| std::mem::take(&mut *table))
    }

    /// Does the last rank's duty without holding the lock, puts the table back and releases everybody.
    fn finish(&self, number: u64, table: &mut Table, last: impl FnOnce(&mut Table) -> u64) {
        table.arrived = 0;
        table.looked = 0;
        let verdict = match table.result {
            Outcome::Fault(_) => {
                table.forget();
                LOOK
            }
            _ => last(table),
        };
        *self.table.lock() = std::mem::take(table);
        // Release pairs with the Acquire in `arrive`.
        self.ended
            .store(number << VERDICT_BITS | verdict, Ordering::Release);
        self.waiting.release_all();
    }

    /// The outcome of the meeting; the last rank to look takes it, so that nothing is kept alive by an idle board.
    fn outcome(&self, size: usize) -> Outcome {
        let mut table = self.table.lock();
        table.looked += 1;
        if table.looked == size {
            std::mem::take(&mut table.result)
        } else {
            table.result.clone()
        }
    }
}

impl Table {
    /// Drops what was brought to a meeting that is over or cannot take place.
    fn forget(&mut self) {
        self.offers.fill(Offer::default());
        self.values.clear();
        self.work = 0;
    }
}

impl std::fmt::Debug for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Board")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

/// Leaves `outcome` on the table and says whether anybody has to look at it.
fn close(result: &mut Outcome, outcome: Outcome) -> u64 {
    *result = outcome;
    if matches!(result, Outcome::Nothing) {
        DONE
    } else {
        LOOK
    }
}

/// The values in rank order; all are of one type, because the calls agreed.
fn unpack<V: 'static>(values: &mut [Option<Box<dyn Any + Send>>]) -> Vec<V> {
    values
        .iter_mut()
        .filter_map(Option::take)
        .filter_map(|value| value.downcast().ok())
        .map(|value| *value)
        .collect()
}

#[cold]
fn disagreement(rank: usize, call: Call, other: usize, theirs: Call) -> Error {
    let describe = |call: Call| match call.root {
        Some(root) => format!("{} with root {root}", call.name),
        None => call.name.to_owned(),
    };
    let class = if call.name == theirs.name {
        ErrorClass::Root
    } else {
        ErrorClass::Other
    };
    let (mine, theirs) = (describe(call), describe(theirs));
    Error::new(
        class,
        format!(
            "rank {rank} calls {mine} while rank {other} calls {theirs}: all ranks must make the same call"
        ),
    )
}

#[cold]
fn unexpected() -> Error {
    Error::new(
        ErrorClass::Intern,
        "a meeting of ranks that made the same call ended as another call would",
    )
}

#[cold]
fn outside(rank: usize, size: usize) -> Error {
    Error::new(
        ErrorClass::Rank,
        format!("rank {rank} is not one of the {size} that meet here"),
    )
}
