//! Common segments: long blocks of several ranks side by side.
//!
//! Where a core has many ranks, each of which has a few arrays of some 100 KB, none of them would fill a huge page with
//! those in its own segments, and the core would need an entry for every 4 KiB of all arrays. So a heap takes the
//! slices for its first long blocks from segments that are nobody's alone. The blocks share no page of memory, but most
//! of their huge pages are full. What a heap has beyond that fills huge pages by itself.
//!
//! Who owns a block of such a segment is in the record of its page. Memory that is free there belongs to no heap; it is
//! given back to the system as that of a heap is ([`purge`](crate::purge)): when it has been much all the time for a
//! while.

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use crate::arena::{HUGE_PAGE, makes_huge_pages};
use crate::clock::now;
use crate::page::Page;
use crate::policy::MemoryPolicy;
use crate::purge::DELAY;
use crate::runs::mask;
use crate::segment::{DENSE, HUGE_SLICES, SLICE, SLICES, Segment, Slices};
use crate::{Heap, arena, nodes};

/// The least slices of a block in a common segment, and the most that a heap has there. From these on, a heap without
/// them would have some in huge pages.
const LEAST: usize = 3;
const MOST: usize = SLICES;
/// The most blocks that a heap has there.
const BLOCKS: usize = MOST / LEAST;
/// The number of free slices that are always kept.
const KEPT: usize = SLICES;

/// The common segments; the newest is the first.
static NEWEST: AtomicPtr<Segment> = AtomicPtr::new(ptr::null_mut());
/// The slices that heaps have, and those that are free and may hold something else than zeros.
static TAKEN: AtomicUsize = AtomicUsize::new(0);
static DIRTY: AtomicUsize = AtomicUsize::new(0);
/// When free memory is to be given back, in milliseconds; 0 at first. And the least that was free since that was set.
static PURGE_AT: AtomicU64 = AtomicU64::new(0);
static LEAST_DIRTY: AtomicUsize = AtomicUsize::new(0);

/// What a heap has in common segments. Zeros are nothing.
pub(crate) struct InCommon {
    pages: [Cell<*const Page>; BLOCKS],
    slices: Cell<usize>,
    /// The segment from which it has taken slices last.
    last: Cell<*const Segment>,
}

impl InCommon {
    /// The pages of its blocks.
    pub(crate) fn pages(&self) -> impl Iterator<Item = &'static Page> {
        // SAFETY:
        // - null, or a page of a segment, which stays mapped.
        self.pages
            .iter()
            .filter_map(|page| unsafe { page.get().as_ref() })
    }

    fn has_room(&self, count: usize) -> bool {
        self.slices.get() + count <= MOST && self.pages.iter().any(|page| page.get().is_null())
    }

    /// Puts a page in the place of another one; null is none.
    fn replace(&self, before: *const Page, page: *const Page) {
        let place = self.pages.iter().find(|place| ptr::eq(place.get(), before));
        if let Some(place) = place {
            place.set(page);
        }
    }

    fn add_slices(&self, count: isize) {
        self.slices.set(self.slices.get().wrapping_add_signed(count));
    }
}

impl Heap {
    /// Takes slices of a common segment for a long block, if the rank is one of several, and has little there and of
    /// its own: what it has freed of that is to be used again.
    pub(crate) fn take_in_common(&self, count: usize) -> Option<Slices> {
        let may = count >= LEAST
            && self.of().is_among_others
            && self.own_slices() < DENSE
            && self.in_common.has_room(count)
            && nodes::several().is_none()
            && makes_huge_pages();
        if !may || !self.charge(count) {
            return None;
        }
        let Some(slices) = take(self.in_common.last.get(), count) else {
            self.uncharge(count);
            return None;
        };
        self.in_common.last.set(slices.segment);
        self.note_in_common(count);
        Some(slices)
    }

    /// The slices of its own segments that have memory.
    fn own_slices(&self) -> usize {
        self.live.get() - self.in_common.slices.get() + self.dirty.get()
    }

    /// Takes these slices for the block before them, if they are free.
    pub(crate) fn take_further_in_common(
        &self,
        segment: &'static Segment,
        first: usize,
        count: usize,
    ) -> bool {
        if first + count > SLICES || !self.charge(count) {
            return false;
        }
        let dirty = segment.lent().take_these(mask(first, count));
        match dirty {
            Some(dirty) => {
                note_taken(count, dirty);
                self.note_in_common(count);
            }
            None => self.uncharge(count),
        }
        dirty.is_some()
    }

    fn note_in_common(&self, count: usize) {
        self.in_common.add_slices(count.cast_signed());
        self.add_live(count);
    }

    /// Makes a page of a common segment one of this heap.
    pub(crate) fn own_in_common(&self, page: &'static Page) {
        page.set_owner(self);
        self.in_common.replace(ptr::null(), page);
    }

    /// Forgets a page whose slices are to be given back.
    pub(crate) fn disown_in_common(&self, page: &'static Page) {
        self.in_common.replace(page, ptr::null());
    }

