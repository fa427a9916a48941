//! Buffers for packets that are too long for a slot, in the sender's segment.
//!
//! The sender takes a buffer and names it in the slot; the receiver reads it there and returns it by writing its
//! generation to a line that receivers alone write. Which buffers are free is the sender's knowledge, one word; it
//! looks for returned ones when the first few are out, so that few packets at a time go through the same few buffers.
//!
//! Costs of a packet: a compare-and-swap of the sender's word, if it has several threads; the lines of the data go to
//! the receiver; the line of the generations comes to the sender once for several packets.

use simurgh_core::sync::{AtomicU32, AtomicU64, Ordering, SpinLock, if_biased};

/// Bytes of a buffer, and so the most data of a packet over shared memory.
pub const ROOM: usize = 32 << 10;
/// Buffers of a host for packets over shared memory that are too long for a slot.
#[cfg(not(loom))]
pub const BUFFERS: usize = 64;
/// So few that a model uses one twice.
#[cfg(loom)]
pub(super) const BUFFERS: usize = 1;
/// Buffers that are used as long as they suffice: so many that it is not felt when they are looked for again.
const PREFERRED: u64 = 0xff;
/// All buffers.
const ALL: u64 = u64::MAX >> (64 - BUFFERS);

/// Of each buffer, the generation that was returned last. Written by receivers.
#[repr(C, align(128))]
pub(super) struct Returns([AtomicU32; BUFFERS]);

/// A buffer on its way: which, and its how manieth use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticket {
    index: u32,
    generation: u32,
}

/// Which buffers its owner may write.
pub(super) struct Pool {
    free: AtomicU64,
    /// Of each buffer, the generation that is or will be on its way. Changed under the lock, while it is not free.
    generations: [AtomicU32; BUFFERS],
    reclaiming: SpinLock<()>,
}

impl Ticket {
    /// As one word, for a slot.
    pub(super) fn pack(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.index)
    }

    /// From another process's word, if there is such a buffer.
    pub(super) fn unpack(word: u64) -> Option<Self> {
        let (index, generation) = (word as u32, (word >> 32) as u32);
        ((index as usize) < BUFFERS).then_some(Self { index, generation })
    }

    /// Which buffer.
    pub(super) fn index(self) -> usize {
        self.index as usize
    }
}

impl Returns {
    /// Receiver: the buffer has been read.
    #[inline]
    pub(super) fn give_back(&self, ticket: Ticket) {
        // Release pairs with the Acquire in `reclaim`.
        self.0[ticket.index()].store(ticket.generation, Ordering::Release);
    }
}

impl Default for Pool {
    fn default() -> Self {
        Self {
            free: AtomicU64::new(ALL),
            generations: std::array::from_fn(|_| AtomicU32::new(1)),
            reclaiming: SpinLock::new(()),
        }
    }
}

impl Pool {
    /// A free buffer, if there is one.
    #[inline]
    pub(super) fn take(&self, returns: &Returns) -> Option<Ticket> {
        let mut free = self.free.load(Ordering::Relaxed);
        if free & PREFERRED == 0 {
            self.reclaim(returns);
            free = self.free.load(Ordering::Relaxed);
        }
        while free != 0 {
            let index = free.trailing_zeros();
            let rest = free & !(1 << index);
            let plain = || {
                // Nothing has come between. A locked instruction would wait for all that has been written.
                self.free.store(rest, Ordering::Relaxed);
                Ok(free)
            };
            let locked = || {
                // Acquire pairs with the Release in `reclaim` and `put`: its reader, and its generation.
                self.free
                    .compare_exchange_weak(free, rest, Ordering::Acquire, Ordering::Relaxed)
            };
            match if_biased(plain, locked) {
                Ok(_) => {
                    // Relaxed: ordered by the swap.
                    let generation = self.generations[index as usize].load(Ordering::Relaxed);
                    return Some(Ticket { index, generation });
                }
                Err(now) => free = now,
            }
        }
        None
    }

    /// Puts back a buffer that was not used.
    pub(super) fn put(&self, ticket: Ticket) {
        // Release pairs with the Acquire in `take`.
        self.free.fetch_or(1 << ticket.index, Ordering::Release);
    }

    /// Looks for buffers that have been returned. The next generation begins before a buffer is free, so that none is
    /// freed twice.
    fn reclaim(&self, returns: &Returns) {
        let Some(_reclaiming) = self.reclaiming.try_lock() else {
            return;
        };
        let out = ALL & !self.free.load(Ordering::Relaxed);
        let mut found = 0;
        for index in (0..BUFFERS).filter(|index| out & (1 << index) != 0) {
            // Acquire pairs with the Release in `give_back`.
            let returned = returns.0[index].load(Ordering::Acquire);
            // Relaxed: ordered by the lock, and for takers by `free`.
            if returned == self.generations[index].load(Ordering::Relaxed) {
                self.generations[index].store(returned.wrapping_add(1), Ordering::Relaxed);
                found |= 1 << index;
            }
        }
        // Release pairs with the Acquire in `take`.
        self.free.fetch_or(found, Ordering::Release);
    }
}

#[cfg(test)]
impl Default for Returns {
    fn default() -> Self {
        Self(std::array::from_fn(|_| AtomicU32::new(0)))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn few_at_a_time_use_few_buffers() {
        let (pool, returns) = (Pool::default(), Returns::default());
        for _ in 0..1000 {
            let ticket = pool.take(&returns).expect("nothing else is out");
            assert!(ticket.index() < PREFERRED.count_ones() as usize);
            returns.give_back(ticket);
        }
    }

    #[test]
    fn all_can_be_out_and_come_back_once() {
        let (pool, returns) = (Pool::default(), Returns::default());
        for _ in 0..3 {
            let tickets: Vec<_> = std::iter::from_fn(|| pool.take(&returns)).collect();
            assert_eq!(tickets.len(), BUFFERS);
            tickets.iter().for_each(|ticket| returns.give_back(*ticket));
        }
        let ticket = pool.take(&returns).expect("all are back");
        pool.put(ticket);
        assert_eq!(pool.take(&returns), Some(ticket));
    }

    #[test]
    fn a_buffer_that_is_not_there_is_none() {
        let ticket = Ticket {
            index: 5,
            generation: 9,
        };
        assert_eq!(Ticket::unpack(ticket.pack()), Some(ticket));
        assert_eq!(Ticket::unpack(BUFFERS as u64), None);
        assert_eq!(Ticket::unpack(u64::MAX), None);
    }
}
