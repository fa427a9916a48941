//! Duplicating communicators.
//!
//! The ranks need not wait for each other. Each numbers its duplications of a communicator, which all ranks make in the
//! same order: the first to come to a number makes the shared part, the others find it, and the last to find it
//! takes it off the shelf. A rank that blocks in a duplication anyway waits before it gets too far ahead of the slowest,
//! so that making and freeing duplicates for ever needs no more and more memory.

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
        let crowded = shelf.len() as u64 > DUPLICATION_LEAD;
        let mut gone = Vec::new();
        while shelf.front().is_some_and(|made| made.missing == 0) {
            gone.extend(shelf.pop_front());
        }
        // Release pairs with the Acquire in `keep_pace`.
        self.finished.store(first + gone.len() as u64, Ordering::Release);
        drop(shelf);
        if crowded && !gone.is_empty() {
            self.waiting.release_all();
        }
        shared
    }

    /// Waits until everybody has the duplicates before the last few up to `number`.
    fn keep_pace(&self, number: u64) {
        // Acquire pairs with the Release in `take`.
        let ahead = || number >= self.finished.load(Ordering::Acquire) + DUPLICATION_LEAD;
        if ahead() {
            self.waiting.freeze_while(ahead);
        }
    }
}

impl Comm {
    /// A communicator with the same ranks, the same virtual topology and another context (`MPI_Comm_dup`), without hints.
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
        let (contexts, sides) = (self.process.job().contexts(), &self.shared.sides);
        let shared = duplicates.take(number, sides.seats(), || CommShared::new(contexts, sides.clone()))?;
        Ok(self.child_with(shared, self.seat(), self.topology.clone()))
    }
}
