//! Duplicating communicators.
//!
//! The ranks need not wait for each other. Each numbers its duplications of a communicator, which all ranks make in
//! the same order: the first to come to a number makes the shared part, the others find it, and the last to find it
//! takes it off the shelf. A rank that blocks in a duplication anyway waits before it gets too far ahead of the
//! slowest, so that making and freeing duplicates for ever needs no more and more memory.

use super::{Comm, CommShared};
use crate::error::Result;
use crate::limits::DUPLICATION_LEAD;
use crate::request::Request;
use simurgh_core::WaitList;
use simurgh_core::sync::{Arc, AtomicU64, Ordering, SpinLock};
use std::collections::VecDeque;

/// The duplicates of a communicator that some rank has made and not every rank has.
#[derive(Default)]
pub(super) struct Duplicates {
    shelf: SpinLock<VecDeque<Made>>,
    /// Duplicates that every rank has: the number of the first on the shelf.
    finished: AtomicU64,
    waiting: WaitList,
}

/// How far the slowest rank may be behind when one goes on that has waited for it.
const HALF_LEAD: u64 = DUPLICATION_LEAD / 2;

struct Made {
    shared: Result<Arc<CommShared>>,
    missing: usize,
}

impl Duplicates {
    /// Duplicate `number`, for one of `ranks`.
    fn take(
        &self,
        number: u64,
        ranks: usize,
        make: impl FnOnce() -> Result<Arc<CommShared>>,
    ) -> Result<Arc<CommShared>> {
        let mut shelf = self.shelf.lock();
        // Relaxed: written under the lock only.
        let first = self.finished.load(Ordering::Relaxed);
        let place = usize::try_from(number - first).expect("as many as fit in memory");
        if place == shelf.len() {
            shelf.push_back(Made {
                shared: make(),
                missing: ranks,
            });
        }
        let made = &mut shelf[place];
        made.missing -= 1;
        let shared = made.shared.clone();
        let mut gone = Vec::new();
        while shelf.front().is_some_and(|made| made.missing == 0) {
            gone.extend(shelf.pop_front());
        }
        let finished = first + gone.len() as u64;
        // Release pairs with the Acquire in `keep_pace`.
        self.finished.store(finished, Ordering::Release);
        drop(shelf);
        // Who waits may go on half a lead before its own number, which is once at least on the way there.
        if first / HALF_LEAD != finished / HALF_LEAD {
            self.waiting.release_all();
        }
        shared
    }

    /// Waits, if `number` is far ahead of the slowest rank, until that one is halfway there: ranks that wait for each
    /// other at every step would do little else.
    fn keep_pace(&self, number: u64) {
        // Acquire pairs with the Release in `take`.
        let lead = || number - self.finished.load(Ordering::Acquire).min(number);
        if lead() >= DUPLICATION_LEAD {
            self.waiting.freeze_while(|| lead() >= HALF_LEAD);
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
        duplicates.keep_pace(number);
        Ok(made)
    }

    /// A duplicate for which the rank waits for nobody, whatever the others do (`MPI_Comm_idup`), and the request for
    /// it, which is complete.
    ///
    /// # Errors
    ///
    /// As [`Comm::dup`].
    pub fn idup(&self) -> Result<(Arc<Self>, Arc<Request>)> {
        let (duplicates, number) = self.next_duplicate();
        let made = self.take_duplicate(duplicates, number)?;
        Ok((made, self.process.requests().done_send()))
    }

    fn next_duplicate(&self) -> (&Duplicates, u64) {
        // Relaxed: the number concerns this rank alone, whose duplications of one communicator follow each other.
        let number = self.duplications.fetch_add(1, Ordering::Relaxed);
        (self.shared.duplicates.get_or_init(Box::default), number)
    }

    fn take_duplicate(&self, duplicates: &Duplicates, number: u64) -> Result<Arc<Self>> {
        let (job, sides) = (self.process.job(), &self.shared.sides);
        let shared = duplicates.take(number, sides.seats(), || CommShared::new(job, sides.clone()))?;
        Ok(self.child_with(shared, self.seat(), self.topology.clone()))
    }
}
