//! The buffers for packets that are too long for a slot, in the sender's segment.
//!
//! # Protocol
//!
//! Each buffer has a generation, which counts its uses. A [`Ticket`] is a buffer's index with the generation of one
//! use.
//!
//! | state of a buffer | visible by | who may access it |
//! |---|---|---|
//! | free | its bit in `free` is set | nobody |
//! | taken | the bit is clear | the thread of the sender that cleared it writes it |
//! | on its way | the ticket stands in a published slot of the receiver's ring | the receiver reads it |
//! | returned | its entry in [`Returns`] is its generation | nobody |
//!
//! * The sender takes a buffer by clearing its bit, writes it, and puts its ticket into the slot.
//! * The receiver reads the buffer. It may send it on, to any host, with data of its own. Who does not send it on
//!   returns it by storing the ticket's generation in `Returns`, with Release.
//! * The sender reclaims returned buffers: under a lock it compares the entries in `Returns` with its generations, with
//!   Acquire, increments the generations of those that are equal, and sets their bits. The next generation begins
//!   before the bit is set, so no buffer is freed twice.
//!
//! `free` and the generations are the sender's own, so a broken receiver can only return a buffer too early or never.
//!
//! # Which buffer
//!
//! A write to a line that another core has read lately waits for that core, line by line. A line that has left the
//! private caches meanwhile comes from the shared cache, which takes a third of the time. So packets use all places of
//! all buffers in turn, which are more than private caches hold. A packet that is shorter than half a buffer lies in
//! another place of it each time ([`BufferPlace`](super::buffer_place::BufferPlace)). A host that answers what it has
//! read does better with the buffer of that, which it [keeps](super::kept_buffers).
//!
//! The sender of a packet that is not very long prefetches the place of the next one for writing, while it has nothing
//! to do but wait for an answer ([`Pool::next`]).
//!
//! The sender reclaims when all buffers that are left in a lap are out, so once for several packets.
//!
//! Costs of a packet: a compare-and-swap of `free`, if the sender has several threads; the cache lines of the data go
//! to the receiver; the lines of `Returns` come to the sender once for several packets.

use super::place_use::PlaceUse;
use simurgh_core::sync::{AtomicU32, AtomicU64, Ordering, SpinLock, if_biased};

/// Bytes of a buffer, and so the most data of a packet over shared memory.
pub const ROOM: usize = 32 << 10;
/// Buffers of a host for packets over shared memory that are too long for a slot.
#[cfg(not(loom))]
pub const BUFFERS: usize = 64;
/// So few that the models use a buffer twice.
#[cfg(loom)]
pub(super) const BUFFERS: usize = 1;
/// All buffers.
const ALL: u64 = u64::MAX >> (64 - BUFFERS);

/// For each buffer, the generation that was returned last. Written by receivers.
#[repr(C, align(128))]
pub(super) struct Returns([AtomicU32; BUFFERS]);

/// One use of a buffer.
pub(super) type Ticket = PlaceUse<BUFFERS>;

/// The sender's knowledge of its buffers.
pub(super) struct Pool {
    /// A bit for each free buffer.
    free: AtomicU64,
    /// For each buffer, the generation of its current use, or of its next one if it is free. Changed under the lock,
    /// while the buffer is not free.
    generations: [AtomicU32; BUFFERS],
    /// Where the search for a buffer for the next packet begins.
    next: AtomicU32,
    reclaiming: SpinLock<()>,
}

impl Returns {
    /// Receiver: returns a buffer that it has read.
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
            next: AtomicU32::new(0),
            reclaiming: SpinLock::new(()),
        }
    }
}

impl Pool {
    /// Takes a free buffer, if there is one.
    #[inline]
    pub(super) fn take(&self, returns: &Returns) -> Option<Ticket> {
        let preferred = self.rest_of_lap();
        let mut free = self.free.load(Ordering::Relaxed);
        if free & preferred == 0 {
            self.reclaim(returns);
            free = self.free.load(Ordering::Relaxed);
        }
        while free != 0 {
            let index = first(free, preferred);
            let rest = free & !(1 << index);
            let plain = || {
                // No other thread can have changed it. A locked instruction would wait until all stores are done.
                self.free.store(rest, Ordering::Relaxed);
                Ok(free)
            };
            let locked = || {
                // Acquire pairs with the Release in `reclaim`: the buffer's last reader is done, and its
                // generation is written.
                self.free
                    .compare_exchange_weak(free, rest, Ordering::Acquire, Ordering::Relaxed)
            };
            match if_biased(plain, locked) {
                Ok(_) => {
                    // Relaxed: a hint.
                    self.next.store(index + 1, Ordering::Relaxed);
                    // Relaxed: ordered by the swap.
                    let generation = self.generations[index as usize].load(Ordering::Relaxed);
                    return Some(Ticket { index, generation });
                }
                Err(now) => free = now,
            }
        }
        None
    }

    /// The buffer that the next packet is going to get, if it is free by now: a hint.
    #[inline]
    pub(super) fn next(&self) -> Option<Ticket> {
        // Relaxed: a hint.
        let free = self.free.load(Ordering::Relaxed) & self.rest_of_lap();
        let index = (free != 0).then(|| free.trailing_zeros())?;
        // Relaxed: a hint.
        let generation = self.generations[index as usize].load(Ordering::Relaxed);
        Some(Ticket { index, generation })
    }

    /// The buffers whose turn comes in this lap.
    fn rest_of_lap(&self) -> u64 {
        // Relaxed: a hint.
        let next = self.next.load(Ordering::Relaxed);
        u64::MAX.checked_shl(next).unwrap_or(0)
    }

    /// Frees the buffers that have been returned.
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

/// The index of the first free buffer that is preferred, or else of any.
#[inline]
fn first(free: u64, preferred: u64) -> u32 {
    match free & preferred {
        0 => free.trailing_zeros(),
        some => some.trailing_zeros(),
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
    use super::super::buffer_place::BufferPlace;
    use super::*;

    #[test]
    fn packets_go_round_all_places_of_all_buffers() {
        let (pool, returns) = (Pool::default(), Returns::default());
        for length in [1000, 5000, ROOM / 2, ROOM] {
            let spacing = length.next_power_of_two();
            let places = BUFFERS * (ROOM / spacing);
            let mut seen = std::collections::HashSet::new();
            for _ in 0..places {
                let next = pool.next();
                let ticket = pool.take(&returns).expect("nothing else is out");
                assert!(next.is_none_or(|next| next == ticket));
                seen.insert((ticket.index(), BufferPlace::new(0, ticket, length).begin()));
                returns.give_back(ticket);
            }
            assert_eq!(seen.len(), places, "{length}");
        }
    }

    #[test]
    fn all_can_be_out_and_come_back_once() {
        let (pool, returns) = (Pool::default(), Returns::default());
        for _ in 0..5 {
            let tickets: Vec<_> = std::iter::from_fn(|| pool.take(&returns)).collect();
            assert_eq!(tickets.len(), BUFFERS);
            tickets.iter().for_each(|ticket| returns.give_back(*ticket));
        }
    }
}
