//! Checking all blocks of a rank at its end.

use super::or_fault;
use super::record::{self, Record};
use crate::page::Page;
use crate::report::AT_END;
use crate::segment::{ALL_LISTS, SLICES, Segment};
use crate::{Heap, RankHeaps, context};

/// Checks all blocks that the calling context's rank has in use: those of this context, and of threads that have ended.
/// A rank that has written around one of them ends the job.
pub fn check_all(heaps: &RankHeaps) {
    for heap in heaps.all() {
        if std::ptr::eq(heap, context::heap()) {
            check_heap(heap);
        } else {
            let _ = heap.while_unused(check_heap);
        }
    }
}

fn check_heap(heap: &Heap) {
    let segments = (0..ALL_LISTS).flat_map(|list| heap.on_list(list));
    let pages = segments.flat_map(pages_of).chain(heap.in_common.pages());
    let in_use = pages.flat_map(Page::blocks).filter_map(record::in_use_in);
    in_use.for_each(check);
}

fn pages_of(segment: &'static Segment) -> impl Iterator<Item = &'static Page> {
    (0..SLICES)
        .map(|slice| (slice, segment.page(slice)))
        .filter(|(slice, page)| page.head() == *slice && page.block() != 0)
        .map(|(_, page)| page)
}

fn check(record: &'static Record) {
    or_fault(AT_END, record.address(), record.check());
}
