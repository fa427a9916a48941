//! The park token of an execution context: the handshake between going to sleep and being woken.
//!
//! # Protocol
//!
//! | state | meaning |
//! |---|---|
//! | `EMPTY` | the context runs, and has no token |
//! | `NOTIFIED` | the token has been given, and its next park returns at once |
//! | `PARKED` | the context sleeps |
//!
//! | step | by | from | to |
//! |---|---|---|---|
//! | `take` | the context, before it sleeps | `NOTIFIED` | `EMPTY`: it goes on |
//! | `settle` | on behalf of the context, to sleep | `EMPTY` | `PARKED` |
//! | `give` | anybody | `EMPTY`, `NOTIFIED` | `NOTIFIED`: there is nobody to wake |
//! | `give` | anybody | `PARKED` | `NOTIFIED`: the giver must make the context run |
//! | `clear` | the context, when it runs again | any | `EMPTY` |
//!
//! A coroutine settles only after it has left its stack, so whoever sees `PARKED` may resume it at once.

use crate::sync::{AtomicU32, Ordering};

const EMPTY: u32 = 0;
const NOTIFIED: u32 = 1;
const PARKED: u32 = 2;

/// One wake-up, which can be given before it is waited for.
pub struct ParkToken(AtomicU32);

impl Default for ParkToken {
    fn default() -> Self {
        Self::new()
    }
}

impl ParkToken {
    /// A token that has not been given.
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

    /// Declares the execution context asleep. False if the token was given meanwhile: then the context must go on.
    #[inline]
    pub fn settle(&self) -> bool {
        // Release pairs with the Acquire in `give`: the waker sees the context as it was left.
        self.0
            .compare_exchange(EMPTY, PARKED, Ordering::Release, Ordering::Relaxed)
            .is_ok()
    }

    /// Gives the token. True if the execution context was asleep: then the caller must make it run.
    #[inline]
    pub fn give(&self) -> bool {
        // Release pairs with the Acquire in `take` and `clear`, Acquire with the Release in `settle`.
        self.0.swap(NOTIFIED, Ordering::AcqRel) == PARKED
    }

    /// As [`ParkToken::give`], but calls `before` before a context that is asleep gets its token, since it may run at
    /// once, and `undo` if somebody else has woken it in between.
    pub fn give_after(&self, before: impl Fn(), undo: impl Fn()) -> bool {
        let mut state = self.0.load(Ordering::Relaxed);
        loop {
            if state == PARKED {
                before();
            }
            // As in `give`.
            match self
                .0
                .compare_exchange(state, NOTIFIED, Ordering::AcqRel, Ordering::Relaxed)
            {
                Ok(_) => return state == PARKED,
                Err(now) => {
                    if state == PARKED {
                        undo();
                    }
                    state = now;
                }
            }
        }
    }

    /// Takes back whatever token there is, on waking up.
    #[inline]
    pub fn clear(&self) {
        // A swap and not a store, to synchronise with a second giver. Acquire pairs with the Release in `give`.
        self.0.swap(EMPTY, Ordering::Acquire);
    }

    /// Blocks the kernel thread of an attached thread that has settled, until the token is given.
    pub fn wait_in_kernel(&self) {
        // Acquire pairs with the Release in `give`.
        while self.0.load(Ordering::Acquire) == PARKED {
            crate::sync::futex_wait(&self.0, PARKED);
        }
    }

    /// The word that changes when the token is given, and its value until then, after [`ParkToken::settle`].
    #[cfg(not(loom))]
    pub(super) fn parked_word(&self) -> (&AtomicU32, u32) {
        (&self.0, PARKED)
    }

    /// Takes [`ParkToken::settle`] back. False if the token has been given meanwhile.
    #[cfg(not(loom))]
    pub(super) fn cancel_park(&self) -> bool {
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
