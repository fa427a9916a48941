//! A wait list that knows whether anybody waits: letting nobody go costs a fence and a load.

use crossbeam_utils::CachePadded;

use crate::ec::spin_while_idle;
use crate::sync::{AtomicUsize, Ordering, fence};
use crate::wait_list::WaitList;

/// Execution contexts that wait together, which they seldom do.
pub(crate) struct Crowd {
    list: WaitList,
    waiting: CachePadded<AtomicUsize>,
}

impl Crowd {
    pub(crate) fn new() -> Self {
        Self {
            list: WaitList::new(),
            waiting: CachePadded::default(),
        }
    }

    /// As [`WaitList::freeze_while`].
    pub(crate) fn freeze_while(&self, closed: impl Fn() -> bool) {
        if spin_while_idle(|| !closed()) {
            return;
        }
        self.waiting.fetch_add(1, Ordering::SeqCst);
        // Whoever releases makes `closed` false and then looks for those who wait, we do it the other way round: with a
        // fence in between on both sides one of the two sees the other.
        fence(Ordering::SeqCst);
        self.list.freeze_at_once_while(closed);
        // Relaxed: who sees the old number releases the list once too often.
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    /// Releases all who wait, after what they wait for has been made true.
    #[inline]
    pub(crate) fn release(&self) {
        // See `freeze_while`.
        fence(Ordering::SeqCst);
        if self.waiting.load(Ordering::Relaxed) != 0 {
            self.list.release_all();
        }
    }
}