    /// Makes slices free, whose records say already that they are of no page.
    pub(crate) fn give_in_common(&self, segment: &'static Segment, first: usize, count: usize) {
        self.in_common.add_slices(-count.cast_signed());
        self.uncharge(count);
        self.live.set(self.live.get() - count);
        TAKEN.fetch_sub(count, Ordering::Relaxed);
        DIRTY.fetch_add(count, Ordering::Relaxed);
        segment.lent().give(mask(first, count));
        consider_purge();
    }

    /// Gives the memory of its blocks back to the system, at the end of its rank. The addresses stay theirs.
    pub(crate) fn give_up_in_common(&self) {
        for page in self.in_common.pages() {
            // SAFETY:
            // - nobody uses blocks of the rank any more. If the system refuses, the memory stays.
            let _ = unsafe { arena::purge(page.start(), page.slices() * SLICE) };
        }
        TAKEN.fetch_sub(self.in_common.slices.get(), Ordering::Relaxed);
    }
}

/// The common segments.
fn all() -> impl Iterator<Item = &'static Segment> {
    // SAFETY:
    // - segments stay mapped;
    // - Acquire pairs with the Release in `add`: their headers are whole.
    let newest = unsafe { NEWEST.load(Ordering::Acquire).as_ref() };
    std::iter::successors(newest, |segment| segment.next_common())
}

/// Takes so many slices: of the segment that is tried first, which may be null, of another one, or of a new one.
fn take(first: *const Segment, count: usize) -> Option<Slices> {
    // SAFETY:
    // - null, or a segment, which stays mapped.
    let first = unsafe { first.as_ref() };
    let taken = first
        .into_iter()
        .chain(all())
        .find_map(|segment| take_of(segment, count))
        .or_else(|| take_of(add()?, count))?;
    note_taken(count, taken.dirty);
    gather_if_dense(taken.segment);
    Some(taken)
}

fn take_of(segment: &'static Segment, count: usize) -> Option<Slices> {
    let (first, dirty) = segment.lent().take(count)?;
    Some(Slices {
        segment,
        first,
        count,
        dirty,
    })
}

/// Relaxed here and below: the numbers say when memory is given back, and nothing else is passed on with them.
fn note_taken(count: usize, dirty: u64) {
    TAKEN.fetch_add(count, Ordering::Relaxed);
    let dirty = dirty.count_ones() as usize;
    let left = DIRTY.fetch_sub(dirty, Ordering::Relaxed).wrapping_sub(dirty);
    LEAST_DIRTY.fetch_min(left, Ordering::Relaxed);
}

/// Adds a segment. Others may add one at the same time.
fn add() -> Option<&'static Segment> {
    let address = arena::take(1, MemoryPolicy::FirstTouch)?;
    // SAFETY:
    // - the arena has just given out the segment, which is zero.
    let segment = unsafe { Segment::of_span(address, 1, false) };
    segment.begin_common();
    let mut newest = NEWEST.load(Ordering::Relaxed);
    loop {
        segment.set_next_common(newest);
        let new = ptr::from_ref(segment).cast_mut();
        // Release: who finds the segment finds its header whole.
        match NEWEST.compare_exchange_weak(newest, new, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => return Some(segment),
            Err(now) => newest = now,
        }
    }
}

/// Puts those parts of the segment into huge pages most of whose slices are in use.
fn gather_if_dense(segment: &Segment) {
    for part in 0..SLICES / HUGE_SLICES {
        let slices = mask(part * HUGE_SLICES, HUGE_SLICES);
        if segment.lent().becomes_dense(part, slices, DENSE) {
            arena::gather_in_huge_page(segment.address() + part * HUGE_PAGE);
        }
    }
}

/// Whether so many free slices are much, compared with those in use.
fn is_much(free: usize) -> bool {
    free > KEPT + TAKEN.load(Ordering::Relaxed) / 2
}

/// Gives free memory back if it is time.
fn consider_purge() {
    let dirty = DIRTY.load(Ordering::Relaxed);
    let (now, end) = (now(), PURGE_AT.load(Ordering::Relaxed));
    if !is_much(dirty) || now < end {
        return;
    }
    let is_mine = PURGE_AT
        .compare_exchange(end, now + DELAY, Ordering::Relaxed, Ordering::Relaxed)
        .is_ok();
    if !is_mine {
        return;
    }
    let least = LEAST_DIRTY.swap(dirty, Ordering::Relaxed);
    if is_much(least) {
        purge_behind(dirty.saturating_sub(least));
    }
}

/// Gives all free memory of common segments back.
pub(crate) fn purge() {
    purge_behind(0);
}

/// The same for what is behind so many free slices: those of the segments that are tried first.
fn purge_behind(kept: usize) {
    let mut before = 0;
    for segment in all() {
        before += segment.lent().dirty_slices();
        if before <= kept {
            continue;
        }
        let purged = segment.lent().purge(|first, count| {
            // SAFETY:
            // - the slices are nobody else's.
            unsafe { arena::purge(segment.address() + first * SLICE, count * SLICE) }
        });
        DIRTY.fetch_sub(purged, Ordering::Relaxed);
    }
}
