//! Duplicating communicators.
//!
//! The ranks need not wait for each other. Each rank numbers its duplications of a communicator, which all ranks make
//! in the same order: the first one to come to a number makes the shared part, the others find it, and the last one to
//! find it removes it from the table. On several hosts each host has a table, and the rank that makes the shared part
//! asks the host of the first rank for the context id; that host answers whatever its ranks do.
//!
//! A rank that calls `MPI_Comm_dup`, which may block, waits before it gets too far ahead of the slowest rank. So a
//! program that makes and frees duplicates for ever does not need more and more memory.

use super::{Comm, CommShared, IdDemand};
use crate::error::Result;
use crate::limits::DUPLICATION_LEAD;
use crate::portable::portable;
use crate::request::Request;
use simurgh_core::WaitList;
use simurgh_core::sync::{Arc, AtomicU64, Ordering, SpinLock};
use std::collections::VecDeque;
use std::sync::OnceLock;

/// The duplicates of a communicator that some rank has made and not every rank has.
#[derive(Default)]
pub(super) struct Duplicates {
    pending: SpinLock<VecDeque<Pending>>,
    /// Number of duplicates that every rank has, which is the number of the first pending one.
    finished: AtomicU64,
    waiting: WaitList,
}

/// The contribution of a rank to the exchange in which all wait for each other.
struct KeepPace(());

portable! { KeepPace { 0 } }

/// How far a rank that has waited may be ahead of the slowest one when it goes on.
const HALF_LEAD: u64 = DUPLICATION_LEAD / 2;

struct Pending {
    shared: Arc<SharedPart>,
    missing: usize,
}

/// A shared part that exists, or that some rank is making.
#[derive(Default)]
struct SharedPart {
    made: OnceLock<Result<Arc<CommShared>>>,
    waiting: WaitList,
}

impl SharedPart {
    fn make(&self, make: impl FnOnce() -> Result<Arc<CommShared>>) {
        self.made.get_or_init(make);
        self.waiting.release_all();
    }

    fn get(&self) -> Result<Arc<CommShared>> {
        loop {
            if let Some(made) = self.made.get() {
                return made.clone();
            }
            self.waiting.wait_while(|| self.made.get().is_none());
        }
    }
}

impl Duplicates {
    /// The shared part of duplicate `number`, for one of `ranks`.
    fn take(
        &self,
        number: u64,
        ranks: usize,
        make: impl FnOnce() -> Result<Arc<CommShared>>,
    ) -> Result<Arc<CommShared>> {
        let mut pending = self.pending.lock();
        // Relaxed: written under the lock only.
        let first = self.finished.load(Ordering::Relaxed);
        let place = usize::try_from(number - first).expect("as many as fit in memory");
        let is_first = place == pending.len();
        if is_first {
            let shared = Arc::default();
            pending.push_back(Pending {
                shared,
                missing: ranks,
            });
        }
        let made = &mut pending[place];
        made.missing -= 1;
        let shared = Arc::clone(&made.shared);
        let mut gone = Vec::new();
        while pending.front().is_some_and(|made| made.missing == 0) {
            gone.extend(pending.pop_front());
        }
        let finished = first + gone.len() as u64;
        // Release pairs with the Acquire in `keep_pace`.
        self.finished.store(finished, Ordering::Release);
        drop(pending);
        // A rank that waits may go on when the slowest one is half a lead behind its number. `finished` passes a
        // multiple of half a lead at least once before that.
        if first / HALF_LEAD != finished / HALF_LEAD {
            self.waiting.release_all();
        }
        if is_first {
            shared.make(make);
        }
        shared.get()
    }

    /// Waits, if `number` is far ahead of the slowest rank, until the distance is halved. Ranks that wait for each
    /// other at every step would do little else.
    fn keep_pace(&self, number: u64) {
        // Acquire pairs with the Release in `take`.
        let lead = || number - self.finished.load(Ordering::Acquire).min(number);
        if lead() >= DUPLICATION_LEAD {
            self.waiting.wait_while(|| lead() >= HALF_LEAD);
        }
    }
}

impl Comm {
    /// A communicator with the same ranks, the same virtual topology and another context, without hints
    /// (`MPI_Comm_dup`).
    ///
    /// # Errors
    ///
    /// When no context is free.
    pub fn dup(&self) -> Result<Arc<Self>> {
        let (duplicates, number) = self.next_duplicate();
        let made = self.take_duplicate(duplicates, number)?;
        self.keep_pace(duplicates, number)?;
        Ok(made)
    }

    /// A duplicate for which the rank waits for no other rank (`MPI_Comm_idup`), and the request for it, which is
    /// complete.
    ///
    /// # Errors
    ///
    /// As [`Comm::dup`].
    pub fn idup(&self) -> Result<(Arc<Self>, Arc<Request>)> {
        let (duplicates, number) = self.next_duplicate();
        let made = self.take_duplicate(duplicates, number)?;
        Ok((made, self.process.requests().done_send()))
    }

    /// Waits if the rank is far ahead of the slowest one.
    fn keep_pace(&self, duplicates: &Duplicates, number: u64) -> Result<()> {
        if self.host_map().is_none() {
            duplicates.keep_pace(number);
        } else if number % DUPLICATION_LEAD == DUPLICATION_LEAD - 1 {
            // How far the ranks of other hosts are is not known here, so all ranks have to come before any goes on.
            self.exchange(KeepPace(()), IdDemand::Nothing, |_, _| ())?;
        }
        Ok(())
    }

    fn next_duplicate(&self) -> (&Duplicates, u64) {
        // Relaxed: the number concerns this rank alone, whose duplications of one communicator follow each other.
        let number = self.duplications.fetch_add(1, Ordering::Relaxed);
        (self.shared.duplicates.get_or_init(Box::default), number)
    }

    fn take_duplicate(&self, duplicates: &Duplicates, number: u64) -> Result<Arc<Self>> {
        let (job, shared) = (self.process.job(), &self.shared);
        let made = duplicates.take(number, self.ranks_here(), || shared.duplicate(job, number))?;
        Ok(self.child_with(made, self.seat(), self.topology.clone()))
    }
}
