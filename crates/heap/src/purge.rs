//! Giving free memory back to the system.
//!
//! A program that frees much often needs as much soon, and a page that comes anew from the system costs a fault. So
//! free memory is given back only if it is much compared with what is in use, and has been all the time for a while. A
//! program that frees everything and allocates it again, over and over, keeps its pages. What was needed in that time
//! is kept, too.

use crate::clock::now;
use crate::segment::{LISTS, SLICE, SLICES, Segment};
use crate::{Heap, arena};

/// The number of slices that are always kept.
const KEPT: usize = 16;
/// The time in milliseconds for which more is kept, counted from when it was last needed.
pub(crate) const DELAY: u64 = 1000;
/// The number of slices from which on free memory is given back at once.
const AT_ONCE: usize = 32 * SLICES;

impl Heap {
    /// Gives free memory back if it is time.
    #[inline]
    pub(crate) fn consider_purge(&self) {
        if self.is_much(self.dirty.get()) {
            self.purge_in_time();
        }
    }

    /// Whether so many free slices are much, compared with those in use.
    #[inline]
    fn is_much(&self, free: usize) -> bool {
        free > KEPT + self.live.get() / 2
    }

    #[cold]
    fn purge_in_time(&self) {
        let (now, end) = (now(), self.purge_at.get());
        let is_over = end != 0 && now >= end;
        let was_much = is_over && self.is_much(self.least_dirty.get());
        if was_much {
            // Blocks that are kept keep pages. Those pages do not lead here again.
            self.purge_at.set(now + DELAY);
            self.empty_magazines();
            self.purge_at_most(self.least_dirty.get());
        } else if self.dirty.get() > AT_ONCE + self.live.get() {
            self.purge();
        } else if is_over || end == 0 {
            self.purge_at.set(now + DELAY);
            self.least_dirty.set(self.dirty.get());
        }
    }

    /// Notes that memory has been taken, and how much was left.
    pub(crate) fn note_need(&self) {
        let least = self.least_dirty.get().min(self.dirty.get());
        self.least_dirty.set(least);
    }

    /// Gives all free memory back.
    pub(crate) fn purge(&self) {
        self.purge_at_most(usize::MAX);
    }

    /// Gives so much free memory back, in slices, or all if there is less: first that of whole segments, which is taken
    /// last, then that of segments with long runs. A segment with pages gives all that it has free.
    fn purge_at_most(&self, most: usize) {
        self.purge_at.set(0);
        let mut left = most - self.purge_spans(most);
        let with_free = || (0..LISTS).rev().flat_map(|list| self.on_list(list));
        for segment in with_free() {
            if left == 0 {
                break;
            }
            left = left.saturating_sub(segment.dirty_slices());
            segment.purge();
        }
        let segments: usize = with_free().map(Segment::dirty_slices).sum();
        let spans: usize = self
            .spans()
            .filter(|span| span.is_dirty())
            .map(|span| span.span() * SLICES)
            .sum();
        self.dirty.set(segments + spans);
    }

    /// Gives the memory of free spans back, not more than this. Returns the number of slices.
    fn purge_spans(&self, most: usize) -> usize {
        let mut left = most;
        for span in self.spans().filter(|span| span.is_dirty()) {
            let (whole, segments) = (span.span(), left / SLICES);
            let span = match segments {
                0 => break,
                _ if segments < whole => Self::cut(span, whole - segments),
                _ => span,
            };
            // The first page has the header.
            let start = span.address() + SLICE;
            // SAFETY:
            // - the span is free.
            if unsafe { arena::purge(start, span.end() - start) } {
                span.set_dirty(false);
            }
            left -= span.span() * SLICES;
        }
        most - left
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::DELAY;
    use crate::clock::stopped;
    use crate::segment::{SLICE, SLICES};
    use crate::tests::{C, as_rank};
    use crate::{Heap, context};

    const BLOCKS: usize = 125;

    fn heap() -> &'static Heap {
        // SAFETY:
        // - the context has allocated memory, and heaps stay where they are.
        unsafe { context::heap().as_ref() }.expect("a heap")
    }

    /// Allocates much and frees it.
    fn need_much() {
        let blocks: Vec<_> = (0..BLOCKS).map(|_| C::malloc(4 * SLICE)).collect();
        blocks.into_iter().for_each(C::free);
    }

    fn need_little() {
        C::free(C::malloc(4 * SLICE));
    }

    /// Lets the time pass after which free memory is given back.
    fn let_time_pass() {
        assert!(heap().purge_at.get() > 0, "there is free memory to give back");
        stopped::advance(DELAY);
    }

    /// As [`as_rank`]; no time passes by itself.
    fn as_rank_without_time(f: impl FnOnce() + Send) {
        as_rank(|_| {
            stopped::advance(0);
            f();
        });
    }

    #[test]
    fn free_memory_that_is_needed_again_in_time_is_kept() {
        as_rank_without_time(|| {
            need_much();
            let free = heap().dirty.get();
            for _ in 0..3 {
                let_time_pass();
                need_much();
                assert_eq!(heap().dirty.get(), free);
            }
        });
    }

    /// Begins a time in which little is needed, with all that is free.
    fn begin_time() {
        need_much();
        let_time_pass();
        need_little();
        need_little();
    }

    #[test]
    fn free_memory_that_nobody_has_needed_is_given_back() {
        as_rank_without_time(|| {
            begin_time();
            let_time_pass();
            need_little();
            assert!(!heap().is_much(heap().dirty.get()));
            assert_eq!(heap().purge_at.get(), 0);
        });
    }

    #[test]
    fn what_was_needed_in_time_is_kept_when_the_rest_is_given_back() {
        as_rank_without_time(|| {
            begin_time();
            let blocks = [(); BLOCKS / 5].map(|()| C::malloc(4 * SLICE));
            blocks.into_iter().for_each(C::free);
            let (free, least) = (heap().dirty.get(), heap().least_dirty.get());
            assert!(0 < least && least < free, "{least} of {free}");
            let_time_pass();
            need_little();
            let kept = heap().dirty.get();
            let off = kept.abs_diff(free - least);
            assert!(
                off <= SLICES,
                "{kept} of {free}, {least} of which nobody has needed"
            );
        });
    }
}
