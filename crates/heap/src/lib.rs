//! The heaps of ranks: what `malloc` and its relatives give to the programs of ranks.
//!
//! Each execution context of a rank, which is its main one or a thread of it, has a heap of its own, to which a word
//! beside its thread pointer leads. So a block belongs to a rank, blocks of different ranks share no page, and no heap
//! is used by two kernel threads at a time: a rank's main context runs on one of them at a time. A rank that is
//! suspended within `malloc`, by a handler of a signal that waits, holds up nobody.
//!
//! # Layers
//!
//! Each module imports only from those before it. The heap and the heaps of a rank are
//! declared here: segments have room for a heap, and the words of a context lead to both.
//!
//! * `report`: what the user is told
//! * `notice`: telling before pages go
//! * `size_class`: the sizes of blocks
//! * `clock`: the time
//! * `nodes`: the nodes of a machine
//! * `policy`: the nodes that the pages of some addresses come from
//! * `mapped`: blocks apart from heaps
//! * `placement`: strategies for where the memory of ranks comes from
//! * `arena`: the addresses of all heaps
//! * `reserved`: huge pages that are reserved
//! * `owners`: the owners of segments
//! * `page_move`: moving pages from node to node
//! * `source`: where a rank's memory comes from
//! * `runs`: runs of bits
//! * `lent`: slices that several heaps take
//! * `links`: lists that run through their elements
//! * `page`: runs of slices that hold blocks of one size
//! * `remote`: blocks that others have freed
//! * `segment`: the pieces of the arena that heaps take
//! * `purge`: giving free memory back to the system
//! * `spans`: segments in a row that have no pages
//! * `slices`: the slices of segments
//! * `context`: the words that lead to the heap of the calling context
//! * `sites`: the places in programs where sampled blocks come from
//! * `sampler`: which blocks are sampled
//! * `magazine`: the free blocks that are handed out first
//! * `common`: segments whose slices are those of several heaps
//! * `idle`: the same for long blocks
//! * `single`: blocks that are a page, or several segments
//! * `mixed`: the first blocks of a heap
//! * `page_size`: how many slices a page has
//! * `small`: blocks that share a page with others of their size, which is most of them
//! * `account`: the memory that a rank may have
//! * `statistics`: what a rank's heaps have in use, and hold
//! * `node_share`: how much of that is on other nodes
//! * `mallinfo`: what is in use, as C programs ask for it
//! * `rank_heaps`: the heaps of a rank, and the one of the calling context
//! * `rank_end`: the end of a rank
//! * `c`: the functions of C
//! * `allocator`: the heaps as the allocator of a Rust program
//! * `zoned`: the functions of C that programs get, in debug builds with red zones
//! * `checked`: the functions of C for ranks whose blocks are checked
//!
//! # Costs
//!
//! `malloc` and `free` of a small block: about two dozen instructions, no locked one, no system call. `free` of a block
//! that belongs to another context, unless it stays in a magazine: one locked instruction. A heap: two pages of memory,
//! and then what its blocks take.

mod account;
mod allocator;
mod arena;
mod c;
pub mod checked;
mod clock;
mod common;
mod context;
mod idle;
mod lent;
mod links;
mod magazine;
mod mallinfo;
mod mapped;
mod mixed;
mod node_share;
mod nodes;
mod notice;
mod owners;
mod page;
mod page_move;
mod page_size;
mod placement;
mod policy;
mod purge;
mod rank_end;
mod rank_heaps;
mod remote;
mod report;
mod reserved;
mod runs;
mod sampler;
mod segment;
mod single;
mod sites;
mod size_class;
mod slices;
mod small;
mod source;
mod spans;
mod statistics;
mod zoned;

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use account::Account;
use checked::Waiting;
use common::InCommon;
use idle::Idle;
use links::Linked;
use magazine::Magazine;
use page::Page;
use remote::Remote;
use sampler::Sampler;
use segment::{ALL_LISTS, Kind, Owners, Segment};
use size_class::ALL_CLASSES;
use source::Source;

pub use allocator::Allocator;
pub use mapped::Mapped;
pub use node_share::NodeShare;
pub use nodes::{NodeSet, current as current_node, set_nodes};
pub use notice::{before_pages_go, pages_go};
pub use page_move::{Batch, PageMove};
pub use placement::{FirstTouch, Local, MemoryPlacement, PerRank, Pooled, Request, Strategy, Uniform};
pub use policy::{MemoryPolicy, set_thread_policy};
pub use report::{Calls, CheckedBlock, Fault, FaultKind, Report, Reporter, set_reporter};
pub use reserved::{ReservedPages, reserved_pages, want_reserved_pages};
pub use sampler::{Unwinder, sample};
pub use sites::{CallSite, Sampled, call_sites};
pub use statistics::{Blocks, Statistics};
pub use zoned::{free, functions, memalign, realloc, usable_size};

/// The addresses for the heaps of all ranks. Nothing else lies there.
#[must_use]
pub fn addresses() -> Range<usize> {
    arena::ADDRESSES
}

/// Divides the addresses for heaps among ranks: each has the first `room` bytes of each `distance`. Both are multiples
/// of [`SHARE_UNIT`].
///
/// It is called before any rank allocates memory, and after [`RankHeaps::are_possible`]. All these addresses have been
/// reserved, by mappings that nobody can access.
pub fn divide(distance: usize, room: usize, shares: usize) {
    arena::divide(distance, room, shares);
}

