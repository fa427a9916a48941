//! Segments: the pieces of the arena that heaps take.
//!
//! A segment belongs to one heap. It consists of slices, from which pages are made. Its header, at its beginning, has
//! the records of the pages. So the page of a block, and the heap that it belongs to, follow from its address. The
//! segment may be the first of a *span*, which are several in a row: a block of whole segments, or free ones.

use std::cell::Cell;
use std::mem::offset_of;
use std::ops::Range;
use std::ptr;

use crate::arena::{self, HUGE_PAGE, SEGMENT};
use crate::lent::LentSlices;
use crate::links::{Linked, Links};
use crate::page::{Extent, Page};
use crate::runs::{log_of_longest, mask, runs};
use crate::size_class::{ALL_CLASSES, LINE, distance_of_class};
use crate::{Heap, RankHeaps};

/// The size of a slice, to which slices are aligned.
pub(crate) const SLICE: usize = 64 << 10;
/// The number of slices of a segment.
pub(crate) const SLICES: usize = SEGMENT / SLICE;

/// The number of slices of a huge page.
pub(crate) const HUGE_SLICES: usize = HUGE_PAGE / SLICE;
/// The number of its slices whose memory is in use from which on a huge page is worth that of the others.
pub(crate) const DENSE: usize = HUGE_SLICES * 3 / 4;
/// The bytes of blocks from which on it is worth that of a heap's other memory.
const FILLED: usize = HUGE_PAGE * 4 / 5;

/// The part of the first slice that is not for blocks.
pub(crate) const HEADER: usize = 8192;

/// The header of a segment. Only the thread that uses the heap changes it; others read `heap` while a block of the
/// segment is theirs, and that is constant as long as there is one. Zeros are a valid header.
#[repr(C)]
pub(crate) struct Segment {
    /// The heap, and the heaps of its rank: see [`Segment::keeper`].
    owners: Owners,
    links: Links<Segment>,
    /// The slices of no page, as bits.
    free: Cell<u64>,
    /// The slices that may hold something else than zeros.
    dirty: Cell<u64>,
    /// The number of segments of the span.
    span: Cell<usize>,
    /// Whether the system has been asked for huge pages for some of the span.
    huge_pages: Cell<bool>,
    /// The parts of the size of a huge page for which that has been done because most of their slices were in use, as
    /// bits.
    dense: Cell<u8>,
    /// Whether some of the span is in huge pages that were reserved.
    reserved: Cell<bool>,
    /// The list of its heap on which the segment is, if it is on one: see [`Segment::list`].
    list: Cell<u8>,
    /// Whether it is a [common](crate::common) segment, then the next one of these, and its slices. The fields above
    /// say nothing then.
    is_common: Cell<bool>,
    next_common: Cell<*const Segment>,
    lent: LentSlices,
    /// The heap itself, in its first segment.
    home: Heap,
    /// What the blocks of each slice are. Whoever frees a block looks here: this cache line is seldom written, unlike
    /// the records of pages.
    kinds: Kinds,
    pages: [Page; SLICES],
}

const _: () = assert!(size_of::<Segment>() <= HEADER && Kind::INDICES <= 1 << FILLS_LINES);

/// A heap, and the heaps of its rank.
#[derive(Debug)]
pub(crate) struct Owners([Cell<*const ()>; 2]);

#[repr(C, align(64))]
struct Kinds([Cell<Kind>; SLICES]);

/// The size class of the blocks of a slice, if all are of one, plus one; and whether they fill cache lines.
#[derive(Clone, Copy)]
pub(crate) struct Kind(u8);

/// The bit that says that blocks fill cache lines.
const FILLS_LINES: u32 = 7;

impl Kind {
    const NONE: Self = Self(0);
    pub(crate) const INDICES: usize = ALL_CLASSES + 1;

    fn of_class(class: usize) -> Self {
        let fills_lines = distance_of_class(class).is_multiple_of(LINE);
        Self((class as u8 + 1) | (u8::from(fills_lines) << FILLS_LINES))
    }

