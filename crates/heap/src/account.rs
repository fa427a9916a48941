//! The memory that a rank may have, and what it has of that.
//!
//! Memory is counted where a heap takes slices for pages, and makes them free: in its slow paths. A block of several
//! segments counts with the slices that it needs. The rank's heaps count together, without a lock.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::report::{Report, report};
use crate::segment::SLICE;
use crate::{Heap, RankHeaps, context};

/// The memory of a rank, in slices.
#[derive(Debug, Default)]
pub(crate) struct Account {
    /// What the rank may have; 0 if there is no limit. It is set before the rank has a heap.
    limit: AtomicUsize,
    /// What it has; not counted if there is no limit.
    used: AtomicUsize,
    is_told: AtomicBool,
}

impl Account {
    pub(crate) const fn unlimited() -> Self {
        Self {
            limit: AtomicUsize::new(0),
            used: AtomicUsize::new(0),
            is_told: AtomicBool::new(false),
        }
    }

    /// Sets the number of bytes that the rank may have: at least one slice.
    pub(crate) fn set_limit(&self, bytes: usize) {
        // Relaxed here and below: nothing else is passed on with the numbers.
        self.limit.store((bytes / SLICE).max(1), Ordering::Relaxed);
    }

    fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    fn charge(&self, slices: usize) -> bool {
        let limit = self.limit();
        let add = |used: usize| used.checked_add(slices).filter(|used| *used <= limit);
        self.used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add)
            .is_ok()
    }

    fn release(&self, slices: usize) {
        self.used.fetch_sub(slices, Ordering::Relaxed);
    }

    fn tell(&self, asked: usize) {
        if !self.is_told.swap(true, Ordering::Relaxed) {
            report(&Report::BeyondLimit {
                asked,
                used: self.used.load(Ordering::Relaxed) * SLICE,
                limit: self.limit() * SLICE,
            });
        }
    }
}

impl Heap {
    /// What counts the memory of the rank, if it has a limit.
    pub(crate) fn account(&self) -> Option<&Account> {
        Some(&self.of().account).filter(|account| account.limit() != 0)
    }

    /// Counts slices that are to be taken. Returns false if the rank may not have so many, also when empty pages have
    /// been given up.
    pub(crate) fn charge(&self, slices: usize) -> bool {
        self.account().is_none_or(|account| {
            account.charge(slices) || {
                self.give_up_empty();
                give_up_those_of_ended_threads();
                account.charge(slices)
            }
        })
    }

    fn give_up_empty(&self) {
        self.end_waiting();
        self.bring_home();
        self.release_empty();
    }

    /// Counts slices that have been made free, or could not be taken.
    pub(crate) fn uncharge(&self, slices: usize) {
        if let Some(account) = self.account() {
            account.release(slices);
        }
    }
}

/// Gives up the empty pages in those heaps of the calling context's rank that no thread uses.
fn give_up_those_of_ended_threads() {
    // SAFETY:
    // - null, or the heaps of the context's rank, which are valid for ever.
    let heaps = unsafe { context::heaps().as_ref() };
    for heap in heaps.into_iter().flat_map(RankHeaps::all) {
        let _ = heap.while_unused(Heap::give_up_empty);
    }
}

/// Whether a block that the calling context's heap does not have is refused, since its rank has a limit, or may have
/// memory only in its share of the addresses. The user is told once.
#[cold]
pub(crate) fn is_refused(asked: usize) -> bool {
    // SAFETY:
    // - null, or the heaps of the context's rank, which are valid for ever.
    let heaps = unsafe { context::heaps().as_ref() };
    let account = heaps
        .map(|heaps| &heaps.account)
        .filter(|account| account.limit() != 0);
    if let Some(account) = account {
        account.tell(asked);
        return true;
    }
    let Some(heaps) = heaps.filter(|heaps| heaps.source.share().is_some()) else {
        return false;
    };
    if !heaps.account.is_told.swap(true, Ordering::Relaxed) {
        let taken = heaps.taken_of_share().len();
        report(&Report::ShareFull { asked, taken });
    }
    true
}
