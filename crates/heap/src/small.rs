//! Blocks that share a page with others of their size.
//!
//! The pages of a size class that have free blocks, or room for more, are a list, whose first one fills the magazine. A
//! page leaves it when it is full, and comes back with the first block that is given back. An empty page is released,
//! unless it is the only one of its class: the next block of its size will come soon. One of large blocks is released
//! in any case: it is more memory than a rank should keep for each of several sizes. The blocks in magazines are in
//! use, as far as pages are concerned.

use std::ptr;

use crate::links::Linked;
use crate::page::{Block, FULL, MIXED, Page, Purpose, SINGLE};
use crate::segment::{SLICE, Segment};
use crate::size_class::{ALL_CLASSES, LARGEST_OF_MANY, LINE, distance_of_class};
use crate::slices::make_page;
use crate::{Heap, magazine, report};

/// The largest block of which so many fit into one slice that pages are not full and empty again all the time.
const SLICE_MOST: usize = 2048;
/// The number of slices of a page with larger blocks, and with those of which a rank has few.
const SLICES_OF_LARGER: usize = 4;
const SLICES_OF_FEW: usize = 8;
/// The number of larger blocks for which the first page of a class has room, in fewer slices if these do: a rank may
/// have few blocks of many sizes.
const FIRST_BLOCKS: usize = 6;
const FIRST_BLOCKS_OF_FEW: usize = 2;

/// Whether blocks at this distance from each other are so large that a rank has few of them.
fn are_few(distance: usize) -> bool {
    distance > LARGEST_OF_MANY + LINE
}

/// The number of slices of a page with blocks at this distance from each other.
fn slices_of_page(distance: usize, is_first: bool) -> usize {
    let (first, most) = match are_few(distance) {
        _ if distance <= SLICE_MOST => return 1,
        false => (FIRST_BLOCKS, SLICES_OF_LARGER),
        true => (FIRST_BLOCKS_OF_FEW, SLICES_OF_FEW),
    };
    match is_first {
        true => (distance * first).div_ceil(SLICE).min(most),
        false => most,
    }
}

impl Heap {
    /// A block of a size class that has room for so many bytes; null if there is no memory.
    #[inline(always)]
    pub(crate) fn allocate_of(&self, class: usize, size: usize) -> *mut Block {
        let block = self.magazine(class).pop();
        if block.is_null() {
            self.refill(class, size)
        } else {
            block
        }
    }

    /// Gives a block of this heap back to its page.
    ///
    /// # Safety
    ///
    /// The block belongs to this page of this heap, and nobody uses it any more.
    #[inline(always)]
    pub(crate) unsafe fn free_local(&self, page: &'static Page, block: *mut Block) {
        if page.flags() != 0 {
            // SAFETY:
            // - as demanded of the caller.
            return unsafe { self.free_of_other(page, block) };
        }
        // SAFETY:
        // - as demanded of the caller.
        if unsafe { page.push(block) } == 0 && (!page.links().is_alone() || are_few(page.block())) {
            self.release(page);
        }
    }

    /// Takes home what others have freed.
    pub(crate) fn bring_home(&self) {
        let mut next = self.remote.take();
        while !next.is_null() {
            let block = next;
            // SAFETY:
            // - the list consists of blocks of this heap that nobody uses; the link is read before the block is freed.
            unsafe {
                next = (*block).next;
                let segment = Segment::of_block(block.addr());
                if !self.keep(segment, block) {
                    self.free_local(segment.page_at(block.addr()), block);
                }
            }
        }
    }

    /// A block of a class whose magazine has none.
    #[inline(never)]
    pub(crate) fn refill(&self, class: usize, size: usize) -> *mut Block {
        self.bring_home();
        let home = self.magazine(class).pop();
        if !home.is_null() {
            return home;
        }
        while let Some(page) = self.first_page(class) {
            if page.has_free() || page.carve(magazine::filling(class)) {
                return self.take_from(page, size);
            }
            page.set_flags(FULL);
            self.count_full(page);
            self.take_from_list(page);
        }
        let first = self.allocate_first(class, size);
        if !first.is_null() {
            return first;
        }
        self.shrink_magazines();
        self.add_page(class).map_or(ptr::null_mut(), |page| {
            if page.carve(magazine::filling(class)) {
                self.take_from(page, size)
            } else {
                ptr::null_mut()
            }
        })
    }

