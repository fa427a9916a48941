//! Magazines: the free blocks of a class that a heap hands out first, the one that was freed last before the others.
//!
//! There is one for each size class (Bonwick and Adams, *Magazines and Vmem*, 2001). It is filled from a page, and
//! takes the blocks that the heap's context frees, until it has no room; what is freed then goes to its page. So the
//! program gets memory that is still in the cache, and most calls do not look at pages at all.
//!
//! A program that frees much of a size often needs as much soon, so a magazine that has no room for a block of its heap
//! grows. All that have grown give their blocks back when the heap needs another page for blocks: memory that one size
//! no longer uses serves the others.
//!
//! Blocks of other heaps of the same rank stay, too, when this context frees them. On their way home they would cost a
//! locked instruction, and two more accesses to memory that is in this context's cache. Only blocks that fill cache
//! lines stay: two threads must not have parts of one line.

use std::cell::Cell;
use std::ptr;

use crate::page::{Block, Page};
use crate::segment::{SLICE, Segment};
use crate::size_class::{ALL_CLASSES, LARGEST_OF_MANY, size_of_class};
use crate::{Heap, sampler};

/// The bytes that a magazine has room for, unless that is too few or too many blocks.
const ROOM: usize = 64 << 10;
/// The blocks that a magazine has room for at least: so many, or as many as have so many bytes, but two.
const FEWEST: usize = 16;
const ROOM_OF_FEW: usize = 64 << 10;
/// The most blocks that a magazine has room for.
const MOST: usize = 512;
/// The bytes that the magazines of a heap may have room for because they have grown: at most so many, and at most twice
/// those in pages, since a magazine that has just grown is half full.
const GROWN_MOST: usize = 8 << 20;

/// What is kept is made free when so many slices have come from the system, and one of so many parts of those in pages:
/// a few blocks keep whole pages.
const FRESH: usize = 4;
const FRESH_PART: usize = 64;

/// A magazine. Zeros are one that is empty and has no room.
#[derive(Debug)]
pub(crate) struct Magazine {
    first: Cell<*mut Block>,
    /// The number of blocks that there is room for.
    room: Cell<u32>,
}

/// The number of blocks of a class that a magazine holds at most, unless it has grown.
fn capacity(class: usize) -> u32 {
    let size = size_of_class(class);
    let fewest = (ROOM_OF_FEW / size).clamp(2, FEWEST);
    (ROOM / size).clamp(fewest, MOST) as u32
}

/// The number of blocks of a class with which a magazine is filled: there is room for others that are freed.
pub(crate) fn filling(class: usize) -> u32 {
    capacity(class) / 2
}

impl Magazine {
    /// Takes the block that was added last; null if there is none. The next one comes into the cache, so that its link
    /// is there when it is taken.
    #[inline(always)]
    pub(crate) fn pop(&self) -> *mut Block {
        let block = self.first.get();
        if !block.is_null() {
            // SAFETY:
            // - the blocks are memory of the rank that nobody else uses.
            let next = unsafe { (*block).next };
            self.first.set(next);
            crate::page::prefetch(next);
            self.room.set(self.room.get() + 1);
        }
        block
    }

    /// Adds a block, if there is room.
    ///
    /// # Safety
    ///
    /// The block is of the magazine's class, belongs to a heap of the rank, and nobody uses it any more.
    #[inline(always)]
    unsafe fn push(&self, block: *mut Block) -> bool {
        let room = self.room.get();
        if room == 0 {
            return false;
        }
        // SAFETY:
        // - the block is memory that nobody else uses (caller).
        unsafe { (*block).next = self.first.get() };
        self.first.set(block);
        self.room.set(room - 1);
        true
    }

    /// Adds so many blocks, which are linked with each other, to an empty magazine that has room for them.
    ///
    /// # Safety
    ///
    /// As for [`Magazine::push`].
    pub(crate) unsafe fn fill(&self, first: *mut Block, count: u32) {
        debug_assert!(self.first.get().is_null(), "it is empty");
        self.first.set(first);
        self.room.set(self.room.get() - count);
    }
}

impl Heap {
    /// Gives all magazines room.
    pub(crate) fn begin_magazines(&self) {
        for class in 0..ALL_CLASSES {
            self.magazine(class).room.set(capacity(class));
            self.capacities[class].set(capacity(class));
        }
    }

