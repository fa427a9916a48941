//! The heaps of ranks as the allocator of a Rust program.

use std::alloc::{GlobalAlloc, Layout};

use crate::size_class::ALIGNMENT;
use crate::{RankHeaps, Statistics, c};

/// The allocator of a Rust program in which each rank has a heap of its own. A program installs it:
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: simurgh_heap::Allocator = simurgh_heap::Allocator;
/// # fn main() {}
/// ```
///
/// What a rank allocates comes from its heap: no other rank has blocks in the same pages of memory, and ranks never
/// wait for each other. Any rank or thread may free a block. What does not belong to a rank, such as the threads of the
/// program, has the allocator of the C library.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allocator;

impl Allocator {
    /// What the calling rank has in use, and what is held for it; `None` if the caller is no rank, or has allocated
    /// nothing by this allocator. What the library allocates on behalf of the rank counts, too.
    #[must_use]
    pub fn statistics() -> Option<Statistics> {
        RankHeaps::statistics_of_caller().filter(|statistics| statistics.heaps > 0)
    }
}

// SAFETY:
// - the functions are those of C for memory, whose blocks have room for as many bytes as asked for, at multiples of 16,
//   or of the alignment that is asked for. They do not unwind.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match layout.align() <= ALIGNMENT {
            // SAFETY:
            // - it has no preconditions.
            true => unsafe { c::malloc(layout.size()) }.cast(),
            false => c::memalign(layout.align(), layout.size()).cast(),
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= ALIGNMENT {
            // SAFETY:
            // - it has no preconditions.
            return unsafe { c::calloc(1, layout.size()) }.cast();
        }
        // SAFETY:
        // - as demanded of the caller.
        let block = unsafe { self.alloc(layout) };
        if !block.is_null() {
            // SAFETY:
            // - the block has so many bytes.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY:
        // - the block is one of `alloc` (caller).
        unsafe { c::free(block.cast()) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.align() <= ALIGNMENT {
            // SAFETY:
            // - the block is one of `alloc`, and the size is not 0 (caller).
            return unsafe { c::realloc(block.cast(), size) }.cast();
        }
        // SAFETY:
        // - the caller has made sure that there is such a layout.
        let layout_of_new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY:
        // - the size is not 0, and the old block, which is the caller's, goes when its bytes have been copied.
        unsafe {
            let new = self.alloc(layout_of_new);
            if !new.is_null() {
                new.copy_from_nonoverlapping(block, size.min(layout.size()));
                self.dealloc(block, layout);
            }
            new
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::arena;
    use crate::tests::as_rank;

    #[test]
    fn blocks_of_any_layout_come_from_the_heap_of_the_rank_and_keep_what_they_hold() {
        assert!(Allocator::statistics().is_none());
        as_rank(|_| {
            for align in [1, 16, 64, 4096, 8 << 20] {
                for size in [1, 100, 5000, 100_000] {
                    let layout = Layout::from_size_align(size, align).unwrap();
                    // SAFETY:
                    // - the sizes are not 0, and the blocks are this test's.
                    unsafe {
                        let block = Allocator.alloc_zeroed(layout);
                        assert!(arena::contains(block.addr()) && block.addr().is_multiple_of(align));
                        assert!((0..size).all(|at| block.add(at).read() == 0));
                        block.write_bytes(7, size);
                        let block = Allocator.realloc(block, layout, 3 * size);
                        assert!(arena::contains(block.addr()) && block.addr().is_multiple_of(align));
                        assert!((0..size).all(|at| block.add(at).read() == 7));
                        let blocks = Allocator::statistics().unwrap().in_use();
                        assert!(blocks.count == 1 && blocks.bytes >= 3 * size as u64);
                        Allocator.dealloc(block, Layout::from_size_align(3 * size, align).unwrap());
                    }
                }
            }
        });
    }
}