/// What the addresses for heaps are divided into.
pub const SHARE_UNIT: usize = arena::SEGMENT;

/// Whether the address is one of those for heaps, but no heap has been there yet.
#[must_use]
pub fn is_unused(address: usize) -> bool {
    arena::may_be_of_heap(address) && !arena::is_usable(address)
}

/// A heap. Only one thread uses it at a time; others reach it through `remote` alone. Zeros are a heap
/// without memory.
#[repr(C)]
struct Heap {
    /// The blocks that are handed out first, by [`Kind::index`]. Those of no class have no room.
    magazines: [Magazine; Kind::INDICES],
    /// The number of blocks that each magazine has, and has room for.
    capacities: [Cell<u32>; ALL_CLASSES],
    /// The bytes that magazines have room for because they have grown.
    grown: Cell<usize>,
    /// Whether they have grown as much as they may.
    are_grown: Cell<bool>,
    /// The number of slices that have come from the system since what magazines have was last made free.
    fresh: Cell<usize>,
    /// The first of the pages with free blocks or room, for each size class.
    pages: [Cell<*const Page>; ALL_CLASSES],
    /// The last of them, if there is one.
    lasts: [Cell<*const Page>; ALL_CLASSES],
    /// The page for blocks of different sizes; null until it is needed.
    mixed: Cell<*const Page>,
    /// The number of blocks of each class that have come from it.
    firsts: [Cell<u8>; ALL_CLASSES],
    /// The segments that have free slices, by their longest run; then those without, and spans that are one block.
    segments: [Cell<*const Segment>; ALL_LISTS],
    /// The free spans, by address.
    spans: Cell<*const Segment>,
    /// Numbers of slices: in pages, and free but not yet given back to the system.
    live: Cell<usize>,
    dirty: Cell<usize>,
    /// When free memory is to be given back, in milliseconds; 0 if there is not much.
    purge_at: Cell<u64>,
    /// The least number of dirty slices since that time was set.
    least_dirty: Cell<usize>,
    /// The heap itself, and the heaps of its rank.
    owners: Owners,
    /// Blocks that have been freed and are not to be used again yet, where blocks are checked.
    waiting: Waiting,
    /// The most slices that have been in pages.
    most_live: Cell<usize>,
    /// The number of blocks in full pages, for each size class.
    in_full: [Cell<u32>; ALL_CLASSES],
    /// The long blocks in use.
    long: Cell<Blocks>,
    /// Long blocks that are handed out next.
    idle: Idle,
    /// What it has in common segments.
    in_common: InCommon,
    sampler: Sampler,
    /// Another heap of the same rank.
    next: Cell<*const Heap>,
    /// Whether a context uses it.
    is_used: AtomicBool,
    remote: Remote,
}

/// The heaps of a rank. They have no memory until the rank allocates some.
///
/// The heap of a thread that has ended serves the next one. Blocks that others free meanwhile wait for that.
#[derive(Debug, Default)]
pub struct RankHeaps {
    /// The list of all; it only grows.
    first: AtomicPtr<Heap>,
    account: Account,
    /// Where their memory comes from.
    source: Source,
    /// The number of the rank, for profiles.
    rank: u32,
    /// Whether there are other ranks in the process, with which it may have huge pages in common.
    is_among_others: bool,
    /// Whether the rank has ended, and its memory is gone.
    has_ended: AtomicBool,
}

impl RankHeaps {
    /// All heaps of the rank.
    fn all(&self) -> impl Iterator<Item = &'static Heap> {
        // SAFETY:
        // - heaps stay where they are.
        let at = |heap: *const Heap| unsafe { heap.as_ref() };
        let first = self.first.load(Ordering::Acquire).cast_const();
        std::iter::successors(at(first), move |heap| at(heap.next.get()))
    }
}

impl Heap {
    /// Makes zeros one of the heaps of a rank.
    fn begin(&self, of: &'static RankHeaps) {
        self.owners.set(self, of);
        self.begin_magazines();
    }

    /// The heaps of its rank.
    fn of(&self) -> &'static RankHeaps {
        // SAFETY:
        // - it was set to a reference that is valid for ever before anybody got to know the heap.
        unsafe { &*self.owners.heaps() }
    }

    /// Where its memory comes from.
    fn source(&self) -> &'static Source {
        &self.of().source
    }

    /// The segments on one of the lists.
    fn on_list(&self, index: usize) -> impl Iterator<Item = &'static Segment> {
        list(self.segments[index].get())
    }

    /// Uses the heap for a moment, if no context does; that of a thread that has ended. Returns whether it has done so.
    fn while_unused(&self, act: impl FnOnce(&Self)) -> bool {
        // Acquire and Release pair with each other, and with those of contexts that take heaps and leave them: the heap
        // is as the one before has left it.
        let is_mine = !self.is_used.swap(true, Ordering::Acquire);
        if is_mine {
            act(self);
            self.is_used.store(false, Ordering::Release);
        }
        is_mine
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

fn list_of_pages(first: *const Page) -> impl Iterator<Item = &'static Page> {
    // SAFETY:
    // - pages of a list are those of the caller's heap, which stay mapped.
    let at = |page: *const Page| unsafe { page.as_ref() };
    std::iter::successors(at(first), move |page| at(page.links().next()))
}

#[cfg(all(test, not(loom)))]
mod tests;
