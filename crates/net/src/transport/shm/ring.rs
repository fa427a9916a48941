//! The queue of packets to a host: a bounded ring in the receiver's segment, with many senders and one receiver.
//!
//! # Protocol
//!
//! Packets are numbered from 0. Packet n lies in slot n modulo [`SLOTS`]. `tail` is the number of packets claimed,
//! `head` the number of packets that the receiver has handled, as far as it has told.
//!
//! A slot goes through these states, once for each packet n that it holds:
//!
//! | state | visible by | who may access it |
//! |---|---|---|
//! | free for n | `n - head < SLOTS`, `tail <= n` | nobody |
//! | claimed for n | `tail > n` | the sender that moved `tail` from n to n + 1 writes it |
//! | holds n | its sequence is n + 1 | the receiver reads it |
//! | handled | `head > n` | nobody; it is free for n + `SLOTS` |
//!
//! * A sender checks that slot `tail` is free, claims it with a compare-and-swap of `tail`, writes the packet, and
//!   publishes it by storing the slot's sequence with Release. A fence follows, before it looks at the [`Doorbell`].
//! * The receiver alone knows the number of the packet that is due. It loads that slot's sequence with Acquire, handles
//!   the packet, and stores `head` with Release once per poll. It writes nothing to slots.
//! * Each sending host caches the last `head` that it has read ([`SenderCache`]), so it reads that line at most once
//!   per lap.
//!
//! A sender that dies between claim and publication leaves a gap, at which the receiver stops for good. That does no
//! harm, as the job ends when a host dies.
//!
//! # Costs
//!
//! A packet of up to 8 bytes between two hosts moves the slot, a cache line, to the receiver. `tail` stays in the
//! sender's cache, and `head` in the receiver's. A longer packet moves the lines of the slot's cell as well, as many as
//! it fills. With several sending hosts, `tail` moves among them, too.
//!
//! The lines of a cell are apart from the slot, so that a processor that fetches lines in pairs does not take them from
//! a sender while the receiver polls the slot. They hardly cost time:
//!
//! * The sender demotes them to the shared cache when it has written them. The receiver gets them from there in half
//!   the time that it takes to get them from the sender's cache.
//! * The sender prefetches the cell of its next packet for writing when it has sent one, while it has nothing to do but
//!   wait for an answer.
//!
//! A sender of packets in a row prefetches slot and cell some packets ahead, so that it does not wait for them one by
//! one.

use crossbeam_utils::CachePadded;
use simurgh_core::SharedBytes;
use simurgh_core::sync::{AtomicU64, Ordering};

use super::doorbell::Doorbell;
use super::slot::{Envelope, Slot, WORD};
use crate::transport::{Busy, Header};

/// Packets over shared memory that may wait for a host; a power of two.
#[cfg(not(loom))]
pub const SLOTS: usize = 512;
/// So few that the models use each slot more than once.
#[cfg(loom)]
pub(super) const SLOTS: usize = 2;

/// Most data that lies in a cell, in bytes.
pub(super) const CELL: usize = 512;

/// How many packets ahead a sender prefetches a slot. The receiver has read that slot a lap ago, and by the time the
/// sender needs it the line is there. The next slot is not prefetched, since the receiver polls it.
const AHEAD: u64 = 4;

/// A host's queue. All zeros is an empty one.
#[repr(C)]
pub(super) struct Ring {
    /// Packets claimed. Written by senders.
    tail: CachePadded<AtomicU64>,
    /// Packets handled. Written by the receiver.
    head: CachePadded<AtomicU64>,
    /// Wakes the receiver.
    pub(super) doorbell: Doorbell,
    slots: [Slot; SLOTS],
    /// The data of the packets in the slots, if it is longer than a word and no longer than a cell.
    cells: [SharedBytes<CELL>; SLOTS],
}

/// A sending host's cached knowledge of one receiver.
#[derive(Default)]
pub(super) struct SenderCache(CachePadded<Cached>);

#[derive(Default)]
struct Cached {
    /// The receiver's `head`, as read last.
    head: AtomicU64,
    /// Packets that this host had received when it sent the last one.
    received: AtomicU64,
}

/// Whether so much data lies in a slot's cell.
#[inline]
pub(super) fn lies_in_cell(length: usize) -> bool {
    length > WORD && length <= CELL
}

impl SenderCache {
    /// Whether packets are sent in a row, without one being received in between. `received` is the number of packets
    /// that this host has received.
    #[inline]
    fn is_burst(&self, received: u64) -> bool {
        // Relaxed: a hint.
        let burst = self.0.received.load(Ordering::Relaxed) == received;
        if !burst {
            self.0.received.store(received, Ordering::Relaxed);
        }
        burst
    }
}

/// A slot that belongs to its sender until it is published.
pub(super) struct Claim<'a> {
    slot: &'a Slot,
    cell: &'a SharedBytes<CELL>,
    number: u64,
    envelope: Envelope,
}

impl Ring {
    #[inline]
    fn slot(&self, number: u64) -> &Slot {
        &self.slots[number as usize % SLOTS]
    }

