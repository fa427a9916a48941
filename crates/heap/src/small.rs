//! Blocks that share a page with others of their size.
//!
//! The pages of a size class that have free blocks, or room for more, are a list, whose first one serves `malloc`. A
//! page leaves it when it is full, and comes back with the first block that is freed. An empty page is released, unless
//! it is the only one of its class: the next block of its size will come soon.
//!
//! A program that has few blocks of each of many sizes would touch a page of memory for each size. So the first blocks
//! of a size come from a page of a larger one, if there is such a page with a free block. For the smallest sizes one is
//! made.

use std::ptr;
use std::sync::atomic::Ordering;

use crate::page::{Block, FULL, Page, Purpose, SINGLE};
use crate::segment::{Segment, Slices};
use crate::size_class::{self, CLASSES};
use crate::{Heap, is_no_page, or_no_page};

/// The number of blocks of a class that come from pages of larger classes.
const BORROWED_MOST: u8 = 8;
/// How much larger the blocks may be, in classes.
const BORROWED_FROM: usize = 12;
/// The class of which a page is made to lend blocks for smaller classes: 256 bytes.
const LENDING: usize = 11;
/// The largest block of which many fit into one slice.
const SLICE_MOST: usize = 8192;
/// The number of slices of a page with larger blocks.
const SLICES_OF_LARGER: usize = 4;

impl Heap {
    /// A block of a size class; null if there is no memory.
    #[inline(always)]
    pub(crate) fn allocate_of(&self, class: usize) -> *mut Block {
        let block = self.bin(class).pop();
        if block.is_null() {
            self.refill(class)
        } else {
            block
        }
    }

    /// Frees a block of this heap.
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
        if unsafe { page.push(block) } == 0 {
            self.retire(page);
        }
    }

    /// Frees a block of another heap, which takes it home later. Anybody may call this.
    ///
    /// # Safety
    ///
    /// The block belongs to this heap, and nobody uses it any more.
    #[inline]
    pub(crate) unsafe fn free_remote(&self, block: *mut Block) {
        let mut first = self.remote.0.load(Ordering::Relaxed);
        loop {
            // SAFETY:
            // - the block is memory that nobody else uses (caller).
            unsafe { (*block).next = first };
            // Release: the heap's thread sees the link, and what was done with the block comes before its next use.
            match self
                .remote
                .0
                .compare_exchange_weak(first, block, Ordering::Release, Ordering::Relaxed)
            {
                Ok(_) => return,
                Err(now) => first = now,
            }
        }
    }

    /// Takes home what others have freed.
    pub(crate) fn bring_home(&self) {
        if self.remote.0.load(Ordering::Relaxed).is_null() {
            return;
        }
        // Acquire pairs with the Release in `free_remote`.
        let mut next = self.remote.0.swap(ptr::null_mut(), Ordering::Acquire);
        while !next.is_null() {
            let block = next;
            // SAFETY:
            // - the list consists of blocks of this heap that nobody uses; the link is read before the block is freed.
            unsafe {
                next = (*block).next;
                let page = Segment::of(block.addr()).page_at(block.addr());
                self.free_local(page, block);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn refill(&self, class: usize) -> *mut Block {
        self.bring_home();
        loop {
            let page = self.bin(class);
            if page.has_free() || page.carve() {
                return page.pop();
            }
            if is_no_page(page) {
                break;
            }
            page.set_flags(FULL);
            self.take_from_list(page);
        }
        if let Some(page) = self.lender(class) {
            return page.pop();
        }
        self.add_page(class).map_or(ptr::null_mut(), |page| {
            if page.carve() { page.pop() } else { ptr::null_mut() }
        })
    }

    /// A page of a larger class that can spare a block.
    fn lender(&self, class: usize) -> Option<&'static Page> {
        let borrowed = self.borrowed[class].get();
        if borrowed >= BORROWED_MOST {
            return None;
        }
        let larger = class + 1..(class + 1 + BORROWED_FROM).min(CLASSES);
        let known = larger.map(|class| self.bin(class)).find(|page| page.has_free());
        let page = match known {
            None if class < LENDING => self.add_page(LENDING).filter(|page| page.carve()),
            known => known,
        }?;
        self.borrowed[class].set(borrowed + 1);
        Some(page)
    }

    /// Lets blocks of a class come from pages of this class alone.
    pub(crate) fn stop_borrowing(&self, class: usize) {
        self.borrowed[class].set(BORROWED_MOST);
    }

    fn add_page(&self, class: usize) -> Option<&'static Page> {
        let block = size_class::size_of_class(class);
        let count = if block <= SLICE_MOST { 1 } else { SLICES_OF_LARGER };
        let slices = self.take_slices(count, true)?;
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
        let (bin, last) = (&self.bins[page.class()], &self.lasts[page.class()]);
        page.link(last.get(), ptr::null());
        if last.replace(page).is_null() {
            bin.set(page);
        }
    }

    fn take_from_list(&self, page: &Page) {
        let (bin, last) = (&self.bins[page.class()], &self.lasts[page.class()]);
        if ptr::eq(last.get(), page) {
            last.set(page.previous());
        }
        if let Some(next) = page.unlink() {
            bin.set(or_no_page(next));
        }
    }

    /// Handles a page whose last block has been freed.
    #[inline(never)]
    fn retire(&self, page: &'static Page) {
        let is_only = ptr::eq(self.bins[page.class()].get(), page) && page.next().is_null();
        if !is_only {
            self.release(page);
        }
    }

    /// Gives up a page on a list that has no blocks.
    fn release(&self, page: &'static Page) {
        self.take_from_list(page);
        self.release_page(page);
    }

    /// Gives up the empty pages that are kept.
    pub(crate) fn release_empty(&self) {
        for class in 0..CLASSES {
            let page = self.bin(class);
            if !is_no_page(page) && page.used() == 0 {
                self.release(page);
            }
        }
    }

    /// Frees a block of a page that is full or has no other blocks.
    ///
    /// # Safety
    ///
    /// As for [`Heap::free_local`].
    #[cold]
    #[inline(never)]
    unsafe fn free_of_other(&self, page: &'static Page, block: *mut Block) {
        if page.flags() & SINGLE != 0 {
            return self.free_single(page);
        }
        page.set_flags(0);
        // SAFETY:
        // - as demanded of the caller.
        let used = unsafe { page.push(block) };
        self.insert(page);
        if used == 0 {
            self.retire(page);
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
    page.begin(purpose, segment.extent(first, slices.count));
    page
}
