//! The first blocks of a heap, in a page for blocks of different sizes.
//!
//! A program that has few blocks of each of many sizes would touch a page of memory for each size. So the first blocks
//! of each size class lie one behind the other, each behind its size. Their memory is used again when all of them have
//! been freed. A program that allocates more blocks of a class has pages for that class alone.

use std::ptr;

use crate::Heap;
use crate::page::{ANY_SIZE, Block, MIXED, Page, Purpose};
use crate::size_class::ALIGNMENT;
use crate::slices::make_page;

/// The number of blocks of each class that come from here.
const MOST: u8 = 8;
/// The largest size of a block.
const LARGEST: usize = 8192;

impl Heap {
    /// A block of so many bytes, which are of this class, if it is one of the first; null if not, or if there is no
    /// room.
    pub(crate) fn allocate_first(&self, class: usize, size: usize) -> *mut Block {
        let count = self.firsts[class].get();
        if count >= MOST || size > LARGEST {
            return ptr::null_mut();
        }
        self.firsts[class].set(count + 1);
        self.mixed_page().map_or(ptr::null_mut(), |page| {
            page.take_any(size.max(1).next_multiple_of(ALIGNMENT))
        })
    }

    fn mixed_page(&self) -> Option<&'static Page> {
        // SAFETY:
        // - null, or a page of this heap, which stays mapped.
        if let Some(page) = unsafe { self.mixed.get().as_ref() } {
            return Some(page);
        }
        let slices = self.take_slices(1, true)?;
        let purpose = Purpose {
            class: 0,
            flags: MIXED,
            block: ANY_SIZE,
        };
        let page = make_page(&slices, purpose);
        self.mixed.set(page);
        Some(page)
    }

    /// Lets blocks of a class come from pages of this class alone.
    pub(crate) fn end_first(&self, class: usize) {
        self.firsts[class].set(MOST);
    }
}