    /// Fills the magazine of a page's class, which is empty, with free blocks of the page. Returns one of them; or a
    /// sample in its place.
    fn take_from(&self, page: &Page, size: usize) -> *mut Block {
        let class = page.class();
        let (first, count) = page.take(magazine::filling(class));
        let magazine = self.magazine(class);
        // SAFETY:
        // - the blocks are of this class, and nobody uses them.
        unsafe { magazine.fill(first, count) };
        let sampled = self.sampled(class, size, count as usize * page.block());
        if sampled.is_null() {
            magazine.pop()
        } else {
            sampled
        }
    }

    /// The first page of a class that has free blocks or room.
    fn first_page(&self, class: usize) -> Option<&'static Page> {
        // SAFETY:
        // - null, or a page of a segment of this heap, which stays mapped.
        unsafe { self.pages[class].get().as_ref() }
    }

    fn add_page(&self, class: usize) -> Option<&'static Page> {
        let block = distance_of_class(class);
        let is_first = self.in_full[class].get() == 0;
        let slices = self
            .take_slices(slices_of_page(block, is_first), true)
            .or_else(|| self.take_slices(block.div_ceil(SLICE), true))?;
        let purpose = Purpose {
            class,
            flags: 0,
            block,
        };
        let page = make_page(&slices, purpose);
        self.insert(page);
        Some(page)
    }

    /// Puts a page behind the others of its class: until it is used, more of its blocks come free.
    fn insert(&self, page: &'static Page) {
        let (first, last) = (&self.pages[page.class()], &self.lasts[page.class()]);
        page.link(last.get(), ptr::null());
        if last.replace(page).is_null() {
            first.set(page);
        }
    }

    fn take_from_list(&self, page: &Page) {
        let (first, last) = (&self.pages[page.class()], &self.lasts[page.class()]);
        if ptr::eq(last.get(), page) {
            last.set(page.links().previous());
        }
        if let Some(next) = page.unlink() {
            first.set(next);
        }
    }

    /// Gives up a page on a list that has no blocks.
    #[inline(never)]
    extern "C" fn release(&self, page: &'static Page) {
        self.take_from_list(page);
        self.release_page(page);
    }

    /// Gives up the empty pages that are kept, and the blocks that are.
    pub(crate) fn release_empty(&self) {
        self.empty_magazines();
        let pages = (0..ALL_CLASSES).filter_map(|class| self.first_page(class));
        pages
            .filter(|page| page.used() == 0)
            .for_each(|page| self.release(page));
    }

    /// Frees a block of a page that is full, has no other blocks, or has blocks of different sizes; or finds that there
    /// is no such block.
    ///
    /// # Safety
    ///
    /// As for [`Heap::free_local`].
    #[cold]
    #[inline(never)]
    unsafe extern "C" fn free_of_other(&self, page: &'static Page, block: *mut Block) {
        if !page.has_block(block.addr()) {
            report::no_block("free", block.addr());
        }
        if page.flags() & SINGLE != 0 {
            return self.free_single(page);
        }
        if page.flags() & MIXED != 0 {
            // SAFETY:
            // - as demanded of the caller.
            return unsafe { page.put_any(block) };
        }
        page.set_flags(0);
        self.count_no_longer_full(page);
        self.insert(page);
        // SAFETY:
        // - as demanded of the caller.
        unsafe { self.free_local(page, block) }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::size_class::LINE;
    use crate::tests::{C, as_rank};
    use std::collections::HashSet;

    /// The sets of a cache with ways of 64 KiB.
    const SETS: usize = 1024;

    #[test]
    fn blocks_of_one_size_begin_in_different_sets_of_a_cache() {
        for size in [2048, 4096, 10_240, 16_384, 32_768, 65_536, 131_072] {
            let sets: HashSet<usize> = as_rank(|_| {
                let blocks = (0..200).map(|_| C::malloc(size).addr());
                blocks.map(|block| block / LINE % SETS).collect()
            });
            assert!(sets.len() > 100, "{} of {size} bytes", sets.len());
        }
    }
}
