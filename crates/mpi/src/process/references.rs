//! Sends by reference: messages that a rank has left in its own memory, for receivers that find the address in their
//! rings (`endpoint/incoming.rs`).
//!
//! The receiver touches nothing of such a send: that it has taken the message is seen by the head of its ring. So a
//! window of sends costs a line for each message and one for the head, now and then, and the requests stay in the cache
//! of their rank.
//!
//! # Progress
//!
//! The rank looks for sends that are over where it looks into its own ring ([`Mailbox`](simurgh_core::Mailbox)). A
//! receiver that computes takes nothing, and a send must not wait for it where a copy would do. So before the rank
//! sleeps, and when it has looked often, it empties the receivers' rings itself. What matches no receive is copied out
//! by that.

use crate::endpoint::RingPlace;
use crate::error::Status;
use crate::host::Host;
use crate::request::Waiter;
use simurgh_core::sync::{AtomicBool, AtomicU32, Ordering, SpinLock};
use std::collections::VecDeque;

/// The sends by reference of a rank that are not over, oldest first.
#[derive(Default)]
pub(super) struct References {
    sends: SpinLock<Sends>,
    /// Whether there are any.
    exist: AtomicBool,
    /// How often in a row the rank has looked in vain.
    looks: AtomicU32,
}

#[derive(Default)]
struct Sends {
    list: VecDeque<Reference>,
    /// Whether they are in several rings.
    several: bool,
}

/// A send by reference.
struct Reference {
    waiter: Waiter,
    place: RingPlace,
}

impl Reference {
    fn is_over(&self, host: &Host) -> bool {
        host.rings().have_taken(self.place)
    }
}

impl Sends {
    fn add(&mut self, send: Reference) {
        let before = self.list.back().map(|before| before.place.ring);
        self.several = before.is_some_and(|before| self.several || before != send.place.ring);
        self.list.push_back(send);
    }

    /// Completes those that are over. Returns whether there were any.
    fn complete(&mut self, host: &Host) -> bool {
        let before = self.list.len();
        // Messages are taken out of a ring in order: one that waits has others behind it wait. A bit may stand for
        // several rings, whose messages are seen later then.
        let mut waiting = 0_u64;
        let mut index = 0;
        while let Some(send) = self.list.get(index) {
            let ring = send.place.ring_bit();
            if waiting & ring == 0 && send.is_over(host) {
                let over = self.list.remove(index);
                over.into_iter()
                    .for_each(|send| send.waiter.finish(host, &Status::EMPTY));
            } else if self.several {
                waiting |= ring;
                index += 1;
            } else {
                break;
            }
        }
        self.list.len() < before
    }
}

/// Looks in a row that find nothing, after which the rank empties the rings.
const MANY_LOOKS: u32 = 1 << 10;

impl References {
    /// Adds a send whose message is at this place.
    #[inline]
    pub(super) fn add(&self, waiter: Waiter, place: RingPlace) {
        self.sends.lock().add(Reference { waiter, place });
        // Relaxed: only threads of the rank read it, which know of the send by other means.
        self.exist.store(true, Ordering::Relaxed);
    }

    /// Whether there are any.
    #[inline]
    fn exist(&self) -> bool {
        // Relaxed: as above.
        self.exist.load(Ordering::Relaxed)
    }

    /// Completes the sends that are over.
    #[inline]
    pub(super) fn look(&self, host: &Host) {
        if self.exist() {
            self.complete_some(host);
        }
    }

    #[inline(never)]
    fn complete_some(&self, host: &Host) {
        // Relaxed: a measure of patience.
        let looks = self.looks.load(Ordering::Relaxed) + 1;
        let found = self.complete(host);
        self.looks.store(if found { 0 } else { looks }, Ordering::Relaxed);
        if looks >= MANY_LOOKS {
            self.drain(host);
        }
    }

    /// Completes the sends that are over. Returns whether there were any.
    fn complete(&self, host: &Host) -> bool {
        let mut sends = self.sends.lock();
        let found = sends.complete(host);
        if sends.list.is_empty() {
            self.exist.store(false, Ordering::Relaxed);
        }
        found
    }

    /// Completes all sends.
    pub(super) fn drain(&self, host: &Host) {
        if !self.exist() {
            return;
        }
        // Each turn completes all sends in a ring. Those that other threads of the rank add are theirs to complete.
        let most = self.sends.lock().list.len();
        for _ in 0..most {
            let Some(ring) = self.oldest_ring() else {
                break;
            };
            host.rings().drain(ring, host);
            self.complete(host);
        }
        self.looks.store(0, Ordering::Relaxed);
    }

    /// The ring with the oldest send.
    fn oldest_ring(&self) -> Option<usize> {
        self.sends.lock().list.front().map(|send| send.place.ring)
    }
}
