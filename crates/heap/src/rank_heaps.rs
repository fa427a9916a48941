//! The heaps of a rank: one for its main execution context, and one for each thread that it has at the same time.

use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use crate::account::Account;
use crate::page_move::PageMove;
use crate::placement::Strategy;
use crate::segment::{FULL, LISTS, SLICE, Segment, WHOLE};
use crate::single::want_huge_pages_again;
use crate::source::Source;
use crate::{Heap, RankHeaps, arena, context, nodes};

impl RankHeaps {
    /// No heaps yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            first: AtomicPtr::new(ptr::null_mut()),
            account: Account::unlimited(),
            source: Source::new(),
            rank: 0,
            is_among_others: false,
            has_ended: AtomicBool::new(false),
        }
    }

    /// The same heaps as those of the rank with this number, which [call sites](crate::call_sites) name.
    #[must_use]
    pub fn of(self, rank: u32) -> Self {
        Self { rank, ..self }
    }

    /// The same heaps, whose long blocks may lie beside those of other ranks of the process, so that huge pages are
    /// worth their memory. They share no page of the usual size.
    #[must_use]
    pub fn among_others(self) -> Self {
        Self {
            is_among_others: true,
            ..self
        }
    }

    /// The same heaps, whose memory comes from the share with this number of the addresses for heaps: see
    /// [`divide`](crate::divide). A block for which the share has no addresses is refused, and the user is
    /// [told](crate::Report::ShareFull).
    #[must_use]
    pub fn in_share(self, share: usize) -> Self {
        let source = self.source.of_share(share);
        Self { source, ..self }
    }

    /// The addresses that have been taken of the share.
    #[must_use]
    pub fn taken_of_share(&self) -> Range<usize> {
        self.source.share().map_or(0..0, arena::taken_of_share)
    }

    /// Asks for huge pages anew for the long blocks that have had them, after the memory of the rank has been mapped
    /// again. No context of the rank runs meanwhile.
    pub fn want_huge_pages_again(&self) {
        for heap in self.all() {
            (0..=FULL)
                .flat_map(|list| heap.on_list(list))
                .for_each(Segment::want_dense_again);
            let whole = heap.on_list(WHOLE).filter(|segment| segment.has_huge_pages());
            whole.for_each(want_huge_pages_again);
        }
    }

    /// As [`RankHeaps::new`], for a rank that may have so many bytes in blocks, in whole slices of 64 KiB. A block
    /// beyond that is refused, and the user is [told](crate::Report::BeyondLimit).
    #[must_use]
    pub fn limited(bytes: usize) -> Self {
        let heaps = Self::new();
        heaps.account.set_limit(bytes);
        heaps
    }

    /// Says which rank of its world it is, and chooses the strategy by which its memory is placed. That is done before
    /// the rank begins; the strategy is [`Local`](crate::Local) otherwise.
    pub fn place(&self, rank: u32, strategy: &'static Strategy) {
        self.source.set_rank(rank);
        self.source.choose(strategy);
    }

    /// Chooses the strategy for what the rank allocates from now on. A context of the rank calls it.
    ///
    /// What the calling context's heap has free, and those of ended threads, is given back to the system, and comes
    /// anew by the strategy. Blocks of size classes may still come from slices that have other blocks. Heaps that other
    /// threads of the rank use take fresh memory by the strategy.
    pub fn choose(&self, strategy: &'static Strategy) {
        self.source.choose(strategy);
        if nodes::several().is_none() {
            return;
        }
        for heap in self.all() {
            if ptr::eq(heap, context::heap()) {
                heap.place_free();
            } else {
                let _ = heap.while_unused(Heap::place_free);
            }
        }
    }

    /// The strategy that has been chosen, if one has.
    #[must_use]
    pub fn strategy(&self) -> Option<&'static Strategy> {
        self.source.strategy()
    }

    /// A move of the rank's memory to a node, if its strategy wants that: the addresses of `first`, then what it has
    /// allocated, then those of `last`. What it allocates and touches from now on comes from the node. Any thread may
    /// call it.
    #[must_use]
    pub fn follow(&self, node: usize, first: &[Range<usize>], last: &[Range<usize>]) -> Option<PageMove> {
        self.source.follow(node, first, last)
    }

    /// Makes the calling execution context one of this rank: from now on its blocks come from a heap of the rank.
    /// Returns false if there are no addresses for heaps; then they come from the C library as before.
    pub fn enter(&'static self) -> bool {
        let is_possible = Self::are_possible();
        if is_possible {
            context::set(ptr::null(), self);
        }
        is_possible
    }

    /// Whether there are addresses for heaps in this process.
    #[must_use]
    pub fn are_possible() -> bool {
        arena::is_possible()
    }

    /// Ends that for the calling context, which may go on to free blocks.
    pub fn leave() {
        // SAFETY:
        // - heaps stay where they are.
        let heap = unsafe { context::heap().as_ref() };
        context::set(ptr::null(), ptr::null());
        if let Some(heap) = heap {
            // Release pairs with the Acquire in `obtain`.
            heap.is_used.store(false, Ordering::Release);
        }
    }
}

impl Heap {
    /// Gives all free memory back. What comes anew comes by the strategy that the rank has now.
    fn place_free(&self) {
        self.bring_home();
        self.release_empty();
        self.purge();
        let segments = (0..LISTS).flat_map(|list| self.on_list(list));
        for extent in segments.flat_map(Segment::free_extents) {
            self.source().place(extent.start..extent.end);
        }
        for span in self.spans() {
            self.source().place(span.address() + SLICE..span.end());
        }
    }
}

/// A heap for the calling context, which has none: one of the list that nobody uses, or a new one.
fn obtain(heaps: &'static RankHeaps) -> Option<&'static Heap> {
    // Acquire pairs with the Release in `leave`: the heap is as the other thread has left it.
    let unused = |heap: &&Heap| !heap.is_used.swap(true, Ordering::Acquire);
    heaps.all().find(unused).or_else(|| add(heaps))
}

fn add(heaps: &'static RankHeaps) -> Option<&'static Heap> {
    let address = heaps.source.take(1)?;
    // SAFETY:
    // - the arena has just given out the segment, which is zero.
    let segment = unsafe { Segment::of_span(address, 1, false) };
    let heap = segment.home();
    heap.begin(heaps);
    heap.is_used.store(true, Ordering::Relaxed);
    heap.adopt(segment);
    let mut first = heaps.first.load(Ordering::Relaxed);
    loop {
        heap.next.set(first);
        let new = ptr::from_ref(heap).cast_mut();
        // Release: who finds the heap finds it whole.
        match heaps
            .first
            .compare_exchange_weak(first, new, Ordering::Release, Ordering::Relaxed)
        {
            Ok(_) => return Some(heap),
            Err(now) => first = now,
        }
    }
}

/// The heap of the calling context, which is made if it belongs to a rank and has none yet.
#[cold]
#[inline(never)]
pub(crate) fn make() -> Option<&'static Heap> {
    let heaps = context::heaps();
    // SAFETY:
    // - `enter` has got a reference that is valid for ever.
    let heap = obtain(unsafe { heaps.as_ref() }?)?;
    context::set(heap, heaps);
    Some(heap)
}

/// The heap of the calling context.
#[inline(always)]
pub(crate) fn current() -> Option<&'static Heap> {
    // SAFETY:
    // - heaps stay where they are.
    match unsafe { context::heap().as_ref() } {
        None => make(),
        heap => heap,
    }
}
