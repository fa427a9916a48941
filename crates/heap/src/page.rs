//! Pages: runs of slices that hold blocks of one size.
//!
//! The free blocks of a page are a list that runs through the blocks themselves. A page begins with an empty list, and
//! blocks are carved from its room a few at a time: memory is touched only when blocks are needed.

use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
use std::cell::Cell;
use std::ptr;

use crate::Heap;
use crate::links::{Linked, Links};
use crate::size_class::{self, LINE};

/// Bytes of memory that are carved into blocks at once, unless a block is larger.
const CARVED_AT_ONCE: usize = 4096;

/// The page is on no list of its heap, because it has no free block.
pub(crate) const FULL: u8 = 1;
/// The page is one block.
pub(crate) const SINGLE: u8 = 2;
/// The page is one block that takes whole segments.
pub(crate) const HUGE: u8 = 4;
/// The page has blocks of different sizes, each behind [`HEAD`] bytes that begin with its size.
pub(crate) const MIXED: u8 = 8;

/// The page is one block, which has been freed and is handed out next: see [`idle`](crate::idle).
pub(crate) const IDLE: u8 = 32;
/// There is no page: the slice is free. This is for programs that free what is no block.
const NONE: u8 = 16;
/// In the size before a block of different sizes: the block has been freed.
const FREED: usize = 1;
/// The page is one block, which is a sample: see [`Page::sample`].
pub(crate) const SAMPLED: u8 = 0x80;
/// The page is one block, which is as small as those of its size class.
pub(crate) const APART: u8 = 0x40;
/// The most blocks and bytes that are kept of what a sample represents.
pub(crate) const SAMPLED_BLOCKS: u64 = (1 << 24) - 1;
pub(crate) const SAMPLED_BYTES: u64 = (1 << 40) - 1;

/// What a page with blocks of different sizes has as their size.
pub(crate) const ANY_SIZE: usize = 1;
/// The bytes before a block that is one of different sizes: blocks are at multiples of as many.
const HEAD: usize = 16;

/// The most places at which the first block of a page begins, in cache lines. Among more of them, the places of pages
/// at some distances, as nine slices, would differ by nearly a multiple of 64 lines: of the sets of a cache of the
/// first level, 40 blocks of 64 KiB would then begin in ten.
const MOST_BEGINNINGS: usize = 512;

/// A free block.
pub(crate) struct Block {
    pub(crate) next: *mut Block,
}

/// Brings the beginning of a block into the cache.
#[inline(always)]
pub(crate) fn prefetch(block: *const Block) {
    // SAFETY:
    // - a prefetch has no effect but on caches, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(block.cast()) };
}

/// A page. Only the thread that uses its heap changes it; others read `head`, `start`, `block` and `owner` while
/// one of its blocks is theirs, and these are constant as long as the page has a block.
#[repr(C, align(64))]
#[derive(Debug)]
pub(crate) struct Page {
    free: Cell<*mut Block>,
    used: Cell<u32>,
    flags: Cell<u8>,
    /// The index of the page's first slice in its segment. It is right for all slices of the page.
    head: Cell<u8>,
    class: Cell<u8>,
    slices: Cell<u8>,
    /// The number of blocks that have been carved, and of those that there is room for; in bytes if they have different
    /// sizes. If the page is one block: how far behind `start` it begins.
    carved: Cell<u32>,
    room: Cell<u32>,
    block: Cell<usize>,
    start: Cell<usize>,
    links: Links<Page>,
    /// The heap, in a [common](crate::common) segment.
    owner: Cell<*const Heap>,
}

/// What a page is made for.
#[derive(Clone, Copy)]
pub(crate) struct Purpose {
    pub(crate) class: usize,
    pub(crate) flags: u8,
    /// The size of a block.
    pub(crate) block: usize,
}

/// The memory of a page.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) slices: usize,
}

impl Extent {
    /// The same without some of what blocks of this size do not need, at its beginning: more or less of it, so that the
    /// first blocks of pages begin in different sets of a cache.
    pub(crate) fn spread(self, block: usize) -> Self {
        let lines = (self.end - self.start) % block / LINE;
        let skipped = size_class::scattered(self.start, (lines + 1).min(MOST_BEGINNINGS));
        Self {
            start: self.start + skipped * LINE,
            ..self
        }
    }
}

impl Page {
    /// Makes a page of these slices. All its blocks are free.
    pub(crate) fn begin(&self, purpose: Purpose, extent: Extent) {
        self.free.set(ptr::null_mut());
        self.used.set(0);
        self.flags.set(purpose.flags);
        self.class.set(purpose.class as u8);
        self.slices.set(extent.slices as u8);
        self.carved.set(0);
        self.room
            .set(((extent.end - extent.start) / purpose.block) as u32);
        self.block.set(purpose.block);
        self.start.set(extent.start);
        self.links.clear();
    }

    /// Makes the page one that has no blocks.
    pub(crate) fn end(&self) {
        self.block.set(0);
        self.flags.set(NONE);
    }

