//! The heaps of ranks: what `malloc` and its relatives give to the programs of ranks.
//!
//! Each execution context of a rank, which is its main one or a thread of it, has a heap of its own, to which a word
//! beside its thread pointer leads. So a block belongs to a rank, blocks of different ranks share no page, and no heap
//! is used by two kernel threads at a time: a rank's main context runs on one of them at a time. A rank that is
//! suspended within `malloc`, by a handler of a signal that waits, holds up nobody.
//!
//! # Layers
//!
//! Each module imports only from those before it. The heap itself is declared here, since segments have room for one.
//!
//! * `size_class`: the sizes of blocks
//! * `arena`: the addresses of all heaps
//! * `links`: lists that run through their elements
//! * `page`: runs of slices that hold blocks of one size
//! * `remote`: blocks that others have freed
//! * `segment`: the pieces of the arena that heaps take
//! * `purge`: giving free memory back to the system
//! * `spans`: segments in a row that have no pages
//! * `slices`: the slices of segments
//! * `single`: blocks that are a page, or several segments
//! * `mixed`: the first blocks of a heap
//! * `small`: blocks that share a page with others of their size, which is most of them
//! * `context`: the words that lead to the heap of the calling context
//! * `rank_heaps`: the heaps of a rank, and the one of the calling context
//! * `c`: the functions of C
//!
//! # Costs
//!
//! `malloc` and `free` of a small block: about two dozen instructions, no locked one, no system call. `free` of a block
//! that belongs to another context: one locked instruction. A heap: two pages of memory, and then what its blocks take.

mod arena;
mod c;
mod context;
mod links;
mod mixed;
mod page;
mod purge;
mod rank_heaps;
mod remote;
mod segment;
mod single;
mod size_class;
mod slices;
mod small;
mod spans;

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::AtomicBool;

use links::Linked;
use page::Page;
use remote::Remote;
use segment::{LISTS, Segment};
use size_class::CLASSES;

pub use c::{free, functions, realloc, usable_size};
pub use rank_heaps::RankHeaps;

/// A page without blocks, for the bins in which there is none.
struct NoPage(Page);

// SAFETY:
// - nobody changes it: it has no room, and is never the page of a block.
unsafe impl Sync for NoPage {}

static NO_PAGE: NoPage = NoPage(Page::empty());

/// A heap. Only one thread uses it at a time; others reach it through `remote` alone. Zeros, with `NO_PAGE` in the
/// bins, are a heap without memory.
#[repr(C)]
struct Heap {
    /// The first of the pages with free blocks or room, for each size class.
    bins: [Cell<*const Page>; CLASSES],
    /// The last of them, if there is one.
    lasts: [Cell<*const Page>; CLASSES],
    /// The page for blocks of different sizes; null until it is needed.
    mixed: Cell<*const Page>,
    /// The number of blocks of each class that have come from it.
    firsts: [Cell<u8>; CLASSES],
    /// The segments that have free slices, by their longest run.
    segments: [Cell<*const Segment>; LISTS],
    /// The free spans, by address.
    spans: Cell<*const Segment>,
    /// Numbers of slices: in pages, and free but not yet given back to the system.
    live: Cell<usize>,
    dirty: Cell<usize>,
    /// When free memory is to be given back, in milliseconds; 0 if there is not much.
    purge_at: Cell<u64>,
    /// The number of long blocks that have been allocated, which says where in its memory the next one begins.
    long_blocks: Cell<usize>,
    /// Another heap of the same rank.
    next: Cell<*const Heap>,
    /// Whether a context uses it.
    is_used: AtomicBool,
    remote: Remote,
}

impl Heap {
    /// Makes zeros a heap.
    fn begin(&self) {
        for bin in &self.bins {
            bin.set(&raw const NO_PAGE.0);
        }
    }

    /// The first page of a class that has free blocks or room; or the page without blocks.
    #[inline(always)]
    fn bin(&self, class: usize) -> &'static Page {
        // SAFETY:
        // - bins hold `NO_PAGE`, or pages of segments of this heap, which stay mapped.
        unsafe { &*self.bins[class].get() }
    }

    /// The segments on one of the lists of those with free slices.
    fn on_list(&self, index: usize) -> impl Iterator<Item = &'static Segment> {
        list(self.segments[index].get())
    }

    fn spans(&self) -> impl Iterator<Item = &'static Segment> {
        list(self.spans.get())
    }
}

fn list(first: *const Segment) -> impl Iterator<Item = &'static Segment> {
    // SAFETY:
    // - segments of a list are those of the caller's heap, which stay mapped.
    let at = |segment: *const Segment| unsafe { segment.as_ref() };
    std::iter::successors(at(first), move |segment| at(segment.links().next()))
}

/// The other end of a list of pages: `NO_PAGE` for null.
fn or_no_page(page: *const Page) -> *const Page {
    if page.is_null() {
        &raw const NO_PAGE.0
    } else {
        page
    }
}

fn is_no_page(page: &Page) -> bool {
    ptr::eq(page, &raw const NO_PAGE.0)
}

#[cfg(all(test, not(loom)))]
mod tests;
