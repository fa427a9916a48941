//! Spans: segments in a row that have no pages.
//!
//! A heap keeps the spans that it has used, by address, and unites neighbours.

use crate::Heap;
use crate::arena::SEGMENT;
use crate::links::Linked;
use crate::segment::{SLICES, Segment};

impl Heap {
    /// Takes so many segments in a row: free ones of the heap, or new ones. Those that have memory come first.
    pub(crate) fn take_span(&self, count: usize) -> Option<&'static Segment> {
        let fitting = self.spans().filter(|span| span.span() >= count);
        if let Some(segment) = fitting.min_by_key(|span| !span.is_dirty()) {
            let rest = self.split(segment, count);
            match self.span_before(segment) {
                Some(before) => before.links().set_next(rest),
                None => self.spans.set(rest),
            }
            segment.set_heap(self);
            return Some(segment);
        }
        let address = self.source().take(count)?;
        // SAFETY:
        // - the arena has just given out these segments, which are zero.
        let segment = unsafe { Segment::of_span(address, count, false) };
        segment.set_heap(self);
        Some(segment)
    }

    /// Cuts a free span that is being taken behind `count` segments. Returns what follows in the list: the rest, or the
    /// next span.
    fn split(&self, segment: &'static Segment, count: usize) -> *const Segment {
        if segment.is_dirty() {
            self.dirty.set(self.dirty.get().saturating_sub(count * SLICES));
        }
        if segment.span() > count {
            Self::cut(segment, count);
        }
        segment.links().next()
    }

    /// Makes what a free span has behind `count` segments a span of its own, which follows in the list.
    pub(crate) fn cut(segment: &'static Segment, count: usize) -> &'static Segment {
        let (rest, is_dirty) = (segment.span() - count, segment.is_dirty());
        // SAFETY:
        // - the segments are free ones of a heap.
        let other = unsafe { Segment::of_span(segment.address() + count * SEGMENT, rest, is_dirty) };
        other.links().set_next(segment.links().next());
        other.set_huge_pages(segment.has_huge_pages());
        segment.links().set_next(other);
        segment.set_span(count);
        other
    }

    /// Keeps `count` segments of a span that has just been taken, from the segment with the number `first` on, and
    /// gives the others back.
    pub(crate) fn keep_of_span(
        &self,
        span: &'static Segment,
        first: usize,
        count: usize,
    ) -> &'static Segment {
        let (address, all, huge_pages) = (span.address(), span.span(), span.has_huge_pages());
        let is_dirty = span.is_dirty();
        let part = |first: usize, count: usize| {
            // SAFETY:
            // - the segments are part of the span, which is this heap's.
            let part = unsafe { Segment::of_span(address + first * SEGMENT, count, is_dirty) };
            part.set_heap(self);
            part.set_huge_pages(huge_pages);
            part
        };
        for (first, count) in [(0, first), (first + count, all - first - count)] {
            if count > 0 {
                if is_dirty {
                    self.dirty.set(self.dirty.get() + count * SLICES);
                }
                self.give_span(part(first, count));
            }
        }
        part(first, count)
    }

    /// Adds a span to the free ones, and unites it with its neighbours.
    pub(crate) fn give_span(&self, segment: &'static Segment) {
        let before = self.span_before(segment);
        let next = before.map_or(self.spans.get(), |before| before.links().next());
        segment.links().set_next(next);
        match before {
            Some(before) => before.links().set_next(segment),
            None => self.spans.set(segment),
        }
        self.unite(segment);
        if let Some(before) = before {
            self.unite(before);
        }
    }

    /// The last free span with a lower address.
    fn span_before(&self, segment: &Segment) -> Option<&'static Segment> {
        let spans = self.spans();
        spans
            .take_while(|other| other.address() < segment.address())
            .last()
    }

    /// Unites a free span with the next one, if they are neighbours.
    fn unite(&self, segment: &'static Segment) {
        // SAFETY:
        // - spans of the list are those of this heap, which stay mapped.
        let Some(next) = (unsafe { segment.links().next().as_ref() }) else {
            return;
        };
        if segment.end() != next.address() {
            return;
        }
        // A span is clean or dirty as a whole, and the header of the other one is part of its memory now.
        let clean = [segment, next].into_iter().filter(|span| !span.is_dirty());
        let more: usize = clean.map(|span| span.span() * SLICES).sum();
        self.dirty.set(self.dirty.get() + more);
        segment.links().set_next(next.links().next());
        segment.set_span(segment.span() + next.span());
        segment.set_dirty(true);
        segment.set_huge_pages(segment.has_huge_pages() || next.has_huge_pages());
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::collections::HashSet;

    use crate::arena::SEGMENT;
    use crate::tests::{C, as_rank};

    #[test]
    fn segments_in_the_middle_of_a_freed_block_are_used_as_new_ones() {
        const SIZE: usize = 48 << 20;
        as_rank(|_| {
            let long = C::malloc(SIZE);
            // SAFETY:
            // - the block has that size.
            unsafe { long.write_bytes(0xff, SIZE) };
            C::free(long);
            let segments_in_use = || {
                let blocks: Vec<_> = (0..120).map(|_| C::malloc(200_000)).collect();
                let segments = blocks.iter().map(|block| block.addr() / SEGMENT).collect();
                blocks.into_iter().for_each(C::free);
                segments
            };
            let at_first: HashSet<usize> = segments_in_use();
            assert!(at_first.contains(&(long.addr() / SEGMENT + 1)));
            for _ in 0..3 {
                assert_eq!(segments_in_use(), at_first);
            }
        });
    }
}