    /// Whether a block begins at the address, which lies in the page if there is one. A block that shares a page with
    /// others of its size may be free.
    pub(crate) fn has_block(&self, address: usize) -> bool {
        let offset = address.wrapping_sub(self.start());
        let flags = self.flags();
        if flags & (NONE | IDLE) != 0 || self.block() == 0 {
            return false;
        }
        if flags & SINGLE != 0 {
            return offset == self.carved.get() as usize;
        }
        if flags & MIXED != 0 {
            let is_place = (HEAD..self.room.get() as usize).contains(&offset) && offset.is_multiple_of(HEAD);
            // SAFETY:
            // - what is before such a place is memory of the page.
            return is_place && unsafe { *((address - HEAD) as *const usize) } & FREED == 0;
        }
        offset.is_multiple_of(self.block()) && offset / self.block() < self.room.get() as usize
    }

    /// The heap to which the page belongs, in a common segment.
    pub(crate) fn owner(&self) -> *const Heap {
        self.owner.get()
    }

    pub(crate) fn set_owner(&self, owner: &Heap) {
        self.owner.set(owner);
    }

    /// Says to which page a slice belongs.
    pub(crate) fn set_head(&self, head: usize) {
        self.head.set(head as u8);
    }

    #[inline(always)]
    pub(crate) fn head(&self) -> usize {
        usize::from(self.head.get())
    }

    #[inline(always)]
    pub(crate) fn flags(&self) -> u8 {
        self.flags.get()
    }

    pub(crate) fn set_flags(&self, flags: u8) {
        self.flags.set(flags);
    }

    pub(crate) fn class(&self) -> usize {
        usize::from(self.class.get())
    }

    pub(crate) fn set_class(&self, class: usize) {
        self.class.set(class as u8);
    }

    pub(crate) fn slices(&self) -> usize {
        usize::from(self.slices.get())
    }

    pub(crate) fn set_slices(&self, slices: usize) {
        self.slices.set(slices as u8);
    }

    /// The size of its blocks; 0 if it has none.
    #[inline]
    pub(crate) fn block(&self) -> usize {
        self.block.get()
    }

    /// Changes the size of the only block.
    pub(crate) fn set_block(&self, block: usize) {
        self.block.set(block);
    }