    /// The class plus one; 0 if there is none. It is less than [`Kind::INDICES`].
    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        usize::from(self.0) % (1 << FILLS_LINES)
    }

    /// Which of the owners may keep such a block: the heap, or all of its rank.
    #[inline(always)]
    fn keeper(self) -> usize {
        usize::from(self.0 >> FILLS_LINES)
    }
}

impl Owners {
    pub(crate) fn set(&self, heap: *const Heap, heaps: *const RankHeaps) {
        self.0[0].set(heap.cast());
        self.0[1].set(heaps.cast());
    }

    #[inline(always)]
    pub(crate) fn heap(&self) -> *const Heap {
        self.0[0].get().cast()
    }

    pub(crate) fn heaps(&self) -> *const RankHeaps {
        self.0[1].get().cast()
    }

    /// The one that may keep a block of this kind when it is freed.
    #[inline(always)]
    pub(crate) fn keeper(&self, kind: Kind) -> *const () {
        self.0[kind.keeper()].get()
    }
}

/// The number of lists of segments with free slices: one for each binary logarithm of the longest run.
pub(crate) const LISTS: usize = SLICES.ilog2() as usize + 1;
/// The list of segments without free slices.
pub(crate) const FULL: usize = LISTS;
/// The list of spans that are one block.
pub(crate) const WHOLE: usize = LISTS + 1;
/// The number of lists.
pub(crate) const ALL_LISTS: usize = LISTS + 2;
/// In the place of the number of a list: the segment is on none.
const NO_LIST: u8 = 0xff;

/// Slices that have been taken.
pub(crate) struct Slices {
    pub(crate) segment: &'static Segment,
    pub(crate) first: usize,
    pub(crate) count: usize,
    /// The slices among them that may hold something else than zeros, as bits of the segment.
    pub(crate) dirty: u64,
}

/// Where slices are taken from. The least is the best: of that which would touch the least fresh memory, the shortest
/// run, so that long ones are left for long blocks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fit {
    /// The number of slices that are still as the system gives them.
    pub(crate) fresh: u32,
    /// The number of free slices in the run.
    length: usize,
    address: usize,
}

