//! The end of a rank: all memory of its heaps goes back to the system.
//!
//! What goes are the pages. The addresses stay mapped and are nobody else's, and the headers of the segments stay as
//! they are. So whoever has a block of the rank may still free it, and a pointer that somebody has kept harms nobody.

use std::sync::atomic::Ordering;

use crate::segment::{ALL_LISTS, Segment};
use crate::single::FIRST;
use crate::{Heap, RankHeaps, arena, reserved};

impl RankHeaps {
    /// Gives all memory of the rank back to the system, also that of blocks in use. They hold zeros from then on.
    ///
    /// # Safety
    ///
    /// No context of the rank runs any more, save the calling one, which has [left](RankHeaps::leave). Others use no
    /// block of the rank any more, but may free it.
    pub unsafe fn end(&self) {
        // Release pairs with the Acquire in `has_ended`.
        self.has_ended.store(true, Ordering::Release);
        // A heap that has ended stays in use for ever: nobody takes it again.
        let left = self
            .all()
            .filter(|heap| !heap.is_used.swap(true, Ordering::Acquire));
        left.for_each(Heap::give_up_everything);
    }
}

impl Heap {
    fn give_up_everything(&self) {
        let segments = (0..ALL_LISTS).flat_map(|list| self.on_list(list));
        segments.chain(self.spans()).for_each(give_up);
        self.give_up_in_common();
    }

    /// Whether its rank has ended, and its memory is gone.
    pub(crate) fn has_ended(&self) -> bool {
        self.of().has_ended.load(Ordering::Acquire)
    }
}

/// Gives up all memory of a segment, or of a span, behind its header.
fn give_up(segment: &'static Segment) {
    if segment.has_reserved_pages() {
        let block = segment.page(FIRST);
        // SAFETY:
        // - nobody uses blocks of the rank any more, and this one has got reserved pages.
        unsafe { reserved::take_out(block.start()..block.start() + block.block()) };
    }
    let memory = segment.behind_header();
    // SAFETY:
    // - as above. If the system refuses, the memory stays until the process ends.
    let _ = unsafe { arena::purge(memory.start, memory.len()) };
}

/// Whether a block at this address would be one of a rank that has ended.
pub(crate) fn is_of_ended(address: usize) -> bool {
    if !arena::is_usable(address) {
        return false;
    }
    // SAFETY:
    // - the arena has memory there, and what has been taken of it begins with headers.
    let heap = unsafe { Segment::of_block(address) }.heap_at(address);
    // SAFETY:
    // - heaps stay where they are.
    Segment::may_be_heap(heap) && arena::is_usable(heap.addr()) && unsafe { &*heap }.has_ended()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::is_of_ended;
    use crate::tests::{as_rank, as_thread};
    use crate::{RankHeaps, c, free};

    /// Blocks of many sizes, none of whose bytes is zero, with their sizes.
    fn fill() -> Vec<(usize, usize)> {
        let sizes = [1, 100, 3000, 40_000, 3 << 20, 20 << 20];
        let make = |size: usize, alignment| {
            let block = c::memalign(alignment, size);
            // SAFETY:
            // - the block has room for so many bytes.
            unsafe { block.cast::<u8>().write_bytes(7, size) };
            (block.addr(), size)
        };
        let all = sizes
            .into_iter()
            .flat_map(|size| [make(size, 16), make(size, 16)]);
        all.chain([make(5 << 20, 8 << 20)]).collect()
    }

    #[test]
    fn all_memory_goes_and_others_may_free_blocks() {
        let heaps: &'static RankHeaps = Box::leak(Box::new(RankHeaps::new()));
        // Two heaps, since two threads allocate at the same time.
        let blocks = as_thread(heaps, || [fill(), as_thread(heaps, fill)]).concat();
        // SAFETY:
        // - no thread of the rank is left.
        unsafe { heaps.end() };
        for (block, size) in &blocks {
            // SAFETY:
            // - the memory stays mapped.
            let bytes = unsafe { std::slice::from_raw_parts(*block as *const u8, *size) };
            // A page of memory may have the end of the header.
            let mut rest = bytes.iter().skip(4096).step_by(97);
            assert!(rest.all(|byte| *byte == 0), "size {size}");
            assert!(is_of_ended(*block));
        }
        as_rank(move |_| {
            for (block, _) in blocks {
                // SAFETY:
                // - it is a block that nobody has freed yet.
                unsafe { free(block as *mut _) };
            }
            let own = c::memalign(16, 100);
            assert!(!is_of_ended(own.addr()));
            // SAFETY:
            // - as above.
            unsafe { c::free(own) };
        });
    }
}
