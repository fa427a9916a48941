//! Counters of chunks, by which two hosts share out a transfer.
//!
//! # Protocol
//!
//! The counters lie in the segment of their owner, who is the receiver of the transfer. A counter is one word: its
//! generation, which counts its uses, and the number of the chunk that is due.
//!
//! * The owner opens a counter: it clears the counter's bit in `free`, and sets the chunk that is due to 0.
//! * Both hosts take chunks: each increments the word, unless the generation is another one or all chunks are taken.
//! * The owner closes the counter: it begins the next generation, so that a host that comes late takes nothing, and
//!   sets the bit.
//!
//! `free` is the owner's own. A broken peer can take chunks and not copy them, and no more.
//!
//! Costs: a compare-and-swap for each chunk, on a cache line that the two hosts share.

use super::place_use::PlaceUse;
use crossbeam_utils::CachePadded;
use simurgh_core::sync::{AtomicU32, AtomicU64, Ordering};

/// Counters of a host.
#[cfg(not(loom))]
const COUNTERS: usize = 16;
/// So few that the models use a counter twice.
#[cfg(loom)]
const COUNTERS: usize = 1;
/// All of them.
const ALL: u32 = u32::MAX >> (32 - COUNTERS);

/// The counters of a host, which others change, too.
#[repr(C)]
pub(super) struct ChunkCounters([CachePadded<AtomicU64>; COUNTERS]);

/// Which counters are free, as their owner knows.
pub(super) struct FreeCounters(AtomicU32);

/// One use of a counter.
pub(super) type CounterUse = PlaceUse<COUNTERS>;

impl ChunkCounters {
    /// Takes the next of the chunks below `end`, if one is left.
    pub(super) fn take(&self, counter: CounterUse, end: u32) -> Option<u32> {
        let word = &self.0[counter.index()];
        // Relaxed: chunks are taken, nothing is read that another host has written before. The packets that begin and
        // end the transfer order everything else.
        let mut found = word.load(Ordering::Relaxed);
        loop {
            let (generation, due) = unpack(found);
            if generation != counter.generation || due >= end {
                return None;
            }
            match word.compare_exchange_weak(found, found + 1, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(due),
                Err(now) => found = now,
            }
        }
    }
}

impl FreeCounters {
    /// Opens a free counter of these, if there is one.
    pub(super) fn open(&self, counters: &ChunkCounters) -> Option<CounterUse> {
        let mut free = self.0.load(Ordering::Relaxed);
        while free != 0 {
            let index = free.trailing_zeros();
            // Acquire pairs with the Release in `close`: the generation has begun.
            match self.0.compare_exchange_weak(
                free,
                free & !(1 << index),
                Ordering::Acquire,
                Ordering::Relaxed,
            ) {
                Ok(_) => {
                    let (generation, _) = unpack(counters.0[index as usize].load(Ordering::Relaxed));
                    return Some(CounterUse { index, generation });
                }
                Err(now) => free = now,
            }
        }
        None
    }

    /// Closes a counter of these.
    pub(super) fn close(&self, counters: &ChunkCounters, counter: CounterUse) {
        let next = pack(counter.generation.wrapping_add(1), 0);
        counters.0[counter.index()].store(next, Ordering::Relaxed);
        // Release pairs with the Acquire in `open`.
        self.0.fetch_or(1 << counter.index, Ordering::Release);
    }
}

impl Default for FreeCounters {
    fn default() -> Self {
        Self(AtomicU32::new(ALL))
    }
}

fn pack(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn unpack(word: u64) -> (u32, u32) {
    ((word >> 32) as u32, word as u32)
}

#[cfg(test)]
impl Default for ChunkCounters {
    fn default() -> Self {
        Self(std::array::from_fn(|_| CachePadded::new(AtomicU64::new(0))))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_chunk_is_taken_once_and_none_after_the_end() {
        let (counters, free) = (ChunkCounters::default(), FreeCounters::default());
        let first = free.open(&counters).expect("all are free");
        let taken: Vec<_> = std::iter::from_fn(|| counters.take(first, 3)).collect();
        assert_eq!(taken, [0, 1, 2]);
        free.close(&counters, first);
        let second = free.open(&counters).expect("all are free");
        assert_eq!(counters.take(first, 3), None, "its use is over");
        assert_eq!(counters.take(second, 1), Some(0));
    }

    #[test]
    fn all_can_be_open_at_once_and_no_more() {
        let (counters, free) = (ChunkCounters::default(), FreeCounters::default());
        let open: Vec<_> = std::iter::from_fn(|| free.open(&counters)).collect();
        assert_eq!(open.len(), COUNTERS);
        open.iter().for_each(|counter| free.close(&counters, *counter));
        assert!(free.open(&counters).is_some());
    }

    #[test]
    fn a_counter_that_is_not_there_is_none() {
        let counter = CounterUse {
            index: 3,
            generation: 7,
        };
        assert_eq!(CounterUse::unpack(counter.pack()), Some(counter));
        assert_eq!(CounterUse::unpack(COUNTERS as u64), None);
        assert_eq!(CounterUse::unpack(u64::MAX), None);
    }
}
