//! The queue of packets for a host: bounded, many senders, one receiver, in the receiver's segment.
//!
//! A sender claims the next number with a compare-and-swap of `tail`, writes the slot and publishes it. It knows that
//! the slot is free because the receiver says in `head` how far it has come; each sending host remembers what it read
//! there last, so that it reads that line once per lap at most. The receiver looks at the slot of the next number
//! alone, keeps that number to itself, and writes nothing to slots.
//!
//! Costs of a packet of up to 8 bytes between two hosts: the slot's first line goes to the receiver; `tail` stays in
//! the sender's cache, and `head` in the receiver's, which writes it once per poll. A packet of up to 72 bytes moves
//! two lines. With several sending hosts, `tail` moves among them, too.
//!
//! Who sends one packet after the other asks for the lines of slots some packets ahead, so that it does not wait for
//! them one by one.
//!
//! A sender that dies between claim and publication leaves a gap at which the receiver stops for good: the job ends
//! with a host that dies.

use crossbeam_utils::CachePadded;
use simurgh_core::sync::{AtomicU64, Ordering};

use super::doorbell::Doorbell;
use super::slot::{Envelope, Slot};
use crate::transport::{Busy, Header};

/// Packets over shared memory that may wait for a host; a power of two.
#[cfg(not(loom))]
pub const SLOTS: usize = 512;
/// So few that a model goes round.
#[cfg(loom)]
pub(super) const SLOTS: usize = 2;

/// How many packets ahead a sender asks for the line of a slot: by then the line, which the receiver has read a lap
/// ago, is there. Not the next one: at that the receiver looks.
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
}

/// What a sending host knows of the receiver.
#[derive(Default)]
pub(super) struct SenderCache(CachePadded<Knowledge>);

#[derive(Default)]
struct Knowledge {
    /// How far the receiver has come.
    head: AtomicU64,
    /// Packets that this host had received when it sent the last one.
    received: AtomicU64,
}

impl SenderCache {
    /// Whether one packet is sent after the other, with none received in between. `received` counts these.
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
    number: u64,
    envelope: Envelope,
}

impl Ring {
    #[inline]
    fn slot(&self, number: u64) -> &Slot {
        &self.slots[number as usize % SLOTS]
    }

    /// Claims a slot for a packet, if there is one. What is not published in the end counts as void.
    #[inline]
    pub(super) fn claim(&self, cache: &SenderCache, envelope: Envelope) -> Result<Claim<'_>, Busy> {
        // Relaxed: the number is one's own by the swap; what makes the slot free is `head`.
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
                    let slot = self.slot(number);
                    return Ok(Claim {
                        slot,
                        number,
                        envelope,
                    });
                }
                Err(now) => tail = now,
            }
        }
    }

    /// Whether the slot of `number` is free, by what is known or by what the receiver says now.
    #[inline]
    fn has_room(&self, cache: &SenderCache, number: u64) -> bool {
        let room = |head: u64| number.wrapping_sub(head) < SLOTS as u64;
        // Acquire pairs with the Release below: another thread of this host saw it.
        room(cache.0.head.load(Ordering::Acquire)) || {
            // Acquire pairs with the Release in `handled`: the receiver has read the slot.
            let head = self.head.load(Ordering::Acquire);
            cache.0.head.store(head, Ordering::Release);
            room(head)
        }
    }

    /// Has the line of the next slot on its way, at which the receiver looks: it takes longer than to write the packet.
    #[inline]
    pub(super) fn prepare(&self) {
        // Relaxed: a hint.
        self.slot(self.tail.load(Ordering::Relaxed)).prepare(0);
    }

    /// Has the lines of a later slot on their way, when packet `number` has been sent and more like it seem to follow.
    /// If none do, that would only take lines from the receiver.
    #[inline]
    pub(super) fn prepare_ahead(&self, cache: &SenderCache, received: u64, number: u64, length: usize) {
        if cache.is_burst(received) {
            self.slot(number.wrapping_add(AHEAD)).prepare(length);
        }
    }

    /// The slot of packet `number`, if it is there. Receiver only.
    #[inline]
    pub(super) fn get(&self, number: u64) -> Option<&Slot> {
        let slot = self.slot(number);
        slot.holds(number).then_some(slot)
    }

    /// Packet `number` is going to be looked for soon: has its line on its way. Receiver only.
    #[inline]
    pub(super) fn look_ahead(&self, number: u64) {
        self.slot(number).fetch();
    }

    /// All packets before `number` have been read. Receiver only.
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

    /// Shows the packet to the receiver; its number.
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
    /// Gives a slot up whose writer has panicked: the receiver must not wait for it.
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
        }
    }
}
