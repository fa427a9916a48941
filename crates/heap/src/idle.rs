//! Idle blocks: long blocks that have been freed and are handed out next, the one that was freed last before the
//! others.
//!
//! They are for slices what [magazines](crate::magazine) are for size classes: a program that allocates and frees a
//! block of some 200 KB over and over gets the same memory, and nobody looks for slices. An idle block keeps its page,
//! whose slices are in use, as far as the segment is concerned. There are few of them; the others make their slices
//! free, which then serve blocks of all sizes.

use std::cell::Cell;
use std::ptr;

use crate::links::Linked;
use crate::page::{IDLE, Page, SINGLE};
use crate::{Heap, list_of_pages};

/// The slices of a block that can be idle, at most.
const LONGEST: usize = 8;
/// The slices of all idle blocks of a heap, at most.
const MOST: usize = 16;

/// The idle blocks of a heap. Zeros are none.
pub(crate) struct Idle {
    /// The one that was freed last, by the number of slices less one; then those before it, by the links of pages.
    first: [Cell<*const Page>; LONGEST],
    /// The slices of all of them.
    slices: Cell<usize>,
}

impl Heap {
    /// Takes the page of an idle block with so many slices. It counts as in use again.
    #[inline]
    pub(crate) fn take_idle(&self, slices: usize) -> Option<&'static Page> {
        let first = self.idle.first.get(slices.wrapping_sub(1))?;
        // SAFETY:
        // - null, or a page of a segment of this heap, which stays mapped.
        let page = unsafe { first.get().as_ref() }?;
        first.set(page.links().next());
        self.idle.slices.set(self.idle.slices.get() - slices);
        page.set_flags(SINGLE);
        Some(page)
    }

    /// Makes the freed block that is this page idle, if there is room. In a rank that has a limit no block is idle: its
    /// other threads could not have that memory.
    #[inline]
    pub(crate) fn make_idle(&self, page: &'static Page) -> bool {
        let slices = page.slices();
        let all = self.idle.slices.get() + slices;
        let may_be = page.flags() == SINGLE && slices <= LONGEST && all <= MOST && self.account().is_none();
        if may_be {
            let first = &self.idle.first[slices - 1];
            page.links().set_next(first.replace(page));
            page.set_flags(SINGLE | IDLE);
            self.idle.slices.set(all);
        }
        may_be
    }

    /// Makes the slices of all idle blocks free.
    pub(crate) fn release_idle(&self) {
        for first in &self.idle.first {
            // The iterator has gone on to the next page before the one that it returns is released.
            for page in list_of_pages(first.replace(ptr::null())) {
                self.release_page(page);
            }
        }
        self.idle.slices.set(0);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::tests::{C, as_rank};
    use crate::{RankHeaps, context};

    fn heap() -> &'static Heap {
        // SAFETY:
        // - the context has allocated memory, and heaps stay where they are.
        unsafe { context::heap().as_ref() }.expect("a heap")
    }

    fn long_in_use() -> u64 {
        let statistics = RankHeaps::statistics_of_caller().expect("the caller belongs to a rank");
        statistics.long.count
    }

    #[test]
    fn a_freed_block_serves_the_next_request_of_as_many_slices() {
        as_rank(|_| {
            let (one, other) = (C::malloc(200_000), C::malloc(200_000));
            C::free(one);
            C::free(other);
            assert_eq!(heap().idle.slices.get(), 8);
            assert_eq!(long_in_use(), 0);
            let live = heap().live.get();
            assert_eq!(C::malloc(200_000), other);
            assert_eq!(C::malloc(200_000), one);
            assert_eq!((heap().live.get(), heap().idle.slices.get()), (live, 0));
            assert_eq!(long_in_use(), 2);
        });
    }

    #[test]
    fn blocks_beyond_the_room_make_their_slices_free() {
        as_rank(|_| {
            let blocks: Vec<_> = (0..MOST).map(|_| C::malloc(200_000)).collect();
            blocks.into_iter().for_each(C::free);
            assert_eq!(heap().idle.slices.get(), MOST);
            assert_eq!(heap().live.get(), MOST);
            heap().release_empty();
            assert_eq!((heap().idle.slices.get(), heap().live.get()), (0, 0));
        });
    }

    #[test]
    fn an_idle_block_is_cleared_for_who_wants_zeros() {
        as_rank(|_| {
            let block = C::malloc(200_000);
            // SAFETY:
            // - the block has room for so many bytes.
            unsafe { block.write_bytes(7, 200_000) };
            C::free(block);
            let zeros = C::calloc(200, 1000);
            assert_eq!(zeros, block);
            // SAFETY:
            // - as above.
            let bytes = unsafe { std::slice::from_raw_parts(zeros, 200_000) };
            assert!(bytes.iter().all(|byte| *byte == 0));
        });
    }
}
