//! Slices, of which pages consist.
//!
//! The segments of a heap that have free slices are on lists, by the binary logarithm of their longest run. So slices
//! are found in a few steps, however many segments the heap has.

use std::ptr;

use crate::arena::SEGMENT;
use crate::clock::now;
use crate::page::{MIXED, Page, Purpose};
use crate::segment::{FULL, LISTS, SLICES, Segment, Slices, WHOLE};
use crate::{Heap, arena, nodes, owners, size_class};

/// The number of segments that are tried if their longest run may be too short.
const TRIED: usize = 8;

impl Heap {
    /// Takes slices of a segment of the heap, or of a new one.
    pub(crate) fn take_slices(&self, count: usize, may_be_first: bool) -> Option<Slices> {
        if self.dirty.get() < count {
            self.reclaim(count);
        }
        if !self.charge(count) {
            return None;
        }
        let known = || self.take_known(count, may_be_first);
        let slices = known()
            .or_else(|| {
                self.reclaim(count);
                known()
            })
            .or_else(|| self.add_segment()?.take(count, may_be_first));
        match &slices {
            Some(slices) => self.note_taken(slices),
            None => self.uncharge(count),
        }
        slices
    }

    /// Takes slices of a segment of the heap. In the first list that is looked at, runs may be too short; in those
    /// after it, every run is long enough.
    fn take_known(&self, count: usize, may_be_first: bool) -> Option<Slices> {
        let first = count.ilog2() as usize;
        self.on_list(first)
            .take(TRIED)
            .find_map(|segment| segment.take(count, may_be_first))
            .or_else(|| {
                let further = (first + 1..LISTS).find_map(|list| self.on_list(list).next())?;
                further.take(count, may_be_first)
            })
    }

    /// Takes so many slices of the segment from this one on, if they are free.
    pub(crate) fn take_slices_from(&self, segment: &'static Segment, first: usize, count: usize) -> bool {
        if segment.is_common() {
            return self.take_further_in_common(segment, first, count);
        }
        if !self.charge(count) {
            return false;
        }
        let slices = segment.take_from(first, count);
        match &slices {
            Some(slices) => self.note_taken(slices),
            None => self.uncharge(count),
        }
        slices.is_some()
    }

    fn note_taken(&self, slices: &Slices) {
        let dirty = slices.dirty.count_ones() as usize;
        self.dirty.set(self.dirty.get().saturating_sub(dirty));
        self.add_live(slices.count);
        self.put_on_list(slices.segment);
        if nodes::several().is_some() {
            owners::note_used(slices.segment.address(), now());
        }
    }

    /// Makes slices free.
    pub(crate) fn give_slices(&self, segment: &'static Segment, first: usize, count: usize) {
        (first..first + count).for_each(|slice| segment.forget_page(slice));
        if segment.is_common() {
            return self.give_in_common(segment, first, count);
        }
        segment.release(first, count);
        self.uncharge(count);
        self.live.set(self.live.get() - count);
        self.dirty.set(self.dirty.get() + count);
        if segment.is_unused() && !ptr::eq(segment.home(), self) {
            self.retire_segment(segment);
        } else {
            self.put_on_list(segment);
        }
        self.consider_purge();
    }

    /// Makes the slices of a page free.
    pub(crate) fn release_page(&self, page: &'static Page) {
        // SAFETY:
        // - the page is one of this heap.
        let segment = unsafe { Segment::of_block(page.start()) };
        let (first, count) = (page.head(), page.slices());
        page.end();
        if segment.is_common() {
            self.disown_in_common(page);
        }
        self.give_slices(segment, first, count);
    }

    fn retire_segment(&self, segment: &'static Segment) {
        self.take_from_segments(segment);
        // A span is clean or dirty as a whole.
        self.dirty.set(self.dirty.get() - segment.dirty_slices());
        if segment.is_dirty() {
            segment.set_dirty(true);
            self.dirty.set(self.dirty.get() + SLICES);
        }
        self.give_span(segment);
    }

    fn add_segment(&self) -> Option<&'static Segment> {
        let segment = self.take_span(1)?;
        if segment.is_dirty() {
            self.dirty.set(self.dirty.get() + SLICES);
        }
        if segment.has_huge_pages() {
            arena::end_huge_pages(segment.address(), SEGMENT);
            segment.set_huge_pages(false);
        }
        self.adopt(segment);
        Some(segment)
    }

    /// Adds a segment, all of whose slices are free.
    pub(crate) fn adopt(&self, segment: &'static Segment) {
        segment.begin(self);
        self.put_on_list(segment);
    }

    /// Puts the segment on the list on which it belongs now.
    fn put_on_list(&self, segment: &'static Segment) {
        let list = segment.fitting_list().unwrap_or(FULL);
        if segment.list() == Some(list) {
            return;
        }
        self.take_from_segments(segment);
        segment.put_on(list, self.segments[list].get());
        self.segments[list].set(segment);
    }

    /// Puts a span that is one block on the list of those.
    pub(crate) fn note_whole(&self, segment: &'static Segment) {
        segment.put_on(WHOLE, self.segments[WHOLE].get());
        self.segments[WHOLE].set(segment);
    }

    pub(crate) fn take_from_segments(&self, segment: &Segment) {
        if let Some(list) = segment.list()
            && let Some(next) = segment.take_off()
        {
            self.segments[list].set(next);
        }
    }
}

/// Makes a page of slices.
pub(crate) fn make_page(slices: &Slices, purpose: Purpose) -> &'static Page {
    let (segment, first) = (slices.segment, slices.first);
    for slice in first..first + slices.count {
        segment.page(slice).set_head(first);
    }
    let page = segment.page(first);
    let extent = match purpose.flags & MIXED {
        0 => segment.extent(first, slices.count),
        _ => segment.whole_extent(first, slices.count),
    };
    let has_class = purpose.flags == 0;
    if has_class {
        segment.set_class(first, slices.count, purpose.class);
    }
    let extent = match has_class && size_class::is_spread(purpose.class) {
        true => extent.spread(purpose.block),
        false => extent,
    };
    page.begin(purpose, extent);
    if !segment.is_common() {
        segment.gather_if_dense(slices);
    }
    page
}
