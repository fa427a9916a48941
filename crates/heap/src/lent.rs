//! Slices of a segment that the heaps of several ranks take.
//!
//! Each slice is free, or some heap's. A heap takes some by clearing their bits in one step, and gives them back by
//! setting them: no lock, since a rank may be suspended anywhere.

#[cfg(loom)]
use loom::sync::atomic::{AtomicU8, AtomicU64, Ordering};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use crate::runs::{find_run, mask, runs};

/// The slices, as bits. Zeros are those of a segment that lends none.
#[repr(C, align(64))]
pub(crate) struct LentSlices {
    /// Those that are nobody's.
    free: AtomicU64,
    /// Those that may hold something else than zeros.
    dirty: AtomicU64,
    /// The parts of the segment that have been found dense.
    dense: AtomicU8,
}

impl LentSlices {
    /// Makes these slices free. Nobody else knows of the segment yet.
    pub(crate) fn begin(&self, slices: u64) {
        self.free.store(slices, Ordering::Relaxed);
    }

    /// Takes so many slices in a row, if there are: the first of them. Also returns which of them may hold something
    /// else than zeros.
    pub(crate) fn take(&self, count: usize) -> Option<(usize, u64)> {
        let mut free = self.free.load(Ordering::Relaxed);
        loop {
            let first = find_run(free, count)?;
            match self.try_take(free, mask(first, count)) {
                Ok(dirty) => return Some((first, dirty)),
                Err(now) => free = now,
            }
        }
    }

    /// Takes all of these slices, if they are free. Returns which of them may hold something else than zeros.
    pub(crate) fn take_these(&self, slices: u64) -> Option<u64> {
        let mut free = self.free.load(Ordering::Relaxed);
        while free & slices == slices {
            match self.try_take(free, slices) {
                Ok(dirty) => return Some(dirty),
                Err(now) => free = now,
            }
        }
        None
    }

    fn try_take(&self, free: u64, wanted: u64) -> Result<u64, u64> {
        // Acquire pairs with the Release in `give`: what others have done to the slices is over.
        self.free
            .compare_exchange_weak(free, free & !wanted, Ordering::Acquire, Ordering::Relaxed)?;
        // Relaxed: whoever has a slice is the only one to change its bit.
        Ok(self.dirty.fetch_or(wanted, Ordering::Relaxed) & wanted)
    }

    /// Makes slices free that are the caller's.
    pub(crate) fn give(&self, slices: u64) {
        self.free.fetch_or(slices, Ordering::Release);
    }

    /// Whether at least so many of these slices, which are a part of the segment, are somebody's, for the first time.
    pub(crate) fn becomes_dense(&self, part: usize, slices: u64, least: usize) -> bool {
        let taken = !self.free.load(Ordering::Relaxed) & slices;
        taken.count_ones() as usize >= least
            && self.dense.fetch_or(1 << part, Ordering::Relaxed) >> part & 1 == 0
    }

    /// The number of free slices that may hold something else than zeros.
    pub(crate) fn dirty_slices(&self) -> usize {
        // Relaxed: they may change at any time.
        (self.free.load(Ordering::Relaxed) & self.dirty.load(Ordering::Relaxed)).count_ones() as usize
    }

    /// Has the memory of free slices given back: calls `purge` with the first one and the number of each run of them,
    /// which are the caller's meanwhile. It says whether they are zero then. Returns the number of those that are.
    pub(crate) fn purge(&self, mut purge: impl FnMut(usize, usize) -> bool) -> usize {
        // Relaxed: slices that are free and dirty are looked at again when they are taken.
        let wanted = self.free.load(Ordering::Relaxed) & self.dirty.load(Ordering::Relaxed);
        let mut purged = 0;
        for (first, count) in runs(wanted) {
            let slices = mask(first, count);
            if self.take_these(slices).is_none() {
                continue;
            }
            if purge(first, count) {
                self.dirty.fetch_and(!slices, Ordering::Relaxed);
                purged += count;
            }
            self.give(slices);
        }
        purged
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    struct Lent {
        slices: LentSlices,
        /// What each slice holds.
        memory: [UnsafeCell<u32>; 3],
    }

    impl Lent {
        fn new() -> Self {
            let slices = LentSlices {
                free: AtomicU64::new(0b111),
                dirty: AtomicU64::new(0),
                dense: AtomicU8::new(0),
            };
            let memory = [(); 3].map(|()| UnsafeCell::new(0));
            Self { slices, memory }
        }

        /// Uses slices for a moment, which are zero unless they are said to be dirty.
        fn use_some(&self, count: usize) {
            let Some((first, dirty)) = self.slices.take(count) else {
                return;
            };
            for slice in first..first + count {
                self.memory[slice].with_mut(|memory| {
                    // SAFETY:
                    // - loom checks that nobody else is there.
                    let memory = unsafe { &mut *memory };
                    assert!(*memory == 0 || dirty >> slice & 1 != 0);
                    *memory = 7;
                });
            }
            self.slices.give(mask(first, count));
        }

        fn purge(&self) {
            self.slices.purge(|first, count| {
                let run = &self.memory[first..first + count];
                // SAFETY:
                // - as above.
                run.iter()
                    .for_each(|memory| memory.with_mut(|memory| unsafe { *memory = 0 }));
                true
            });
        }
    }

    #[test]
    fn slices_are_one_heap_s_at_a_time_and_zero_unless_dirty() {
        loom::model(|| {
            let lent = Arc::new(Lent::new());
            let other = Arc::clone(&lent);
            let thread = thread::spawn(move || {
                other.use_some(2);
                other.purge();
            });
            lent.use_some(1);
            lent.use_some(2);
            thread.join().unwrap();
            lent.use_some(3);
            assert_eq!(lent.slices.free.load(Ordering::Relaxed), 0b111);
        });
    }
}
