//! Blocks that are a page by themselves: some slices of a segment, or a span of whole segments.

use std::ptr;

use crate::arena::SEGMENT;
use crate::page::{Extent, HUGE, Page, Purpose, SINGLE};
use crate::segment::{SLICE, SLICES, Segment, Slices};
use crate::slices::make_page;
use crate::{Heap, arena};

/// The largest number of slices of a block; larger blocks take whole segments.
const SLICES_MOST: usize = SLICES / 2 - 1;
/// The slice with which a block of whole segments begins, behind that with the header.
const FIRST: usize = 1;
/// The number of segments from which on a block is to have huge pages.
const HUGE_PAGES_FROM: usize = 2;
/// The distance between the beginnings of long blocks that are allocated one after the other, seen from the beginnings
/// of their slices: an odd number of cache lines. A program that goes through many arrays of one size at the same time
/// would otherwise use the same few sets of a cache for all of them.
const SKEW: usize = 17 * LINE;
/// The size of a cache line.
const LINE: usize = 64;
/// The number of different beginnings: as many as a slice has.
const SKEWS: usize = SLICE / SKEW;
/// The largest alignment beyond a slice.
pub(crate) const ALIGNMENT_MOST: usize = SEGMENT / 2;

impl Heap {
    /// A block of more than the sizes of classes, at an address that is a multiple of `alignment`, a power of two of at
    /// most [`ALIGNMENT_MOST`]; null if there is no memory.
    #[cold]
    #[inline(never)]
    pub(crate) fn allocate_single(&self, size: usize, alignment: usize, zeroed: bool) -> *mut u8 {
        let skew = if alignment <= LINE { self.next_skew() } else { 0 };
        self.allocate_skewed(size, alignment, skew, zeroed)
    }

    /// How far behind the beginning of its slices the next block begins. Heaps begin with different ones.
    fn next_skew(&self) -> usize {
        let number = self.long_blocks.get();
        self.long_blocks.set(number.wrapping_add(1));
        let heap = ptr::from_ref(self).addr() / SEGMENT;
        number.wrapping_add(heap * 7) % SKEWS * SKEW
    }

    /// A block that begins where that of the page does, seen from the beginning of a page of memory, so that its
    /// contents can be moved by pages; null if there is no memory.
    pub(crate) fn allocate_alike(&self, block: usize, size: usize) -> *mut u8 {
        self.allocate_skewed(size, 1, block % SLICE, false)
    }

    fn allocate_skewed(&self, size: usize, alignment: usize, skew: usize, zeroed: bool) -> *mut u8 {
        self.bring_home();
        let padding = alignment.saturating_sub(SLICE) + skew;
        let Some(padded) = size
            .max(1)
            .checked_add(padding)
            .filter(|size| *size < isize::MAX as usize)
        else {
            return ptr::null_mut();
        };
        let found = match padded.div_ceil(SLICE) {
            slices if slices <= SLICES_MOST => self.allocate_slices(slices, zeroed),
            _ => self.allocate_span(padded, zeroed),
        };
        let Some(page) = found else {
            return ptr::null_mut();
        };
        let block = page.take_single();
        let address = block.addr().next_multiple_of(alignment.max(1)) + skew;
        // SAFETY:
        // - the segment is this heap's.
        let segment = unsafe { Segment::of(block.addr()) };
        segment.page(address / SLICE).set_head(page.head());
        block.cast::<u8>().wrapping_add(address - block.addr())
    }

