//! Blocks that are a page by themselves: some slices of a segment, or a span of whole segments.

use std::ptr;

use crate::arena::{HUGE_PAGE, SEGMENT};
use crate::page::{APART, Extent, HUGE, Page, Purpose, SAMPLED, SINGLE};
use crate::segment::{DENSE, SLICE, SLICES, Segment, Slices};
use crate::size_class::{self, LINE};
use crate::slices::make_page;
use crate::{Heap, arena, reserved, sampler};

/// The largest number of slices of a block; larger blocks take whole segments.
const SLICES_MOST: usize = SLICES / 2 - 1;
/// The slice with which a block of whole segments begins, behind that with the header.
pub(crate) const FIRST: usize = 1;
/// The distance between two possible beginnings of a long block, seen from the beginning of its slices: an odd number
/// of cache lines. A program that goes through many arrays of one size at the same time would otherwise use the same
/// few sets of a cache for all of them.
const SKEW: usize = 17 * LINE;
/// The room for the different beginnings that a block has at least: this, or a part of its size if that is less.
const ROOM_FOR_SKEW: usize = SLICE / 4;
const PART_FOR_SKEW: usize = 16;
/// The largest alignment of a block in the segment with its header. Others begin where the segment behind that does.
const ALIGNMENT_WITHIN: usize = SEGMENT / 2;

/// Where a block begins, seen from the beginning of its slices.
#[derive(Clone, Copy)]
enum Begins {
    /// So many bytes behind that.
    Behind(usize),
    /// At a distance that follows from the place: a block that is allocated where an equal one has been freed begins
    /// where that did, so what is in the caches is of use.
    Anywhere,
}

impl Begins {
    /// The bytes that the block takes besides its size, not counting the rest of its last slice.
    fn padding(self, size: usize) -> usize {
        match self {
            Self::Behind(distance) => distance,
            // As there is, or a slice more.
            Self::Anywhere => {
                let rest = size.wrapping_neg() % SLICE;
                let wanted = ROOM_FOR_SKEW.min(size / PART_FOR_SKEW);
                if rest < wanted { SLICE } else { 0 }
            }
        }
    }

    fn skew(self, page: &Page, size: usize) -> usize {
        match self {
            Self::Behind(distance) => distance,
            Self::Anywhere => {
                let room = (page.block() - size).min(SLICE);
                size_class::scattered(page.start(), room / SKEW + 1) * SKEW
            }
        }
    }
}

impl Heap {
    /// A block of more than the sizes of classes, at an address that is a multiple of `alignment`, a power of two; null
    /// if there is no memory.
    #[inline(never)]
    pub(crate) fn allocate_single(&self, size: usize, alignment: usize, zeroed: bool) -> *mut u8 {
        let begins = if alignment <= LINE {
            Begins::Anywhere
        } else {
            Begins::Behind(0)
        };
        let idle = match begins {
            Begins::Anywhere => self.reuse(size, zeroed),
            Begins::Behind(_) => None,
        };
        let block = idle.unwrap_or_else(|| self.allocate_long(size, alignment, begins, zeroed));
        self.sample_long(block, size);
        block
    }

    /// An idle block that takes as many slices as one of this size.
    #[inline]
    fn reuse(&self, size: usize, zeroed: bool) -> Option<*mut u8> {
        let begins = Begins::Anywhere;
        let page = self.take_idle(size.checked_add(begins.padding(size))?.div_ceil(SLICE))?;
        let address = page.start() + begins.skew(page, size);
        self.count_long(0, page.block());
        let block = page.take_single(address).cast::<u8>();
        if zeroed {
            // SAFETY:
            // - the block has just been taken, and is as large.
            unsafe { ptr::write_bytes(block, 0, size) };
        }
        Some(block)
    }

    /// A block of a size class that is a page; null if there is no memory.
    pub(crate) fn allocate_apart(&self, class: usize, size: usize) -> *mut u8 {
        let block = self.allocate_long(size, 1, Begins::Behind(0), false);
        if !block.is_null() {
            // SAFETY:
            // - the block is one of this heap.
            let page = unsafe { Segment::of_block(block.addr()) }.page_at(block.addr());
            self.count_long(page.block(), 0);
            page.set_flags(page.flags() | APART);
            page.set_class(class);
            self.count_full(page);
        }
        block
    }