    /// Makes room for as many blocks again, if the magazines do not hold too much, and if blocks are not so large that
    /// their pages serve the program as quickly. In a rank that has a limit they do not grow: its other threads could
    /// not have that memory. Nor do they where blocks are sampled: much of what the program allocates would not be
    /// seen.
    fn grow(&self, class: usize) -> bool {
        if size_of_class(class) > LARGEST_OF_MANY {
            return false;
        }
        let more = self.capacities[class].get();
        let grown = self.grown.get() + more as usize * size_of_class(class);
        let most = GROWN_MOST.min(2 * self.live.get() * SLICE);
        let may_grow = grown <= most && self.account().is_none() && !sampler::is_on();
        self.are_grown.set(!may_grow);
        if may_grow {
            self.grown.set(grown);
            self.capacities[class].set(2 * more);
            let room = &self.magazine(class).room;
            room.set(room.get() + more);
        }
        may_grow
    }

    /// Makes all magazines that have grown as small as in the beginning.
    pub(crate) fn shrink_magazines(&self) {
        self.are_grown.set(false);
        if self.grown.get() == 0 {
            return;
        }
        for class in 0..ALL_CLASSES {
            let more = self.capacities[class].get() - capacity(class);
            if more > 0 {
                self.empty_magazine(self.magazine(class));
                self.capacities[class].set(capacity(class));
                self.magazine(class).room.set(capacity(class));
            }
        }
        self.grown.set(0);
    }

    /// Frees a block of this heap for which there was no room in a magazine.
    ///
    /// # Safety
    ///
    /// The block lies in this segment of this heap, and nobody uses it any more.
    #[inline(always)]
    pub(crate) unsafe fn free_further(&self, segment: &'static Segment, block: *mut Block) {
        let page = segment.page_at(block.addr());
        // SAFETY:
        // - as demanded of the caller; a page without flags has blocks of its class.
        unsafe {
            if page.flags() == 0 && !self.are_grown.get() {
                self.free_growing(page, block);
            } else {
                self.free_local(page, block);
            }
        }
    }

