//! Sampling: blocks that stand for others, with the place in the program that has allocated them.
//!
//! Nothing is done where a block comes from a magazine. When a magazine is empty, and is filled from a page, the bytes
//! of these blocks count towards the next sample; so do those of each long block. When as many bytes have been handed
//! out as the distance to the next sample, the block that is just being allocated is it. It represents all that has
//! been handed out since the last one. The distances are random, so that no rhythm of the program falls in with them.
//! What comes from a magazine into which the program has freed it is not seen.
//!
//! A sampled block is a page by itself, whose flag leads `free` away from its fast path.

use std::cell::Cell;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::page::{Block, Page, SAMPLED, SAMPLED_BLOCKS, SAMPLED_BYTES};
use crate::segment::Segment;
use crate::sites::{self, DEPTH, Sampled, Site};
use crate::{Heap, context};

/// The mean distance of samples in bytes; 0 if there are none.
static PERIOD: AtomicUsize = AtomicUsize::new(0);

/// A function that writes the stack of its caller, as return addresses, the innermost one first. It gives their number.
pub type Unwinder = fn(&mut [usize]) -> usize;

static UNWINDER: OnceLock<Unwinder> = OnceLock::new();

/// Begins to sample the blocks of all ranks: one of so many bytes on average. It is called before ranks have heaps.
/// Returns false if there is no memory for that.
///
/// The function is called within `malloc` and its relatives, and may not call those of the heap.
pub fn sample(period: usize, unwinder: Unwinder) -> bool {
    let is_possible = period > 0 && sites::begin();
    if is_possible {
        let _ = UNWINDER.set(unwinder);
        // Relaxed: the ranks are started later, which passes it on.
        PERIOD.store(period, Ordering::Relaxed);
    }
    is_possible
}

/// Whether blocks are sampled.
pub(crate) fn is_on() -> bool {
    PERIOD.load(Ordering::Relaxed) != 0
}

/// What a heap knows of its samples. Zeros are one that has not begun.
#[derive(Debug)]
pub(crate) struct Sampler {
    /// Bytes until the next sample.
    left: Cell<i64>,
    /// Bytes from the last one to the next.
    distance: Cell<i64>,
    /// The state of the random numbers; 0 before the first.
    random: Cell<u64>,
    /// Whether a sample is being taken. A handler of a signal may run meanwhile, and allocate.
    is_busy: Cell<bool>,
}

impl Sampler {
    /// Counts bytes that have been handed out. Returns whether [`Sampler::weight`] is to be asked.
    #[inline]
    fn count(&self, bytes: usize) -> bool {
        let left = self.left.get() - bytes as i64;
        self.left.set(left);
        left < 0
    }

    /// The bytes that a sample represents, if one is due now, when so many bytes are being handed out.
    #[cold]
    fn weight(&self, bytes: usize) -> Option<u64> {
        let period = PERIOD.load(Ordering::Relaxed);
        if period == 0 {
            // Never again.
            self.left.set(i64::MAX);
            return None;
        }
        if self.random.get() == 0 {
            self.random.set(ptr::from_ref(self).addr() as u64 | 1);
            let distance = self.draw(period);
            self.distance.set(distance);
            self.left.set(self.left.get() + distance);
        }
        if bytes >= period {
            // It represents itself alone.
            self.left.set(self.left.get() + bytes as i64);
            return Some(bytes as u64);
        }
        if self.left.get() >= 0 {
            return None;
        }
        let weight = self.distance.get() - self.left.get();
        let distance = self.draw(period);
        self.distance.set(distance);
        self.left.set(distance);
        Some(weight as u64)
    }

    /// A random distance: as if each byte had the same chance.
    fn draw(&self, period: usize) -> i64 {
        let mut state = self.random.get();
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        self.random.set(state);
        // From above 0 to 1.
        let even = ((state >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        (-even.ln() * period as f64) as i64 + 1
    }
}

impl Heap {
    /// A block of a size class, of so many bytes, that is a sample, if one is due when a page hands out so many bytes;
    /// null if not.
    #[inline]
    pub(crate) fn sampled(&self, class: usize, size: usize, handed_out: usize) -> *mut Block {
        match self.sampler.count(handed_out) {
            true => self.take_sample(class, size, handed_out),
            false => ptr::null_mut(),
        }
    }

    #[cold]
    #[inline(never)]
    fn take_sample(&self, class: usize, size: usize, handed_out: usize) -> *mut Block {
        let Some(weight) = self.sampler.weight(handed_out) else {
            return ptr::null_mut();
        };
        if self.sampler.is_busy.get() {
            return ptr::null_mut();
        }
        let block = self.allocate_apart(class, size);
        if !block.is_null() {
            self.note(block.addr(), size, weight);
        }
        block.cast()
    }

    /// Makes a long block a sample, if one is due.
    #[inline]
    pub(crate) fn sample_long(&self, block: *mut u8, size: usize) {
        if !block.is_null()
            && self.sampler.count(size)
            && let Some(weight) = self.sampler.weight(size)
        {
            self.note(block.addr(), size, weight);
        }
    }

    #[cold]
    #[inline(never)]
    fn note(&self, block: usize, size: usize, bytes: u64) {
        if self.sampler.is_busy.replace(true) {
            return;
        }
        let mut addresses = [0; DEPTH];
        let depth = UNWINDER.get().map_or(0, |unwind| unwind(&mut addresses));
        // SAFETY:
        // - null, or the heaps of the context's rank, which are valid for ever.
        let rank = unsafe { context::heaps().as_ref() }.map_or(0, |heaps| heaps.rank);
        let site = sites::find(rank, &addresses[..depth.min(DEPTH)]);
        let blocks = (bytes / size.max(1) as u64).max(1);
        let sampled = Sampled {
            bytes: bytes.min(SAMPLED_BYTES),
            blocks: blocks.min(SAMPLED_BLOCKS),
        };
        site.allocated(sampled);
        // SAFETY:
        // - the block is one of this heap.
        let page = unsafe { Segment::of_block(block) }.page_at(block);
        page.set_sample(site.0, sampled.bytes, sampled.blocks);
        self.sampler.is_busy.set(false);
    }
}

/// Notes that the sample that is this page has been freed.
#[cold]
#[inline(never)]
pub(crate) fn end(page: &Page) {
    let (site, bytes, blocks) = page.sample();
    Site(site).freed(Sampled { bytes, blocks });
    page.set_flags(page.flags() & !SAMPLED);
}