    /// The beginnings of all blocks that have been carved, in use or not. There must be a page.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = usize> {
        let (start, carved, block) = (self.start(), self.carved.get() as usize, self.block());
        let is_mixed = self.flags() & MIXED != 0;
        let is_single = self.flags() & SINGLE != 0;
        let mut next = match (is_mixed, is_single) {
            (true, _) => start + HEAD,
            (_, true) => start + carved,
            _ => start,
        };
        let end = match (is_mixed, is_single) {
            (true, _) => start + carved,
            (_, true) => next + 1,
            _ => start + carved * block,
        };
        std::iter::from_fn(move || {
            let this = (next < end).then_some(next)?;
            next += match is_mixed {
                // SAFETY:
                // - carved blocks of such a page have their sizes before them.
                true => HEAD + unsafe { *((this - HEAD) as *const usize) & !FREED },
                false => block,
            };
            Some(this)
        })
    }

    /// The address of its first block.
    #[inline]
    pub(crate) fn start(&self) -> usize {
        self.start.get()
    }

    /// The number of bytes from the address, which lies in a block in use, to the end of that block.
    ///
    /// # Safety
    ///
    /// The address is that of a block in use, or lies in the only block of the page.
    pub(crate) unsafe fn room_at(&self, address: usize) -> usize {
        if self.block() == ANY_SIZE {
            // SAFETY:
            // - the bytes before a block of such a page hold its size as long as the block is in use (caller).
            return unsafe { *((address - HEAD) as *const usize) };
        }
        self.block() - (address - self.start()) % self.block()
    }

    /// The address behind what blocks have been made of.
    pub(crate) fn end_in_use(&self) -> usize {
        let carved = match self.flags() & (SINGLE | MIXED) {
            0 => self.carved.get() as usize * self.block(),
            MIXED => self.taken(),
            _ => self.block(),
        };
        self.start() + carved
    }

    /// The number of blocks in use, counting those that others have freed and that have not come home yet.
    pub(crate) fn used(&self) -> u32 {
        self.used.get()
    }

    /// The number of blocks that can still be taken.
    pub(crate) fn left(&self) -> u32 {
        self.room.get() - self.used.get()
    }

    /// The bytes that have been taken from a page with blocks of different sizes, since it was last empty.
    pub(crate) fn taken(&self) -> usize {
        self.carved.get() as usize
    }

    /// Takes the only block, which begins at this address.
    pub(crate) fn take_single(&self, address: usize) -> *mut Block {
        self.used.set(1);
        self.carved.set((address - self.start()) as u32);
        address as *mut Block
    }

    /// Takes some free blocks, at most so many, which are linked with each other. Returns the first one and their
    /// number. There must be one.
    pub(crate) fn take(&self, most: u32) -> (*mut Block, u32) {
        let first = self.free.get();
        let free = self.free();
        let count = free.min(most);
        let mut rest = ptr::null_mut();
        if count < free {
            let mut last = first;
            for _ in 1..count {
                // SAFETY:
                // - the list has more blocks; they are memory of the page that nobody else uses.
                last = unsafe { (*last).next };
            }
            // SAFETY:
            // - as above.
            rest = unsafe { ptr::replace(&raw mut (*last).next, ptr::null_mut()) };
        }
        self.free.set(rest);
        self.used.set(self.used.get() + count);
        (first, count)
    }

    /// Takes a block back, and gives the number of those that are still in use.
    ///
    /// # Safety
    ///
    /// The block is one of this page, and nobody uses it any more.
    #[inline(always)]
    pub(crate) unsafe fn push(&self, block: *mut Block) -> u32 {
        // SAFETY:
        // - the block is memory of the page that nobody else uses (caller).
        unsafe { (*block).next = self.free.get() };
        self.free.set(block);
        let used = self.used.get().wrapping_sub(1);
        self.used.set(used);
        used
    }

    /// Takes a block of this size from the room of a page with blocks of different sizes; null if there is too little.
    pub(crate) fn take_any(&self, size: usize) -> *mut Block {
        let (carved, whole) = (self.carved.get(), HEAD + size);
        if ((self.room.get() - carved) as usize) < whole {
            return ptr::null_mut();
        }
        let head = self.start.get() + carved as usize;
        // SAFETY:
        // - the page has room for the block and what is before it, and nobody has it yet.
        unsafe { *(head as *mut usize) = size };
        self.carved.set(carved + whole as u32);
        self.used.set(self.used.get() + 1);
        (head + HEAD) as *mut Block
    }

    /// Takes a block back that is one of different sizes. Its memory is room again when all others are back, too.
    ///
    /// # Safety
    ///
    /// The block is one of this page, and nobody uses it any more.
    pub(crate) unsafe fn put_any(&self, block: *mut Block) {
        // SAFETY:
        // - the bytes before the block hold its size (caller).
        unsafe { *((block.addr() - HEAD) as *mut usize) |= FREED };
        let used = self.used.get() - 1;
        self.used.set(used);
        if used == 0 {
            self.carved.set(0);
        }
    }

    /// The number of blocks that are free, of those that have been carved.
    fn free(&self) -> u32 {
        self.carved.get() - self.used.get()
    }

    /// Makes a page that is one block a sample: it represents so many bytes and blocks, at most [`SAMPLED_BYTES`] and
    /// [`SAMPLED_BLOCKS`], of the call site with this number. They are kept where other pages have what such a page
    /// does not need.
    pub(crate) fn set_sample(&self, site: u32, bytes: u64, blocks: u64) {
        self.set_flags(self.flags() | SAMPLED);
        self.room.set(site);
        self.free
            .set(ptr::without_provenance_mut((bytes << 24 | blocks) as usize));
    }

    /// What the sample that is this page represents: the number of the call site, bytes and blocks.
    pub(crate) fn sample(&self) -> (u32, u64, u64) {
        let both = self.free.get().addr() as u64;
        (self.room.get(), both >> 24, both & SAMPLED_BLOCKS)
    }

    /// Whether [`Page::take`] finds a block.
    pub(crate) fn has_free(&self) -> bool {
        !self.free.get().is_null()
    }

    /// Carves some more blocks, at most so many. Returns whether there was room.
    pub(crate) fn carve(&self, most: u32) -> bool {
        let (carved, block) = (self.carved.get(), self.block.get());
        let left = self.room.get() - carved;
        if left == 0 {
            return false;
        }
        let count = ((CARVED_AT_ONCE / block) as u32).clamp(1, left.min(most));
        let first = self.start.get() + carved as usize * block;
        let mut next = self.free.get();
        for index in (0..count as usize).rev() {
            let at = (first + index * block) as *mut Block;
            // SAFETY:
            // - the page has room for the block, and nobody has it yet.
            unsafe { (*at).next = next };
            next = at;
        }
        self.free.set(next);
        self.carved.set(carved + count);
        true
    }
}

impl Linked for Page {
    #[inline]
    fn links(&self) -> &Links<Self> {
        &self.links
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::arena::SEGMENT;
    use crate::segment::SLICE;
    use crate::size_class::{distance_of_class, of};

    #[test]
    fn blocks_of_pages_at_equal_distances_begin_in_different_sets_of_a_cache() {
        const SLICES_OF_PAGE: usize = 9;
        let block = distance_of_class(of(64 << 10));
        for first in 0..1000 {
            let pages = (0..5).map(|page| first * SEGMENT + (4 + page * SLICES_OF_PAGE) * SLICE);
            let blocks = pages.flat_map(|start| {
                let extent = Extent {
                    start,
                    end: start + SLICES_OF_PAGE * SLICE,
                    slices: SLICES_OF_PAGE,
                };
                let start = extent.spread(block).start;
                (0..8).map(move |number| start + number * block)
            });
            let sets: HashSet<usize> = blocks.map(|block| block / LINE % 64).collect();
            assert!(sets.len() >= 16, "{} behind segment {first}", sets.len());
        }
    }
}