    fn allocate_slices(&self, count: usize, zeroed: bool) -> Option<&'static Page> {
        let slices = self.take_slices(count, false)?;
        let purpose = Purpose {
            class: 0,
            flags: SINGLE,
            block: count * SLICE,
        };
        if zeroed {
            clear(&slices);
        }
        Some(make_page(&slices, purpose))
    }

    fn allocate_span(&self, size: usize, zeroed: bool) -> Option<&'static Page> {
        let count = size.checked_add(FIRST * SLICE)?.div_ceil(SEGMENT);
        let segment = self.take_span(count)?;
        let start = segment.address() + FIRST * SLICE;
        // SAFETY:
        // - the span is new.
        if zeroed && segment.is_dirty() && !unsafe { arena::purge(start, segment.end() - start) } {
            // SAFETY:
            // - as above.
            unsafe { ptr::write_bytes(start as *mut u8, 0, segment.end() - start) };
        }
        segment.set_dirty(true);
        want_huge_pages(segment);
        let page = segment.page(FIRST);
        page.set_head(FIRST);
        page.begin(
            Purpose {
                class: 0,
                flags: SINGLE | HUGE,
                block: segment.end() - start,
            },
            Extent {
                start,
                end: segment.end(),
                slices: 1,
            },
        );
        self.live.set(self.live.get() + count * SLICES);
        Some(page)
    }

    /// Frees the block that is this page.
    pub(crate) fn free_single(&self, page: &'static Page) {
        if page.flags() & HUGE == 0 {
            return self.release_page(page);
        }
        // SAFETY:
        // - the page is one of this heap.
        let segment = unsafe { Segment::of(page.start()) };
        page.end();
        self.live.set(self.live.get() - segment.span() * SLICES);
        self.dirty.set(self.dirty.get() + segment.span() * SLICES);
        self.give_span(segment);
        self.consider_purge();
    }

    /// Makes a block that is a page, and begins at this address, as large as `size`, at the same place. Returns
    /// whether that was possible.
    pub(crate) fn resize(&self, page: &'static Page, address: usize, size: usize) -> bool {
        if page.flags() & SINGLE == 0 {
            return false;
        }
        let Some(whole) = (address - page.start()).checked_add(size) else {
            return false;
        };
        if page.flags() & HUGE != 0 {
            self.extend_span(page, whole)
        } else {
            self.extend_slices(page, whole.div_ceil(SLICE).max(1))
        }
    }

    fn extend_slices(&self, page: &'static Page, count: usize) -> bool {
        // SAFETY:
        // - the page is one of this heap.
        let segment = unsafe { Segment::of(page.start()) };
        let (first, now) = (page.head(), page.slices());
        if count < now {
            self.give_slices(segment, first + count, now - count);
        } else if count > now {
            if !self.take_slices_from(segment, first + now, count - now) {
                return false;
            }
            for slice in first + now..first + count {
                segment.page(slice).set_head(first);
            }
        }
        page.set_slices(count);
        page.set_block(count * SLICE);
        true
    }

    /// Lengthens the span of a block at the end of what the arena has given out.
    fn extend_span(&self, page: &'static Page, size: usize) -> bool {
        // SAFETY:
        // - the page is one of this heap.
        let segment = unsafe { Segment::of(page.start()) };
        let Some(count) = size.checked_add(FIRST * SLICE).map(|size| size.div_ceil(SEGMENT)) else {
            return false;
        };
        if count <= segment.span() {
            return count * 2 > segment.span();
        }
        let more = count - segment.span();
        if !arena::extend(segment.end(), more) {
            return false;
        }
        self.live.set(self.live.get() + more * SLICES);
        segment.set_span(count);
        want_huge_pages(segment);
        page.set_block(segment.end() - page.start());
        true
    }
}

/// Asks for huge pages for a span that is one block, if it is long. A shorter one could have much of its last huge page
/// to spare.
fn want_huge_pages(segment: &Segment) {
    if segment.span() >= HUGE_PAGES_FROM {
        arena::want_huge_pages(segment.address(), segment.span() * SEGMENT);
        segment.set_huge_pages(true);
    }
}

/// Writes zeros where slices may hold something else.
fn clear(slices: &Slices) {
    for slice in slices.first..slices.first + slices.count {
        if slices.dirty >> slice & 1 != 0 {
            let start = (slices.segment.address() + slice * SLICE) as *mut u8;
            // SAFETY:
            // - the slice has just been taken, and is not the first one of its segment.
            unsafe { ptr::write_bytes(start, 0, SLICE) };
        }
    }
}
