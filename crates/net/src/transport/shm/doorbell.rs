//! What wakes a host that sleeps until something arrives.
//!
//! Costs for a sender whose receiver is awake: a load of a line that the receiver writes only when it goes
//! to sleep. For one whose receiver sleeps: a swap and a system call; of many that send at a time, the first alone.

use simurgh_core::sync::{AtomicU32, Ordering, fence, futex_wake_shared};

use crate::transport::WaitMethod;

/// Nobody sleeps.
const AWAKE: u32 = 0;
/// Somebody sleeps on the word.
const ON_WORD: u32 = 1;
/// Somebody sleeps in `poll(2)`.
const ON_DESCRIPTOR: u32 = 2;

/// A receiver's bell, in memory that it shares with the senders.
#[derive(Default)]
#[repr(C, align(128))]
pub(super) struct Doorbell {
    sleeper: AtomicU32,
    word: AtomicU32,
}

impl Doorbell {
    /// What a sleeper waits on.
    pub(super) fn word(&self) -> &AtomicU32 {
        &self.word
    }

    /// Receiver: I am going to sleep. Look for mail after that.
    pub(super) fn arm(&self, waiting: WaitMethod) {
        let sleeper = match waiting {
            WaitMethod::Futex => ON_WORD,
            WaitMethod::Poll => ON_DESCRIPTOR,
        };
        self.sleeper.store(sleeper, Ordering::SeqCst);
        // The sleeper arms, then looks for packets; a sender publishes a packet, then looks for a sleeper.
        fence(Ordering::SeqCst);
    }

    /// Receiver: I am awake.
    pub(super) fn disarm(&self) {
        self.sleeper.store(AWAKE, Ordering::SeqCst);
    }

    /// Sender: something has been published, with a fence behind it. `write` makes the receiver's descriptor readable.
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
            // Somebody else wakes it, or nothing that makes sense.
            _ => {}
        }
    }
}