    /// A block that begins where that of the page does, seen from the beginning of a page of memory, so that its
    /// contents can be moved by pages; null if there is no memory.
    pub(crate) fn allocate_alike(&self, block: usize, size: usize) -> *mut u8 {
        let new = self.allocate_long(size, 1, Begins::Behind(block % SLICE), false);
        self.sample_long(new, size);
        new
    }

    #[cold]
    #[inline(never)]
    fn allocate_long(&self, size: usize, alignment: usize, begins: Begins, zeroed: bool) -> *mut u8 {
        self.bring_home();
        let padding = match alignment {
            ..=ALIGNMENT_WITHIN => alignment.saturating_sub(SLICE) + begins.padding(size),
            _ => 0,
        };
        let Some(padded) = size
            .max(1)
            .checked_add(padding)
            .filter(|size| *size < isize::MAX as usize)
        else {
            return ptr::null_mut();
        };
        let found = match padded.div_ceil(SLICE) {
            _ if alignment > ALIGNMENT_WITHIN => self.allocate_aligned_span(size, alignment),
            slices if slices <= SLICES_MOST => self.allocate_slices(slices, zeroed),
            _ => self.allocate_span(padded, zeroed),
        };
        let Some(page) = found else {
            return ptr::null_mut();
        };
        let address = page.start().next_multiple_of(alignment.max(1)) + begins.skew(page, size);
        // SAFETY:
        // - the segment is this heap's.
        let segment = unsafe { Segment::of_block(page.start()) };
        segment.page(address / SLICE).set_head(page.head());
        self.count_long(0, page.block());
        page.take_single(address).cast()
    }

