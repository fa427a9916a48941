//! A wait list that knows whether anybody waits: letting nobody go costs a fence and a load.

use crossbeam_utils::CachePadded;

use crate::ec::{slot_count, spin_while_idle};
use crate::sync::{AtomicU64, Ordering, fence, relax};
use crate::wait_list::WaitList;

/// What who has looked in vain adds to the number of those who wait, beside one.
const LOOKED: u64 = 1 << 32;

/// Execution contexts that wait together, which they seldom do.
pub(crate) struct EventCount {
    list: WaitList,
    /// How many wait, and [`LOOKED`] for each that has looked in vain before.
    waiting: CachePadded<AtomicU64>,
}

impl EventCount {
    pub(crate) fn new() -> Self {
        Self {
            list: WaitList::new(),
            waiting: CachePadded::default(),
        }
    }

    /// As [`WaitList::freeze_while`], of something that another worker may end in a moment: the first of a crowd looks
    /// so often, although others could use its worker. `looks` is asked when it matters.
    pub(crate) fn freeze_while(&self, closed: impl Fn() -> bool, looks: impl Fn() -> usize) {
        if spin_while_idle(|| !closed()) {
            return;
        }
        let looks = if self.is_worth_a_look() { looks() } else { 0 };
        if see_open(&closed, looks) {
            return;
        }
        let one = if looks == 0 { 1 } else { 1 + LOOKED };
        self.waiting.fetch_add(one, Ordering::SeqCst);
        // Whoever releases makes `closed` false and then looks for those who wait, we do it the other way round: with a
        // fence in between on both sides one of the two sees the other.
        fence(Ordering::SeqCst);
        self.list.freeze_at_once_while(closed);
        // Relaxed: who sees the old number releases the list once too often.
        self.waiting.fetch_sub(one, Ordering::Relaxed);
    }

    /// Whether nobody has looked in vain yet: what does not happen now keeps everybody waiting until the worker has run
    /// all that is ready, and all who come in the meantime too.
    fn is_worth_a_look(&self) -> bool {
        // Who has a single worker cannot see anything happen. Relaxed: a wrong number costs a moment.
        slot_count() > 1 && self.waiting.load(Ordering::Relaxed) < LOOKED
    }

    /// Releases all who wait, after what they wait for has been made true.
    #[inline]
    pub(crate) fn release(&self) {
        // See `freeze_while`.
        fence(Ordering::SeqCst);
        self.release_after_fence();
    }

    /// [`EventCount::release`] for who has made what they wait for true before a fence, or by [`store_fenced`].
    ///
    /// [`store_fenced`]: crate::sync::store_fenced
    #[inline]
    pub(crate) fn release_after_fence(&self) {
        // SeqCst: see `store_fenced`.
        if self.waiting.load(Ordering::SeqCst) != 0 {
            self.list.release_all();
        }
    }
}

/// Looks so often whether `closed` holds still.
fn see_open(closed: impl Fn() -> bool, looks: usize) -> bool {
    (0..looks).any(|_| {
        relax();
        !closed()
    })
}
