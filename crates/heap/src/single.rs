//! Blocks that are a page by themselves: some slices of a segment, or a span of whole segments.

use std::ptr;

use crate::arena::SEGMENT;
use crate::page::{Extent, HUGE, Page, Purpose, SINGLE};
use crate::segment::{SLICE, SLICES, Segment, Slices};
use crate::small::make_page;
use crate::{Heap, arena};

/// The largest number of slices of a block; larger blocks take whole segments.
const SLICES_MOST: usize = SLICES / 2 - 1;
/// The slice with which a block of whole segments begins, behind that with the header.
const FIRST: usize = 1;
/// The largest alignment beyond a slice.
pub(crate) const ALIGNMENT_MOST: usize = SEGMENT / 2;

impl Heap {
    /// A block of more than the sizes of classes, at an address that is a multiple of `alignment`, a power of two of at
    /// most [`ALIGNMENT_MOST`]; null if there is no memory.
    #[cold]
    #[inline(never)]
    pub(crate) fn allocate_single(&self, size: usize, alignment: usize, zeroed: bool) -> *mut u8 {
        self.bring_home();
        let padding = alignment.saturating_sub(SLICE);
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
        let address = block.addr().next_multiple_of(alignment.max(1));
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

    /// Makes the slices of a page free.
    pub(crate) fn release_page(&self, page: &'static Page) {
        // SAFETY:
        // - the page is one of this heap.
        let segment = unsafe { Segment::of(page.start()) };
        let (first, count) = (page.head(), page.slices());
        page.end();
        segment.release(first, count);
        self.live.set(self.live.get() - count);
        self.dirty.set(self.dirty.get() + count);
        if segment.is_unused() && !ptr::eq(segment.home(), self) {
            self.retire_segment(segment);
        }
        self.consider_purge();
    }

    fn retire_segment(&self, segment: &'static Segment) {
        if let Some(next) = segment.unlink() {
            self.segments.set(next);
        }
        // A span is clean or dirty as a whole.
        self.dirty.set(self.dirty.get() - segment.dirty_slices());
        if segment.is_dirty() {
            segment.set_dirty(true);
            self.dirty.set(self.dirty.get() + SLICES);
        }
        self.give_span(segment);
    }

    /// Takes slices of a segment of the heap, or of a new one.
    pub(crate) fn take_slices(&self, count: usize, may_be_first: bool) -> Option<Slices> {
        let known = self
            .segments()
            .find_map(|segment| segment.take(count, may_be_first));
        let slices = match known {
            Some(slices) => slices,
            None => self.add_segment()?.take(count, may_be_first)?,
        };
        self.live.set(self.live.get() + count);
        self.dirty.set(
            self.dirty
                .get()
                .saturating_sub(slices.dirty.count_ones() as usize),
        );
        Some(slices)
    }

    fn add_segment(&self) -> Option<&'static Segment> {
        let segment = self.take_span(1)?;
        if segment.is_dirty() {
            self.dirty.set(self.dirty.get() + SLICES);
        }
        self.adopt(segment);
        Some(segment)
    }

    /// Adds a segment, all of whose slices are free.
    pub(crate) fn adopt(&self, segment: &'static Segment) {
        segment.begin(self);
        segment.link(self.segments.get());
        self.segments.set(segment);
    }

    /// Takes so many segments in a row: free ones of the heap, or new ones.
    fn take_span(&self, count: usize) -> Option<&'static Segment> {
        let mut before: Option<&Segment> = None;
        for segment in self.spans() {
            if segment.span() >= count {
                let rest = self.split(segment, count);
                match before {
                    Some(before) => before.set_next(rest),
                    None => self.spans.set(rest),
                }
                segment.set_heap(self);
                return Some(segment);
            }
            before = Some(segment);
        }
        let address = arena::take(count)?;
        // SAFETY:
        // - the arena has just given out these segments, which are zero.
        let segment = unsafe { Segment::of_span(address, count, 0) };
        segment.set_heap(self);
        Some(segment)
    }

    /// Cuts a free span behind `count` segments. Returns what follows in the list: the rest, or the next span.
    fn split(&self, segment: &'static Segment, count: usize) -> *const Segment {
        let rest = segment.span() - count;
        if segment.is_dirty() {
            self.dirty.set(self.dirty.get().saturating_sub(count * SLICES));
        }
        if rest == 0 {
            return segment.next();
        }
        let dirty = if segment.is_dirty() { u64::MAX } else { 0 };
        // SAFETY:
        // - the segments are free ones of this heap.
        let other = unsafe { Segment::of_span(segment.address() + count * SEGMENT, rest, dirty) };
        other.set_next(segment.next());
        segment.set_span(count);
        other
    }

    /// Adds a span to the free ones, and unites it with its neighbours.
    pub(crate) fn give_span(&self, segment: &'static Segment) {
        let before = self
            .spans()
            .take_while(|other| other.address() < segment.address())
            .last();
        let next = before.map_or(self.spans.get(), Segment::next);
        segment.set_next(next);
        match before {
            Some(before) => before.set_next(segment),
            None => self.spans.set(segment),
        }
        self.unite(segment);
        if let Some(before) = before {
            self.unite(before);
        }
    }

    /// Unites a free span with the next one, if they are neighbours.
    fn unite(&self, segment: &'static Segment) {
        // SAFETY:
        // - spans of the list are those of this heap, which stay mapped.
        let Some(next) = (unsafe { segment.next().as_ref() }) else {
            return;
        };
        if segment.end() != next.address() {
            return;
        }
        // A span is clean or dirty as a whole, and the header of the other one is part of its memory now.
        let clean = [segment, next].into_iter().filter(|span| !span.is_dirty());
        let more: usize = clean.map(|span| span.span() * SLICES).sum();
        self.dirty.set(self.dirty.get() + more);
        segment.set_next(next.next());
        segment.set_span(segment.span() + next.span());
        segment.set_dirty(true);
    }

    /// Makes the block of this page as large as `size`, at the same place. Returns whether that was possible.
    pub(crate) fn resize(&self, page: &'static Page, offset: usize, size: usize) -> bool {
        let Some(whole) = offset.checked_add(size) else {
            return false;
        };
        if page.flags() & SINGLE == 0 {
            return false;
        }
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
            segment.release(first + count, now - count);
            self.live.set(self.live.get() - (now - count));
            self.dirty.set(self.dirty.get() + now - count);
        } else if count > now {
            let Some(more) = segment.take_from(first + now, count - now) else {
                return false;
            };
            self.live.set(self.live.get() + more.count);
            self.dirty
                .set(self.dirty.get().saturating_sub(more.dirty.count_ones() as usize));
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
        page.set_block(segment.end() - page.start());
        true
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
