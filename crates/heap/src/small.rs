//! Blocks that share a page with others of their size.
//!
//! The pages of a size class that have free blocks, or room for more, are a list, whose first one fills the magazine. A
//! page leaves it when it is full, and comes back with the first block that is given back. Where all pages are full, a
//! large block comes from one of the next classes, if that has free ones. An empty page is released, unless it is the
//! only one of its class: the next block of its size will come soon. One of large blocks is released in any case: it is
//! more memory than a rank should keep for each of several sizes. The blocks in magazines are in use, as far as pages
//! are concerned.

use std::ptr;

use crate::links::Linked;
use crate::page::{Block, FULL, MIXED, Page, Purpose, SINGLE};
use crate::page_size::{are_few, slices_of_page};
use crate::segment::{HEADER, SLICE, Segment};
use crate::size_class::{ALL_CLASSES, CLASSES, distance_of_class, is_spread, size_of_class};
use crate::slices::make_page;
use crate::{Heap, list_of_pages, magazine, report};

/// The number of pages among which the fullest is looked for.
const LOOKED_AT: usize = 8;

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
        while let Some(page) = self.next_page(class) {
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
        let larger = self.take_larger(class, size);
        if !larger.is_null() {
            return larger;
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

    /// The page from which blocks are taken next. Of large blocks it is that with the fewest free ones, so that the
    /// others become empty, and their memory serves other sizes.
    fn next_page(&self, class: usize) -> Option<&'static Page> {
        if !are_few(distance_of_class(class)) {
            return self.first_page(class);
        }
        let pages = list_of_pages(self.pages[class].get()).take(LOOKED_AT);
        pages.min_by_key(|page| page.left())
    }

    /// A free block of a class whose size is larger by up to a half; null if there is none. Only classes of large
    /// blocks that have full pages take some: a page for few blocks would hold more memory than what is not used of
    /// these.
    fn take_larger(&self, class: usize, size: usize) -> *mut Block {
        if !is_spread(class) || self.in_full[class].get() == 0 {
            return ptr::null_mut();
        }
        let most = size_of_class(class) * 3 / 2;
        let mut larger = (class + 1..CLASSES).take_while(|larger| size_of_class(*larger) <= most);
        larger
            .find_map(|class| self.take_free(class, size))
            .unwrap_or(ptr::null_mut())
    }

    /// A block of a class that has been used before.
    fn take_free(&self, class: usize, size: usize) -> Option<*mut Block> {
        let kept = self.magazine(class).pop();
        if !kept.is_null() {
            return Some(kept);
        }
        let mut pages = list_of_pages(self.pages[class].get()).take(LOOKED_AT);
        let page = pages.find(|page| page.has_free())?;
        Some(self.take_from(page, size))
    }

    fn add_page(&self, class: usize) -> Option<&'static Page> {
        let block = distance_of_class(class);
        let is_first = self.in_full[class].get() == 0;
        // The first slice of a segment has less room.
        let take = |slices| self.take_slices(slices, slices * SLICE >= HEADER + block);
        let slices = take(slices_of_page(class, is_first)).or_else(|| take(block.div_ceil(SLICE)))?;
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
    use crate::{Heap, context};
    use std::collections::HashSet;

    /// The sets of a cache with ways of 64 KiB.
    const SETS: usize = 1024;

    fn heap() -> &'static Heap {
        // SAFETY:
        // - the context has allocated memory, and heaps stay where they are.
        unsafe { context::heap().as_ref() }.expect("a heap")
    }

    #[test]
    fn a_class_whose_pages_are_full_takes_free_blocks_of_larger_ones() {
        as_rank(|_| {
            let [larger, _own] =
                [48_000, 40_000].map(|size| (0..21).map(|_| C::malloc(size)).collect::<Vec<_>>());
            // No page becomes empty.
            let free: Vec<_> = larger.into_iter().step_by(2).collect();
            free.iter().copied().for_each(C::free);
            let held = heap().live.get();
            for _ in 0..8 {
                assert!(free.contains(&C::malloc(40_000)));
            }
            assert_eq!(heap().live.get(), held);
        });
    }

    #[test]
    fn what_is_kept_of_other_sizes_is_used_before_the_system_is_asked_for_more() {
        as_rank(|_| {
            for size in (20_000..120_000).step_by(5000) {
                C::free(C::malloc(size));
            }
            let kept = heap().live.get();
            let blocks: Vec<_> = (0..4 * kept).map(|_| C::malloc(200_000)).collect();
            assert_eq!(heap().live.get(), 4 * blocks.len());
        });
    }

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
