//! The doorbell of a ring: it wakes the receiver if it sleeps.
//!
//! # Protocol
//!
//! `sleeper` says where the receiver sleeps: [`AWAKE`], [`ON_WORD`] (on the futex `word`) or [`ON_DESCRIPTOR`] (in
//! `poll(2)`).
//!
//! * The receiver stores `ON_WORD` or `ON_DESCRIPTOR`, then looks for packets once more, then sleeps. When it is awake
//!   it stores `AWAKE`.
//! * A sender publishes its packet, then loads `sleeper`. If it is not `AWAKE`, the sender swaps it to `AWAKE`; the one
//!   sender that gets the old value wakes the receiver: it changes `word` and wakes the futex, or writes to the
//!   receiver's wakeup socket.
//!
//! Fences stand between the store and the look of either side, so that at least one of the two sees the other's store:
//! either the receiver finds the packet, or the sender finds the sleeper. The receiver reads `word` before it stores
//! `ON_WORD`, so that a change after that ends its wait.
//!
//! Costs for a sender: while the receiver is awake, a load of a cache line that the receiver writes only when it goes
//! to sleep; otherwise a swap and a system call, of several senders for the first one only.

use simurgh_core::sync::{AtomicU32, Ordering, fence, futex_wake_shared};

use crate::transport::WaitMethod;

/// The receiver is awake, or somebody wakes it.
const AWAKE: u32 = 0;
/// The receiver sleeps on the word.
const ON_WORD: u32 = 1;
/// The receiver sleeps in `poll(2)`.
const ON_DESCRIPTOR: u32 = 2;

/// A receiver's doorbell, in memory that it shares with the senders.
#[derive(Default)]
#[repr(C, align(128))]
pub(super) struct Doorbell {
    sleeper: AtomicU32,
    word: AtomicU32,
}

impl Doorbell {
    /// The word on which a receiver sleeps.
    pub(super) fn word(&self) -> &AtomicU32 {
        &self.word
    }

    /// Receiver: announces that it is going to sleep. It has to look for packets once more after that.
    pub(super) fn arm(&self, waiting: WaitMethod) {
        let sleeper = match waiting {
            WaitMethod::Futex => ON_WORD,
            WaitMethod::Poll => ON_DESCRIPTOR,
        };
        self.sleeper.store(sleeper, Ordering::SeqCst);
        // Between this store and the look for packets; a sender has its fence between packet and look for a sleeper.
        fence(Ordering::SeqCst);
    }

    /// Receiver: announces that it is awake.
    pub(super) fn disarm(&self) {
        self.sleeper.store(AWAKE, Ordering::SeqCst);
    }

    /// Sender: whether the receiver sleeps until a packet comes. A hint.
    pub(super) fn is_armed(&self) -> bool {
        // Relaxed: a hint.
        self.sleeper.load(Ordering::Relaxed) != AWAKE
    }

    /// Sender: wakes the receiver if it sleeps, after a packet has been published with a fence behind it. `write` makes
    /// the receiver's descriptor readable.
    #[inline]
    pub(super) fn ring(&self, write: impl FnOnce()) {
        // SeqCst: see `arm`.
        if self.sleeper.load(Ordering::SeqCst) != AWAKE {
            self.wake(write);
        }
    }

    #[cold]
    fn wake(&self, write: impl FnOnce()) {
        match self.sleeper.swap(AWAKE, Ordering::SeqCst) {
            ON_WORD => {
                self.word.fetch_add(1, Ordering::SeqCst);
                futex_wake_shared(&self.word, u32::MAX);
            }
            ON_DESCRIPTOR => write(),
            // Another sender wakes it, or a broken process has written nonsense.
            _ => {}
        }
    }
}
