//! A wait list that knows whether anybody waits: letting nobody go costs a fence and a load.

use crossbeam_utils::CachePadded;

use crate::ec::{slot_count, spin_while_idle};
use crate::sync::{AtomicUsize, Ordering, fence, relax};
use crate::wait_list::WaitList;

/// How often the first of a crowd looks at what it waits for although others could use its worker: about as long as two
/// of them take to get there. The model checker sees enough.
const LOOKS: usize = if cfg!(loom) { 0 } else { 16 };

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
        if spin_while_idle(|| !closed()) || self.look_for_all(&closed) {
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

    /// Looks whether `closed` holds still for a moment, if nobody waits yet: what does not happen now keeps everybody
    /// waiting until the worker has run all that is ready, and all who come in the meantime too.
    fn look_for_all(&self, closed: impl Fn() -> bool) -> bool {
        // Who has a single worker cannot see anything happen. Relaxed: a wrong number costs a moment.
        if slot_count() == 1 || self.waiting.load(Ordering::Relaxed) != 0 {
            return false;
        }
        (0..LOOKS).any(|_| {
            relax();
            !closed()
        })
    }

    /// Releases all who wait, after what they wait for has been made true.
    #[inline]
    pub(crate) fn release(&self) {
        // See `freeze_while`.
        fence(Ordering::SeqCst);
        self.release_after_fence();
    }

    /// [`Crowd::release`] for who has made what they wait for true before a fence.
    #[inline]
    pub(crate) fn release_after_fence(&self) {
        if self.waiting.load(Ordering::Relaxed) != 0 {
            self.list.release_all();
        }
    }
}