impl Segment {
    /// The header of the segment in which the address lies.
    ///
    /// # Safety
    ///
    /// The address lies in the arena, in a segment of a heap. In a span of several, it lies in the first one.
    #[inline(always)]
    pub(crate) unsafe fn of(address: usize) -> &'static Segment {
        // SAFETY:
        // - memory of the arena that has been given out stays mapped, and a segment begins with its header (caller).
        unsafe { &*((address & !(SEGMENT - 1)) as *const Segment) }
    }

    /// The header of the segment in which the page of a block is. A block that begins where a segment does is in the
    /// page of the segment before, which belongs to the same span.
    ///
    /// # Safety
    ///
    /// A block of a heap begins at the address.
    #[inline(always)]
    pub(crate) unsafe fn of_block(address: usize) -> &'static Segment {
        // SAFETY:
        // - no block begins in the first byte of the arena, and the header is before the block.
        unsafe { Self::of(address - 1) }
    }

    /// Whether there can be a heap at this place, which is that of the heap in the header of a segment.
    #[inline(always)]
    pub(crate) fn may_be_heap(heap: *const Heap) -> bool {
        arena::contains(heap.addr()) && heap.addr() % SEGMENT == offset_of!(Segment, home)
    }

    /// A new header, for a span of these segments. In a dirty span there may be anything in its place: it may have been
    /// the middle of a block. So all is written here that is read before somebody else has set it.
    ///
    /// # Safety
    ///
    /// The segments are the caller's.
    pub(crate) unsafe fn of_span(address: usize, span: usize, is_dirty: bool) -> &'static Segment {
        let header = address as *mut Segment;
        // SAFETY:
        // - the segments are the caller's, and nobody has a reference to what is in them. Setting the cells would read
        //   what they hold, which need not be a bool.
        unsafe {
            (&raw mut (*header).huge_pages).write(Cell::new(false));
            (&raw mut (*header).reserved).write(Cell::new(false));
            (&raw mut (*header).is_common).write(Cell::new(false));
        }
        // SAFETY:
        // - the segments are the caller's. The other fields hold numbers and pointers, but for the home of a heap,
        //   which is used only in segments that the arena has given out as zeros.
        let segment = unsafe { Self::of(address) };
        segment.span.set(span);
        segment.set_dirty(is_dirty);
        segment.links.set_next(ptr::null());
        segment
    }

    #[inline(always)]
    pub(crate) fn heap(&self) -> *const Heap {
        self.owners.heap()
    }

    /// The heap to which the block at the address belongs.
    pub(crate) fn heap_at(&self, address: usize) -> *const Heap {
        match self.is_common.get() {
            true => self.page_at(address).owner(),
            false => self.heap(),
        }
    }

    /// Makes all slices but that with the header free for all heaps.
    pub(crate) fn begin_common(&self) {
        self.is_common.set(true);
        self.list.set(NO_LIST);
        (0..SLICES).for_each(|slice| self.forget_page(slice));
        self.lent.begin(!1);
    }

    pub(crate) fn is_common(&self) -> bool {
        self.is_common.get()
    }

    /// The slices that heaps take, if it is a common segment.
    pub(crate) fn lent(&self) -> &LentSlices {
        &self.lent
    }

    /// The next one of the common segments.
    pub(crate) fn next_common(&self) -> Option<&'static Segment> {
        // SAFETY:
        // - null, or a segment, which stays mapped.
        unsafe { self.next_common.get().as_ref() }
    }

    pub(crate) fn set_next_common(&self, next: *const Segment) {
        self.next_common.set(next);
    }

    pub(crate) fn set_heap(&self, heap: &Heap) {
        self.owners.set(heap, heap.owners.heaps());
    }

    /// Who may keep a block of this kind when it is freed: the heap, or all heaps of its rank.
    #[inline(always)]
    pub(crate) fn keeper(&self, kind: Kind) -> *const () {
        self.owners.keeper(kind)
    }

    /// What the block at the address is.
    #[inline(always)]
    pub(crate) fn kind_at(&self, address: usize) -> Kind {
        self.kinds.0[address / SLICE % SLICES].get()
    }

    /// Says that so many slices, from this one on, have blocks of this class.
    pub(crate) fn set_class(&self, first: usize, count: usize, class: usize) {
        let kinds = &self.kinds.0[first..first + count];
        kinds.iter().for_each(|kind| kind.set(Kind::of_class(class)));
    }

    /// The place for the heap whose first segment this is.
    pub(crate) fn home(&self) -> &Heap {
        &self.home
    }

    pub(crate) fn address(&self) -> usize {
        ptr::from_ref(self).addr()
    }

    pub(crate) fn span(&self) -> usize {
        self.span.get()
    }

    pub(crate) fn set_span(&self, span: usize) {
        self.span.set(span);
    }

    /// The address behind the span.
    pub(crate) fn end(&self) -> usize {
        self.address() + self.span.get() * SEGMENT
    }

    /// The addresses of the span behind its header.
    pub(crate) fn behind_header(&self) -> Range<usize> {
        self.address() + HEADER..self.end()
    }

    /// Whether the memory of the span may hold something else than zeros.
    pub(crate) fn is_dirty(&self) -> bool {
        self.dirty.get() != 0
    }

    pub(crate) fn set_dirty(&self, is_dirty: bool) {
        self.dirty.set(if is_dirty { u64::MAX } else { 0 });
    }

    pub(crate) fn has_huge_pages(&self) -> bool {
        self.huge_pages.get()
    }

    pub(crate) fn has_reserved_pages(&self) -> bool {
        self.reserved.get()
    }

    pub(crate) fn set_reserved_pages(&self, has_reserved_pages: bool) {
        self.reserved.set(has_reserved_pages);
    }

    pub(crate) fn set_huge_pages(&self, has_huge_pages: bool) {
        self.huge_pages.set(has_huge_pages);
    }

    /// The list on which the segment is, if it is on one.
    pub(crate) fn list(&self) -> Option<usize> {
        let list = self.list.get();
        (list != NO_LIST).then_some(usize::from(list))
    }

    /// The list on which the segment belongs: that of its longest run of free slices. The first slice counts only if no
    /// other is free, since it is only for pages of one slice.
    pub(crate) fn fitting_list(&self) -> Option<usize> {
        let free = self.free.get();
        log_of_longest(free & !1).or_else(|| log_of_longest(free))
    }

    /// Puts the segment in front of `next` on a list.
    pub(crate) fn put_on(&self, list: usize, next: *const Segment) {
        self.list.set(list as u8);
        self.link(ptr::null(), next);
    }

    /// Takes the segment from its list. Returns the one that follows if this was the first.
    pub(crate) fn take_off(&self) -> Option<*const Segment> {
        self.list.set(NO_LIST);
        self.unlink()
    }

    /// Makes all slices free.
    pub(crate) fn begin(&self, heap: &Heap) {
        self.set_heap(heap);
        self.list.set(NO_LIST);
        self.free.set(u64::MAX);
        self.dense.set(0);
        (0..SLICES).for_each(|slice| self.forget_page(slice));
    }

    /// Makes a slice one of no page.
    pub(crate) fn forget_page(&self, slice: usize) {
        let page = self.page(slice);
        page.set_head(slice);
        page.end();
        self.kinds.0[slice].set(Kind::NONE);
    }

    /// Makes the slices those of one block, which is of no class.
    pub(crate) fn forget_classes(&self) {
        self.kinds.0.iter().for_each(|kind| kind.set(Kind::NONE));
    }

    /// Whether no slice is part of a page.
    pub(crate) fn is_unused(&self) -> bool {
        self.free.get() == u64::MAX
    }

    /// Number of free slices that may hold something else than zeros.
    pub(crate) fn dirty_slices(&self) -> usize {
        (self.free.get() & self.dirty.get()).count_ones() as usize
    }

    /// Where so many slices in a row fit best, if there are so many. The first slice of the segment, of which the
    /// header is a part, is only for pages of one slice that do not mind.
    pub(crate) fn best_fit(&'static self, count: usize, may_be_first: bool) -> Option<Fit> {
        let free = self.free.get() & if may_be_first && count == 1 { !0 } else { !1 };
        runs(free)
            .filter(|(_, length)| *length >= count)
            .map(|(first, length)| Fit {
                fresh: (mask(first, count) & !self.dirty.get()).count_ones(),
                length,
                address: self.address() + first * SLICE,
            })
            .min()
    }

    /// Takes so many slices where they fit.
    pub(crate) fn take(&'static self, fit: Fit, count: usize) -> Slices {
        self.take_at((fit.address - self.address()) / SLICE, count)
    }

    fn take_at(&'static self, first: usize, count: usize) -> Slices {
        let mask = mask(first, count);
        let dirty = self.dirty.get() & mask;
        self.free.set(self.free.get() & !mask);
        self.dirty.set(self.dirty.get() | mask);
        Slices {
            segment: self,
            first,
            count,
            dirty,
        }
    }

    /// Takes so many slices from this one on, if they are free.
    pub(crate) fn take_from(&'static self, first: usize, count: usize) -> Option<Slices> {
        let fits = first + count <= SLICES && self.free.get() & mask(first, count) == mask(first, count);
        fits.then(|| self.take_at(first, count))
    }

    /// Asks for huge pages for those parts of the segment most of whose memory is in use, now that a page has been made
    /// of these slices. What a program has touched of such a part is gathered: a heap grows block by block. Where each
    /// page may come from another node, it stays where it is.
    pub(crate) fn gather_if_dense(&self, taken: &Slices) {
        for part in 0..SLICES / HUGE_SLICES {
            let slices = mask(part * HUGE_SLICES, HUGE_SLICES);
            let used = !self.free.get() & slices;
            let may_be_dense = self.dense.get() >> part & 1 == 0 && used.count_ones() as usize >= DENSE;
            if !may_be_dense || self.bytes_in_use(used) < FILLED || !self.has_one_node() {
                continue;
            }
            self.dense.set(self.dense.get() | 1 << part);
            self.set_huge_pages(true);
            let start = self.address() + part * HUGE_PAGE;
            let untouched = used & !mask(taken.first, taken.count) == 0 && taken.dirty == 0;
            if untouched && part > 0 {
                arena::want_huge_pages(start, HUGE_PAGE);
            } else {
                arena::gather_in_huge_page(start);
            }
        }
    }

    /// Says that the system has been asked for huge pages for all of the segment.
    pub(crate) fn set_dense(&self) {
        self.dense.set(u8::MAX);
        self.set_huge_pages(true);
    }

    fn has_one_node(&self) -> bool {
        // SAFETY:
        // - the segment belongs to a heap, and heaps stay where they are.
        unsafe { (*self.heap()).source().has_one_node() }
    }

    /// The bytes of these slices, which are in use, that blocks have been made of.
    fn bytes_in_use(&self, slices: u64) -> usize {
        let of_slice = |slice: usize| {
            let start = self.address() + slice * SLICE;
            self.page_at(start).end_in_use().saturating_sub(start).min(SLICE)
        };
        let slices = (0..SLICES).filter(|slice| slices >> slice & 1 != 0);
        slices.map(of_slice).sum()
    }

    /// Asks anew for the huge pages of dense parts, after the memory has been mapped again.
    pub(crate) fn want_dense_again(&self) {
        let parts = (0..SLICES / HUGE_SLICES).filter(|part| self.dense.get() >> part & 1 != 0);
        parts.for_each(|part| arena::want_huge_pages(self.address() + part * HUGE_PAGE, HUGE_PAGE));
    }

    /// Makes these slices free.
    pub(crate) fn release(&self, first: usize, count: usize) {
        self.free.set(self.free.get() | mask(first, count));
    }

    /// The memory for blocks of these slices.
    pub(crate) fn extent(&self, first: usize, count: usize) -> Extent {
        Extent {
            start: self.address() + if first == 0 { HEADER } else { first * SLICE },
            end: self.address() + (first + count) * SLICE,
            slices: count,
        }
    }

    /// The same for blocks that need not begin at a page of memory: all behind the header.
    pub(crate) fn whole_extent(&self, first: usize, count: usize) -> Extent {
        let extent = self.extent(first, count);
        let start = if first == 0 {
            self.address() + size_of::<Segment>()
        } else {
            extent.start
        };
        Extent { start, ..extent }
    }

    /// Gives the memory of free slices back to the system.
    pub(crate) fn purge(&self) {
        for (first, count) in runs(self.free.get() & self.dirty.get()) {
            let extent = self.extent(first, count);
            // SAFETY:
            // - the slices are part of no page.
            if unsafe { arena::purge(extent.start, extent.end - extent.start) } {
                self.dirty.set(self.dirty.get() & !mask(first, count));
            }
        }
    }

    /// The memory of the free slices.
    pub(crate) fn free_extents(&self) -> impl Iterator<Item = Extent> {
        runs(self.free.get()).map(|(first, count)| self.extent(first, count))
    }

    /// The record of the page that begins with this slice.
    #[inline(always)]
    pub(crate) fn page(&self, slice: usize) -> &Page {
        &self.pages[slice & (SLICES - 1)]
    }

    /// The page to which the address belongs.
    #[inline(always)]
    pub(crate) fn page_at(&self, address: usize) -> &Page {
        self.page(self.page(address / SLICE).head())
    }
}

impl Linked for Segment {
    fn links(&self) -> &Links<Self> {
        &self.links
    }
}