    /// Frees a block of this page, which has blocks of its class, and makes room in the magazine of that if it may.
    ///
    /// # Safety
    ///
    /// As for [`Heap::free_local`].
    #[cold]
    #[inline(never)]
    unsafe extern "C" fn free_growing(&self, page: &'static Page, block: *mut Block) {
        // SAFETY:
        // - as demanded of the caller.
        unsafe {
            if self.grow(page.class()) {
                self.magazine(page.class()).push(block);
            } else {
                self.free_local(page, block);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn magazine(&self, class: usize) -> &Magazine {
        &self.magazines[class + 1]
    }

    /// The number of blocks that the magazine of a class has.
    pub(crate) fn kept(&self, class: usize) -> u32 {
        self.capacities[class].get() - self.magazine(class).room.get()
    }

    /// Keeps a block that lies in this segment for the next request, if it is one of this heap, or one of the same rank
    /// that may stay, and if there is room.
    ///
    /// # Safety
    ///
    /// Nobody uses the block any more. The segment may be one of any heap, or of none.
    #[inline(always)]
    pub(crate) unsafe fn keep(&self, segment: &Segment, block: *mut Block) -> bool {
        let kind = segment.kind_at(block.addr());
        let push = |magazine: &Magazine| {
            // SAFETY:
            // - the segment is this heap's, or one of its rank; the block is of the class of its slice, if that has one
            //   (caller). The magazine of no class has no room.
            unsafe { magazine.push(block) }
        };
        segment.keeper(kind) == self.owners.keeper(kind) && self.magazines.get(kind.index()).is_some_and(push)
    }

    /// Gives all blocks back that are kept: to their pages, or home.
    pub(crate) fn empty_magazines(&self) {
        self.shrink_magazines();
        self.magazines
            .iter()
            .for_each(|magazine| self.empty_magazine(magazine));
        self.release_idle();
    }

    /// Makes memory free that is kept for sizes which the program may no longer use, each time the heap has got a part
    /// of what it has from the system. The heap calls it before it takes more from there. Returns whether it has done
    /// so.
    pub(crate) fn reclaim(&self) -> bool {
        let is_due = self.fresh.get() > FRESH + self.live.get() / FRESH_PART;
        if is_due {
            self.fresh.set(0);
            self.release_empty();
        }
        is_due
    }

    fn empty_magazine(&self, magazine: &Magazine) {
        loop {
            let block = magazine.pop();
            if block.is_null() {
                return;
            }
            // SAFETY:
            // - the block belongs to a heap of this rank, which stays where it is, and nobody uses it.
            unsafe {
                let segment = Segment::of_block(block.addr());
                if ptr::eq(segment.heap(), self) {
                    self.free_local(segment.page_at(block.addr()), block);
                } else {
                    (*segment.heap()).remote.push(block);
                }
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::tests::{C, as_rank, as_thread};
    use crate::{RankHeaps, context};

    fn heap() -> &'static Heap {
        // SAFETY:
        // - the context has allocated memory, and heaps stay where they are.
        unsafe { context::heap().as_ref() }.expect("a heap")
    }

    /// Blocks, more than the first ones of their size, which lie with those of others.
    fn many(size: usize) -> Vec<usize> {
        (0..2000).map(|_| C::malloc(size).addr()).collect()
    }

    fn free(block: usize) {
        C::free(block as *mut u8);
    }

    /// The number of blocks in use, the lists of the heap apart.
    fn in_use() -> u64 {
        let statistics = RankHeaps::statistics_of_caller().expect("the caller belongs to a rank");
        statistics.in_use().count
    }

    #[test]
    fn a_thread_uses_blocks_of_another_one_that_fill_cache_lines() {
        for (size, stays) in [(16, false), (64, true), (160, false), (1000, true), (3000, true)] {
            as_rank(|heaps| {
                let block = many(size)[1000];
                let next = as_thread(heaps, || {
                    C::free(C::malloc(1));
                    free(block);
                    C::malloc(size).addr()
                });
                assert_eq!(next == block, stays, "{size}");
            });
        }
    }

    #[test]
    fn a_block_of_another_rank_goes_home() {
        as_rank(|_| {
            let block = many(64)[1000];
            as_rank(|_| {
                C::free(C::malloc(1));
                free(block);
                assert_ne!(C::malloc(64).addr(), block);
            });
            let blocks = many(64);
            assert!(blocks.contains(&block));
        });
    }

    #[test]
    fn what_a_magazine_has_no_room_for_goes_home() {
        as_rank(|heaps| {
            let size = 1024;
            let (blocks, class) = (many(size), crate::size_class::of(size));
            as_thread(heaps, || {
                C::free(C::malloc(1));
                blocks.iter().copied().for_each(free);
                assert_eq!(heap().kept(class), capacity(class));
            });
            // The first of these requests brings blocks home.
            let again = many(size);
            let home = again.iter().filter(|block| blocks.contains(block)).count();
            assert!(home + capacity(class) as usize + 16 >= blocks.len(), "{home}");
            assert_eq!(in_use(), again.len() as u64);
        });
    }

    #[test]
    fn magazines_grow_until_another_size_needs_a_page() {
        as_rank(|_| {
            let [one, other] = [64, 1024].map(crate::size_class::of);
            let blocks = many(64);
            blocks.iter().copied().for_each(free);
            assert!(heap().kept(one) > capacity(one));
            // These requests find what is kept.
            let held = heap().live.get();
            let again = many(64);
            assert_eq!(heap().live.get(), held);
            again.into_iter().for_each(free);
            many(1024).into_iter().for_each(free);
            assert!(heap().kept(one) <= capacity(one));
            assert!(heap().kept(other) > capacity(other));
            assert_eq!(in_use(), 0);
        });
    }

    #[test]
    fn what_is_kept_goes_back_to_its_page_or_home() {
        as_rank(|heaps| {
            let size = 1024;
            let (blocks, class) = (many(size), crate::size_class::of(size));
            as_thread(heaps, || {
                free(many(size)[1000]);
                blocks[..20].iter().copied().for_each(free);
                heap().release_empty();
                assert_eq!(heap().kept(class), 0);
            });
            blocks[20..].iter().copied().for_each(free);
            heap().bring_home();
            heap().release_empty();
            // The other 1999 blocks of the thread.
            assert_eq!(in_use(), 1999);
        });
    }
}
