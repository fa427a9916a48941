//! Slices, of which pages consist.
//!
//! The segments of a heap that have free slices are on lists, by the binary logarithm of their longest run. Slices
//! come from where they fit best in the first few segments that may have such a run. So they are found in a few steps,
//! however many segments the heap has.

use std::ptr;

use crate::arena::SEGMENT;
use crate::clock::now;
use crate::page::{MIXED, Page, Purpose};
use crate::segment::{FULL, Fit, LISTS, SLICES, Segment, Slices, WHOLE};
use crate::{Heap, arena, nodes, owners, size_class};

/// The number of segments that are looked at, those with short runs first.
const TRIED: usize = 16;
/// The number of slices in use from which on a heap takes new segments in huge pages.
const LARGE: usize = 16 * SLICES;

impl Heap {
    /// Takes slices of a segment of the heap, or of a new one.
    pub(crate) fn take_slices(&self, count: usize, may_be_first: bool) -> Option<Slices> {
        if !self.charge(count) {
            return None;
        }
        let best = || self.best_known(count, may_be_first);
        let mut found = best();
        if found.as_ref().is_none_or(|(fit, _)| fit.fresh > 0) && self.reclaim() {
            found = best();
        }
        let new = || {
            let segment = self.add_segment()?;
            Some((segment.best_fit(count, may_be_first)?, segment))
        };
        let slices = found.or_else(new).map(|(fit, segment)| segment.take(fit, count));
        match &slices {
            Some(slices) => {
                self.note_taken(slices);
                self.fresh
                    .set(self.fresh.get() + count - slices.dirty.count_ones() as usize);
            }
            None => self.uncharge(count),
        }
        slices
    }

    /// Where so many slices fit best in the segments of the heap.
    fn best_known(&self, count: usize, may_be_first: bool) -> Option<(Fit, &'static Segment)> {
        let lists = count.ilog2() as usize..LISTS;
        lists
            .flat_map(|list| self.on_list(list))
            .take(TRIED)
            .filter_map(|segment| Some((segment.best_fit(count, may_be_first)?, segment)))
            .min_by_key(|(fit, _)| *fit)
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
        let fills = self.fills_segments();
        if fills {
            arena::want_huge_pages(segment.address(), SEGMENT);
        } else if segment.has_huge_pages() {
            arena::end_huge_pages(segment.address(), SEGMENT);
            segment.set_huge_pages(false);
        }
        self.adopt(segment);
        if fills {
            segment.set_dense();
        }
        Some(segment)
    }

    /// Whether the heap has had so much memory in use that huge pages are worth what is not used of the last one. They
    /// come from the system in one step, while [gathering](Segment::gather_if_dense) copies what is there.
    fn fills_segments(&self) -> bool {
        self.most_live.get() >= LARGE && self.source().has_one_node()
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

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::segment::SLICE;
    use crate::tests::{C, as_rank};

    /// The size of a block that takes so many slices.
    fn of_slices(count: usize) -> usize {
        count * SLICE - SLICE / 2
    }

    #[test]
    fn the_shortest_run_that_is_long_enough_is_taken() {
        as_rank(|_| {
            // None of these is idle when it is freed. What is between the holes keeps them apart.
            let holes = [20, 12, 16].map(|slices| {
                let hole = C::malloc(of_slices(slices));
                C::malloc(of_slices(3));
                hole
            });
            holes.into_iter().for_each(C::free);
            let taken = [12, 13, 18].map(|slices| C::malloc(of_slices(slices)).addr() / SLICE);
            let expected = [holes[1], holes[2], holes[0]].map(|hole| hole.addr() / SLICE);
            assert_eq!(taken, expected);
        });
    }
}
