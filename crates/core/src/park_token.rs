//! The park token of an execution context: the handshake between going to sleep and being woken.
//!
//! ```text
//!            park: take                 unpark: give
//! EMPTY ───────────────► EMPTY*   EMPTY ───► NOTIFIED     nobody to wake
//!   │ park: settle                NOTIFIED ► NOTIFIED     nobody to wake
//!   ▼                             PARKED ──► NOTIFIED     the giver must make it run
//! PARKED
//! ```
//! `settle` is called only once the stack of the EC has been left, so whoever sees PARKED may resume it at once.

use crate::sync::{AtomicU32, Ordering};

const EMPTY: u32 = 0;
const NOTIFIED: u32 = 1;
const PARKED: u32 = 2;

/// One wake-up that can be given before it is waited for.
pub struct ParkToken(AtomicU32);

impl Default for ParkToken {
    fn default() -> Self {
        Self::new()
    }
}

impl ParkToken {
    /// A token not given.
    #[must_use]
    pub fn new() -> Self {
        Self(AtomicU32::new(EMPTY))
    }

    /// Takes the token if it has been given.
    #[inline]
    pub fn take(&self) -> bool {
        // The load keeps the common miss free of a locked instruction. Acquire pairs with the Release in `give`.
        self.0.load(Ordering::Relaxed) == NOTIFIED && self.0.swap(EMPTY, Ordering::Acquire) == NOTIFIED
    }

    /// Declares the EC asleep. False if the token was given meanwhile: then it must go on.
    #[inline]
    pub fn settle(&self) -> bool {
        // Release pairs with the Acquire in `give`: the waker sees the EC as it was left.
        self.0
            .compare_exchange(EMPTY, PARKED, Ordering::Release, Ordering::Relaxed)
            .is_ok()
    }

    /// Gives the token. True if the EC was asleep: then the caller must make it run.
    #[inline]
    pub fn give(&self) -> bool {
        // Release pairs with the Acquire in `take` and `clear`, Acquire with the Release in `settle`.
        self.0.swap(NOTIFIED, Ordering::AcqRel) == PARKED
    }

    /// Forgets a token, on waking up.
    #[inline]
    pub fn clear(&self) {
        // A swap, not a store: a second giver must be synchronised with. Acquire pairs with the Release in `give`.
        self.0.swap(EMPTY, Ordering::Acquire);
    }

    /// Blocks the kernel thread while the token, once settled, is not given. For attached threads.
    pub fn wait_in_kernel(&self) {
        // Acquire pairs with the Release in `give`.
        while self.0.load(Ordering::Acquire) == PARKED {
            crate::sync::futex_wait(&self.0, PARKED);
        }
    }

    /// The word that changes when the token is given, and its value while it is not, once settled.
    pub(crate) fn sleeping_word(&self) -> (&AtomicU32, u32) {
        (&self.0, PARKED)
    }

    /// Takes [`ParkToken::settle`] back. False if the token has been given meanwhile.
    pub(crate) fn cancel_park(&self) -> bool {
        // Acquire on failure pairs with the Release in `give`.
        self.0
            .compare_exchange(PARKED, EMPTY, Ordering::Relaxed, Ordering::Acquire)
            .is_ok()
    }

    /// Wakes a thread in [`ParkToken::wait_in_kernel`].
    pub fn wake_in_kernel(&self) {
        crate::sync::futex_wake(&self.0, 1);
    }
}
