//! Copied sends: messages that a rank has copied to buffers of its own, whose addresses are in the rings of their
//! receivers (`endpoint/incoming.rs`).
//!
//! Two ranks that exchange messages which are too long for a ring (`MPI_Sendrecv`) would otherwise each look for the
//! receive of the other in its table, and move the lines of that table, of the receive and of its buffer to and fro. A
//! copy within the sender's cache costs less, and the send is over at once.
//!
//! A buffer serves again when its receiver has taken the message. The rank finds that out when it needs buffers, for
//! several at once: what it looks at is written by the receiver with each message.

use crate::endpoint::{EagerBuffer, EagerPool, RingPlace};
use crate::host::Host;
use simurgh_core::sync::SpinLock;
use std::collections::VecDeque;

/// The most messages of a rank that are in such buffers.
const MOST: usize = 32;

/// The copied sends of a rank.
#[derive(Default)]
pub(super) struct CopiedSends(SpinLock<Copies>);

#[derive(Default)]
struct Copies {
    /// Those that receivers may not have taken, oldest first.
    under_way: VecDeque<Copy>,
    spare: EagerPool,
}

/// A message in a buffer of its sender.
struct Copy {
    buffer: EagerBuffer,
    place: RingPlace,
}

impl CopiedSends {
    /// A buffer for a message of so many bytes.
    #[inline]
    pub(super) fn buffer(&self, host: &Host, bytes: usize) -> EagerBuffer {
        let mut copies = self.0.lock();
        if copies.under_way.len() >= MOST {
            copies.give_back_some(host);
        }
        let spare = copies.spare.take(bytes);
        drop(copies);
        spare.unwrap_or_else(|| EagerBuffer::allocate(bytes))
    }

    /// Keeps a buffer whose address is at this place until the message has been taken.
    #[inline]
    pub(super) fn add(&self, buffer: EagerBuffer, place: RingPlace) {
        self.0.lock().under_way.push_back(Copy { buffer, place });
    }

    /// Keeps a buffer that has not been used.
    pub(super) fn give_back(&self, buffer: EagerBuffer) {
        self.0.lock().spare.give_back(buffer);
    }

    /// Waits until all messages have been taken out of the buffers.
    pub(super) fn drain(&self, host: &Host) {
        let mut copies = self.0.lock();
        while !copies.under_way.is_empty() {
            copies.give_back_some(host);
        }
    }
}

impl Copies {
    /// Gives back the oldest buffer, and those behind it whose messages have been taken.
    #[cold]
    fn give_back_some(&mut self, host: &Host) {
        let has_been_taken = |copy: &Copy| host.rings().have_taken(copy.place);
        if let Some(oldest) = self.under_way.front()
            && !has_been_taken(oldest)
        {
            host.rings().drain(oldest.place.ring, host);
            self.give_back_first();
        }
        while self.under_way.front().is_some_and(has_been_taken) {
            self.give_back_first();
        }
    }

    fn give_back_first(&mut self) {
        let first = self.under_way.pop_front();
        first
            .into_iter()
            .for_each(|copy| self.spare.give_back(copy.buffer));
    }
}
