//! Statistics of the heaps of a rank: what is in use, and what is held for it.
//!
//! Nothing is counted when a block comes from a magazine or goes there. The pages with free blocks count those that
//! are in use or in magazines, and the heap counts those in full pages when a page becomes full, or ceases to be. The
//! blocks in magazines follow from the room that these have.

use std::array;

use crate::page::Page;
use crate::segment::SLICE;
use crate::size_class::{ALL_CLASSES, CLASSES, plain, size_of_class};
use crate::{Heap, RankHeaps, context, list_of_pages};

/// Some blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    /// Their number.
    pub count: u64,
    /// The bytes that they take: their number times the size of their class, or whole slices of 64 KiB for long ones.
    pub bytes: u64,
}

impl Blocks {
    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.bytes += other.bytes;
    }
}

/// The use of memory by a rank, as far as its heaps can tell at once.
///
/// Blocks that another rank or thread has freed count as in use until their heap takes them back, which it does when it
/// needs blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// Blocks in use, by size class: see [`Statistics::sizes`]. Without the first few of each class, which lie
    /// together.
    pub classes: [Blocks; CLASSES],
    /// The first few blocks of all classes.
    pub first: Blocks,
    /// Blocks that are longer than those of classes.
    pub long: Blocks,
    /// Bytes of memory in pages: what blocks in use take, and what is free between them.
    pub held: u64,
    /// The most bytes that have been in pages; the sum for all heaps, whose peaks may have been at different times.
    pub most_held: u64,
    /// Bytes in no page that have not been given back to the system.
    pub spare: u64,
    /// The number of heaps that these numbers are of: one for each context that has allocated at the same time.
    pub heaps: usize,
    /// The number of heaps that other threads of the rank use at the moment, which are left out.
    pub left_out: usize,
}

impl Default for Statistics {
    fn default() -> Self {
        Self {
            classes: [Blocks::default(); CLASSES],
            first: Blocks::default(),
            long: Blocks::default(),
            held: 0,
            most_held: 0,
            spare: 0,
            heaps: 0,
            left_out: 0,
        }
    }
}

impl Statistics {
    /// The largest size of the blocks of each class.
    #[must_use]
    pub fn sizes() -> [usize; CLASSES] {
        array::from_fn(size_of_class)
    }

    /// All blocks in use.
    #[must_use]
    pub fn in_use(&self) -> Blocks {
        let mut all = self.first;
        all.add(self.long);
        self.classes.iter().for_each(|class| all.add(*class));
        all
    }

    /// The share of the bytes in pages that no block in use takes, from 0 to 1.
    #[must_use]
    pub fn fragmentation(&self) -> f64 {
        let free = self.held.saturating_sub(self.in_use().bytes);
        free as f64 / self.held.max(1) as f64
    }

    fn add(&mut self, heap: &Heap, in_classes: &mut [i64; CLASSES]) {
        for class in 0..ALL_CLASSES {
            in_classes[plain(class)] += heap.blocks_of(class);
        }
        self.first.add(heap.first_blocks());
        self.long.add(heap.long.get());
        self.held += (heap.live.get() * SLICE) as u64;
        self.most_held += (heap.most_live.get() * SLICE) as u64;
        self.spare += (heap.dirty.get() * SLICE) as u64;
        self.heaps += 1;
    }
}

impl Heap {
    /// The number of blocks of a class in pages of the heap that are in use, without those that the heap keeps: these
    /// may be more, since some are blocks of other heaps.
    fn blocks_of(&self, class: usize) -> i64 {
        let on_list: i64 = list_of_pages(self.pages[class].get())
            .map(|page| i64::from(page.used()))
            .sum();
        on_list + i64::from(self.in_full[class].get()) - i64::from(self.kept(class))
    }

    fn first_blocks(&self) -> Blocks {
        // SAFETY:
        // - null, or a page of this heap, which stays mapped.
        let page = unsafe { self.mixed.get().as_ref() };
        page.map_or(Blocks::default(), |page| Blocks {
            count: u64::from(page.used()),
            bytes: page.taken() as u64,
        })
    }

    /// Counts the blocks of a page that has become full.
    pub(crate) fn count_full(&self, page: &Page) {
        let count = &self.in_full[page.class()];
        count.set(count.get() + page.used());
    }

    /// Takes that back for a page of which a block is about to be freed.
    pub(crate) fn count_no_longer_full(&self, page: &Page) {
        let count = &self.in_full[page.class()];
        count.set(count.get() - page.used());
    }

    /// Counts a long block whose size has changed: from none, to none, or between two.
    pub(crate) fn count_long(&self, before: usize, now: usize) {
        let Blocks { count, bytes } = self.long.get();
        self.long.set(Blocks {
            count: count + u64::from(before == 0) - u64::from(now == 0),
            bytes: bytes + now as u64 - before as u64,
        });
    }

    /// Counts slices that are in pages from now on. What was free of them is no longer counted as such.
    pub(crate) fn add_live(&self, slices: usize) {
        self.note_need();
        let live = self.live.get() + slices;
        self.live.set(live);
        self.most_live.set(self.most_live.get().max(live));
    }
}

impl RankHeaps {
    /// The statistics of the calling context's rank; `None` if it belongs to none.
    #[must_use]
    pub fn statistics_of_caller() -> Option<Statistics> {
        // SAFETY:
        // - null, or the heaps of the context's rank, which are valid for ever.
        let heaps = unsafe { context::heaps().as_ref() }?;
        let mut statistics = Statistics::default();
        let mut in_classes = [0; CLASSES];
        for heap in heaps.all() {
            let mut add = |heap: &Heap| statistics.add(heap, &mut in_classes);
            let is_own = std::ptr::eq(heap, context::heap());
            if is_own {
                add(heap);
            } else if !heap.while_unused(add) {
                statistics.left_out += 1;
            }
        }
        // Less than none only if heaps are left out whose blocks others keep.
        statistics.classes = array::from_fn(|class| {
            let count = u64::try_from(in_classes[class]).unwrap_or(0);
            let bytes = count * size_of_class(class) as u64;
            Blocks { count, bytes }
        });
        Some(statistics)
    }
}