    fn allocate_slices(&self, count: usize, zeroed: bool) -> Option<&'static Page> {
        let slices = self
            .take_in_common(count)
            .or_else(|| self.take_slices(count, false))?;
        let purpose = Purpose {
            class: 0,
            flags: SINGLE,
            block: count * SLICE,
        };
        if zeroed {
            clear(&slices);
        }
        let page = make_page(&slices, purpose);
        if slices.segment.is_common() {
            self.own_in_common(page);
        }
        Some(page)
    }

    fn allocate_span(&self, size: usize, zeroed: bool) -> Option<&'static Page> {
        let count = size.checked_add(FIRST * SLICE)?.div_ceil(SEGMENT);
        let slices = size.div_ceil(SLICE);
        if !self.charge(slices) {
            return None;
        }
        let Some(segment) = self.take_span(count) else {
            self.uncharge(slices);
            return None;
        };
        Some(self.begin_whole(segment, FIRST * SLICE, slices, zeroed))
    }

    /// A block at a multiple of `alignment`, a power of two of at least a segment. The segment before the block has the
    /// header; what the span has before that and behind the block is given back.
    fn allocate_aligned_span(&self, size: usize, alignment: usize) -> Option<&'static Page> {
        let (size, distance) = (size.max(1), alignment / SEGMENT);
        let (needed, slices) = (size.div_ceil(SEGMENT), size.div_ceil(SLICE));
        let count = needed.checked_add(distance)?;
        if !self.charge(slices) {
            return None;
        }
        let Some(span) = self.take_span(count) else {
            self.uncharge(slices);
            return None;
        };
        let start = (span.address() + SEGMENT).next_multiple_of(alignment);
        let before = (start - span.address()) / SEGMENT - 1;
        let segment = self.keep_of_span(span, before, 1 + needed);
        Some(self.begin_whole(segment, SEGMENT, slices, false))
    }

    /// Makes a span that has just been taken one block, which begins so far behind its header.
    fn begin_whole(
        &self,
        segment: &'static Segment,
        distance: usize,
        slices: usize,
        zeroed: bool,
    ) -> &'static Page {
        let start = segment.address() + distance;
        // SAFETY:
        // - the span is new.
        if zeroed && segment.is_dirty() && !unsafe { arena::purge(start, segment.end() - start) } {
            // SAFETY:
            // - as above.
            unsafe { ptr::write_bytes(start as *mut u8, 0, segment.end() - start) };
        }
        segment.set_dirty(true);
        segment.forget_classes();
        self.note_whole(segment);
        want_huge_pages(segment, start + slices * SLICE);
        // SAFETY:
        // - the block is new.
        let is_reserved = unsafe { reserved::put_in(start..start + slices * SLICE) };
        segment.set_reserved_pages(is_reserved);
        let page = segment.page(FIRST);
        page.set_head(FIRST);
        page.begin(
            Purpose {
                class: 0,
                flags: SINGLE | HUGE,
                block: slices * SLICE,
            },
            Extent {
                start,
                end: segment.end(),
                slices: 1,
            },
        );
        self.add_live(segment.span() * SLICES);
        page
    }

    /// Frees the block that is this page.
    pub(crate) fn free_single(&self, page: &'static Page) {
        if page.flags() & APART != 0 {
            self.count_no_longer_full(page);
        } else {
            self.count_long(page.block(), 0);
        }
        if page.flags() & SAMPLED != 0 {
            sampler::end(page);
        }
        if page.flags() & HUGE == 0 {
            match self.make_idle(page) {
                true => self.consider_purge(),
                false => self.release_page(page),
            }
            return;
        }
        // SAFETY:
        // - the page is one of this heap.
        let segment = unsafe { Segment::of_block(page.start()) };
        self.uncharge(page.block() / SLICE);
        if segment.has_reserved_pages() {
            // SAFETY:
            // - the block has just been freed.
            unsafe { reserved::take_out(page.start()..page.start() + page.block()) };
            segment.set_reserved_pages(false);
        }
        page.end();
        self.take_from_segments(segment);
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
        let before = page.block();
        let is_possible = if page.flags() & HUGE != 0 {
            self.extend_span(page, whole)
        } else {
            self.extend_slices(page, whole.div_ceil(SLICE).max(1))
        };
        if page.flags() & APART == 0 {
            self.count_long(before, page.block());
        } else if is_possible {
            self.count_no_longer_full(page);
            page.set_flags(page.flags() & !APART);
            self.count_long(0, page.block());
        }
        is_possible
    }

    fn extend_slices(&self, page: &'static Page, count: usize) -> bool {
        // SAFETY:
        // - the page is one of this heap.
        let segment = unsafe { Segment::of_block(page.start()) };
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

    /// Makes a block longer within its span, or with the span, if that is at the end of what the arena has given out.
    fn extend_span(&self, page: &'static Page, size: usize) -> bool {
        // SAFETY:
        // - the page is one of this heap.
        let segment = unsafe { Segment::of_block(page.start()) };
        let before = page.start() - segment.address();
        let Some(count) = size.checked_add(before).map(|size| size.div_ceil(SEGMENT)) else {
            return false;
        };
        let (slices, now) = (size.div_ceil(SLICE), page.block() / SLICE);
        if slices <= now {
            return count * 2 > segment.span();
        }
        if !self.charge(slices - now) {
            return false;
        }
        if count > segment.span() && !self.lengthen(segment, count) {
            self.uncharge(slices - now);
            return false;
        }
        page.set_block(slices * SLICE);
        true
    }

    /// Makes a span so many segments long, if the arena has given out nothing behind it.
    fn lengthen(&self, segment: &Segment, count: usize) -> bool {
        let more = count - segment.span();
        let is_longer = self.source().extend(segment.end(), more);
        if is_longer {
            self.add_live(more * SLICES);
            segment.set_span(count);
            want_huge_pages(segment, segment.end());
        }
        is_longer
    }
}

/// Asks for huge pages for a span that is one block, which ends there; for all of a long one, and otherwise for those
/// that have little to spare.
pub(crate) fn want_huge_pages(segment: &Segment, end: usize) {
    let start = segment.address();
    if segment.span() == 1 {
        if segment.has_huge_pages() {
            // Since an earlier block.
            return;
        }
        // It is more than half of the segment. The header has been touched, so its huge page has to be made of what is
        // there.
        arena::gather_in_huge_page(start);
        if end - start >= HUGE_PAGE + DENSE * SLICE {
            arena::want_huge_pages(start + HUGE_PAGE, HUGE_PAGE);
        }
    } else {
        arena::want_huge_pages(start, segment.span() * SEGMENT);
    }
    segment.set_huge_pages(true);
}

/// The same anew, after the memory of the block has been mapped again.
pub(crate) fn want_huge_pages_again(segment: &Segment) {
    let page = segment.page(FIRST);
    segment.set_huge_pages(false);
    want_huge_pages(segment, page.start() + page.block());
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

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::tests::{C, as_rank};

    #[test]
    fn a_long_block_lies_where_an_equal_one_has_been_freed() {
        as_rank(|_| {
            for size in [40_000, 65_536, 100_000, 3 << 20] {
                let blocks = [C::malloc(size), C::malloc(size)];
                for block in blocks {
                    C::free(block);
                    assert_eq!(C::malloc(size), block, "{size}");
                }
            }
        });
    }
}