    #[inline]
    fn cell(&self, number: u64) -> &SharedBytes<CELL> {
        &self.cells[number as usize % SLOTS]
    }

    /// Claims a slot for a packet, if one is free. A claim that is dropped becomes a void packet.
    #[inline]
    pub(super) fn claim(&self, cache: &SenderCache, envelope: Envelope) -> Result<Claim<'_>, Busy> {
        // Relaxed: the swap alone decides who has the number; `head`, not `tail`, says that the slot is free.
        let mut tail = self.tail.load(Ordering::Relaxed);
        loop {
            if !self.has_room(cache, tail) {
                return Err(Busy);
            }
            let claimed = self.tail.compare_exchange_weak(
                tail,
                tail.wrapping_add(1),
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            match claimed {
                Ok(number) => {
                    return Ok(Claim {
                        slot: self.slot(number),
                        cell: self.cell(number),
                        number,
                        envelope,
                    });
                }
                Err(now) => tail = now,
            }
        }
    }

    /// Whether the slot of `number` is free, by the cached `head` or else by the current one.
    #[inline]
    fn has_room(&self, cache: &SenderCache, number: u64) -> bool {
        let room = |head: u64| number.wrapping_sub(head) < SLOTS as u64;
        // Acquire pairs with the Release below: another thread of this host has read `head`.
        room(cache.0.head.load(Ordering::Acquire)) || {
            // Acquire pairs with the Release in `handled`: the receiver has read the slot.
            let head = self.head.load(Ordering::Acquire);
            cache.0.head.store(head, Ordering::Release);
            room(head)
        }
    }

    /// Prefetches the next slot, which the receiver polls: to get its line takes longer than to write the packet.
    #[inline]
    pub(super) fn prepare(&self) {
        // Relaxed: a hint.
        self.slot(self.tail.load(Ordering::Relaxed)).prepare();
    }

    /// Prefetches what a later packet of the same length is going to need, after packet `number` has been sent: the
    /// cell of the next packet, or cell and slot of a later one, if more packets seem to follow. The next slot is not
    /// prefetched, since that would only take it from the receiver.
    #[inline]
    pub(super) fn prepare_ahead(&self, cache: &SenderCache, received: u64, number: u64, length: usize) {
        let mut next = number.wrapping_add(1);
        if cache.is_burst(received) {
            next = number.wrapping_add(AHEAD);
            self.slot(next).prepare();
        }
        if lies_in_cell(length) {
            self.cell(next).prepare(length);
        }
    }

    /// The slot of packet `number`, if the packet is there. Receiver only.
    #[inline]
    pub(super) fn get(&self, number: u64) -> Option<&Slot> {
        let slot = self.slot(number);
        slot.holds(number).then_some(slot)
    }

    /// The cell of packet `number`, of which so many bytes are going to be read. Receiver only.
    #[inline]
    pub(super) fn fetch_cell(&self, number: u64, length: usize) -> &SharedBytes<CELL> {
        let cell = self.cell(number);
        cell.fetch(length);
        cell
    }

    /// Prefetches the slot of packet `number`, which is going to be looked for soon. Receiver only.
    #[inline]
    pub(super) fn look_ahead(&self, number: u64) {
        self.slot(number).fetch();
    }

    /// Frees the slots of all packets before `number`, which have been handled. Receiver only.
    #[inline]
    pub(super) fn handled(&self, number: u64) {
        // Release pairs with the Acquire in `has_room`.
        self.head.store(number, Ordering::Release);
    }
}

impl Claim<'_> {
    /// The slot, to be written.
    #[inline]
    pub(super) fn slot(&self) -> &Slot {
        self.slot
    }

    /// Has so many bytes of the slot's cell filled.
    #[inline]
    pub(super) fn fill_cell(&mut self, length: usize, fill: &mut dyn FnMut(&mut [u8])) {
        // SAFETY:
        // - the cell belongs to this thread alone until the packet is published.
        fill(unsafe { self.cell.bytes_mut(length) });
        self.cell.demote(length);
    }

    /// Shows the packet to the receiver. Gives its number.
    #[inline]
    pub(super) fn publish(self, header: &Header) -> u64 {
        let number = self.number;
        self.slot.write(self.envelope, header);
        self.slot.publish(number);
        std::mem::forget(self);
        number
    }
}

impl Drop for Claim<'_> {
    /// Publishes a void packet, since the writer of the slot has panicked: the receiver must not wait for it.
    fn drop(&mut self) {
        let length = Envelope::VOID;
        self.slot.write(
            Envelope {
                length,
                ..self.envelope
            },
            &[0; crate::transport::HEADER],
        );
        self.slot.publish(self.number);
    }
}

#[cfg(test)]
impl Default for Ring {
    fn default() -> Self {
        Self {
            tail: CachePadded::default(),
            head: CachePadded::default(),
            doorbell: Doorbell::default(),
            slots: std::array::from_fn(|_| Slot::default()),
            cells: std::array::from_fn(|_| SharedBytes::default()),
        }
    }
}
