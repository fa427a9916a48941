//! Numbers that many threads take and give back: those of send buffers, transfers and flush markers.
//!
//! A bit for each number, 64 to a cache line. To take or to give a number moves one line, and is one locked
//! instruction. Threads begin their search at different lines, and each takes the lowest number of a line, so that few
//! numbers are in use where few are needed.

use crossbeam_utils::CachePadded;
use simurgh_core::sync::{AtomicU64, Ordering};

/// Numbers in a cache line.
const LINE: u32 = u64::BITS;

/// A set of numbers.
pub(super) struct Slots {
    /// A bit is set for each number that is free.
    lines: Box<[CachePadded<AtomicU64>]>,
}

impl Slots {
    /// The numbers below `count`.
    pub(super) fn new(count: u32) -> Self {
        let line = |line: u32| {
            let bits = (count - line * LINE).min(LINE);
            CachePadded::new(AtomicU64::new(u64::MAX >> (LINE - bits)))
        };
        Self {
            lines: (0..count.div_ceil(LINE)).map(line).collect(),
        }
    }

    /// Takes a number, if one is free.
    #[inline]
    pub(super) fn take(&self) -> Option<u32> {
        let count = self.lines.len();
        let first = thread_hint() % count;
        (0..count).find_map(|step| {
            let line = (first + step) % count;
            let bit = take_bit(&self.lines[line])?;
            Some(line as u32 * LINE + bit)
        })
    }

    /// Gives a number back.
    #[inline]
    pub(super) fn give(&self, number: u32) {
        // Release pairs with the Acquire in `take_bit`: the last user of the number is done.
        self.lines[(number / LINE) as usize].fetch_or(1 << (number % LINE), Ordering::Release);
    }
}

/// Takes the lowest bit that is set.
#[inline]
fn take_bit(line: &AtomicU64) -> Option<u32> {
    // Relaxed: the exchange below decides.
    let mut bits = line.load(Ordering::Relaxed);
    while bits != 0 {
        let less = bits & (bits - 1);
        // Acquire pairs with the Release in `give`.
        match line.compare_exchange_weak(bits, less, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => return Some(bits.trailing_zeros()),
            Err(now) => bits = now,
        }
    }
    None
}

/// A number that differs between most threads and contexts: where their stack lies.
#[inline]
fn thread_hint() -> usize {
    let here = 0u8;
    (&raw const here).addr() >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_taken_once() {
        for count in [1, 63, 64, 65, 200] {
            let slots = Slots::new(count);
            let mut taken: Vec<u32> = std::iter::from_fn(|| slots.take()).collect();
            taken.sort_unstable();
            assert!(taken.iter().copied().eq(0..count));
            slots.give(count / 2);
            assert_eq!((slots.take(), slots.take()), (Some(count / 2), None));
        }
    }

    #[test]
    fn threads_never_hold_the_same_number() {
        let slots = Slots::new(100);
        let held: Vec<AtomicU64> = (0..100).map(|_| AtomicU64::new(0)).collect();
        let work = || {
            for _ in 0..20_000 {
                let Some(number) = slots.take() else { continue };
                let holders = &held[number as usize];
                assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                holders.fetch_sub(1, Ordering::SeqCst);
                slots.give(number);
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
        assert_eq!(std::iter::from_fn(|| slots.take()).count(), 100);
    }
}
