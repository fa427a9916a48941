//! An event count: a wait list that knows whether anybody waits, so that releasing nobody costs a fence and a load.
//!
//! # Protocol
//!
//! A waiter adds itself to `waiting`, issues a fence, and then checks under the list's lock whether it still has to
//! wait. A releaser makes the condition true, issues a fence, and then reads `waiting`. With a fence on both sides one
//! of the two sees the other.

use crossbeam_utils::CachePadded;

use super::wait_list::WaitList;
use crate::execution::{slot_count, spin_while_idle};
use crate::sync::{AtomicU64, Ordering, fence, relax};

/// Added to the count of waiters by each waiter that has checked the condition without success.
const CHECKED: u64 = 1 << 32;

/// A condition for which execution contexts seldom have to wait.
pub(super) struct EventCount {
    list: WaitList,
    /// The number of waiters, plus [`CHECKED`] for each that has checked without success before.
    waiting: CachePadded<AtomicU64>,
}

impl EventCount {
    pub(super) fn new() -> Self {
        Self {
            list: WaitList::new(),
            waiting: CachePadded::default(),
        }
    }

    /// As [`WaitList::wait_while`], for a condition that another worker may change in a moment. The first waiter checks
    /// it `checks` times before it suspends, even if others could use its worker. `checks` is called when that matters.
    pub(super) fn wait_while(&self, closed: impl Fn() -> bool, checks: impl Fn() -> usize) {
        if spin_while_idle(|| !closed()) {
            return;
        }
        let checks = if self.is_worth_checking() { checks() } else { 0 };
        if becomes_open(&closed, checks) {
            return;
        }
        let one = if checks == 0 { 1 } else { 1 + CHECKED };
        self.waiting.fetch_add(one, Ordering::SeqCst);
        // Pairs with the fence of the releaser: see the protocol.
        fence(Ordering::SeqCst);
        self.list.suspend_while(closed);
        // Relaxed: a releaser that reads the old count releases the list once too often.
        self.waiting.fetch_sub(one, Ordering::Relaxed);
    }

    /// Whether nobody has checked without success yet. Otherwise all that come now wait until the worker has run
    /// everything that is ready.
    fn is_worth_checking(&self) -> bool {
        // With a single worker nothing can change while the caller checks. Relaxed: a wrong count costs a moment.
        slot_count() > 1 && self.waiting.load(Ordering::Relaxed) < CHECKED
    }

    /// Releases all waiters, after the caller has made true what they wait for.
    #[inline]
    pub(super) fn release(&self) {
        // Pairs with the fence of the waiter: see the protocol.
        fence(Ordering::SeqCst);
        self.release_after_fence();
    }

    /// [`EventCount::release`] for a caller that has made the condition true before a fence, or by [`store_fenced`].
    ///
    /// [`store_fenced`]: crate::sync::store_fenced
    #[inline]
    pub(super) fn release_after_fence(&self) {
        // SeqCst: it follows the caller's fence.
        if self.waiting.load(Ordering::SeqCst) != 0 {
            self.list.release_all();
        }
    }
}

/// Checks so often whether `closed` still returns true. Returns true if it does not.
fn becomes_open(closed: impl Fn() -> bool, checks: usize) -> bool {
    (0..checks).any(|_| {
        relax();
        !closed()
    })
}
