//! Giving free memory back to the system.
//!
//! A program that frees much often needs as much soon, and a page that comes anew from the system costs a fault. So
//! free memory is given back only if it is much compared with what is in use, and has been for a while.

use crate::clock::now;
use crate::segment::{LISTS, SLICE, SLICES, Segment};
use crate::{Heap, arena};

/// The number of slices that are always kept.
const KEPT: usize = 16;
/// The time in milliseconds for which more is kept.
const DELAY: u64 = 1000;
/// The number of slices from which on free memory is given back at once.
const AT_ONCE: usize = 32 * SLICES;

impl Heap {
    /// Gives free memory back if it is time.
    #[inline]
    pub(crate) fn consider_purge(&self) {
        if self.dirty.get() > KEPT + self.live.get() / 2 {
            self.purge_in_time();
        }
    }

    #[cold]
    fn purge_in_time(&self) {
        let now = now();
        if self.purge_at.get() == 0 {
            self.purge_at.set(now + DELAY);
        }
        if now >= self.purge_at.get() || self.dirty.get() > AT_ONCE + self.live.get() {
            self.purge();
        }
    }

    /// Gives all free memory back.
    pub(crate) fn purge(&self) {
        self.purge_at.set(0);
        let with_free = || (0..LISTS).flat_map(|list| self.on_list(list));
        with_free().for_each(Segment::purge);
        for span in self.spans().filter(|span| span.is_dirty()) {
            // The first page has the header.
            let start = span.address() + SLICE;
            // SAFETY:
            // - the span is free.
            if unsafe { arena::purge(start, span.end() - start) } {
                span.set_dirty(false);
            }
        }
        let segments: usize = with_free().map(Segment::dirty_slices).sum();
        let spans: usize = self
            .spans()
            .filter(|span| span.is_dirty())
            .map(|span| span.span() * SLICES)
            .sum();
        self.dirty.set(segments + spans);
    }
}
