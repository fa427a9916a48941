//! A value that one thread of the rank uses at a time.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::c;

/// A value behind a spin lock. It is held for a few instructions, in which no call of MPI is made.
pub(super) struct Locked<T> {
    held: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY:
// - the value is used under the lock alone.
unsafe impl<T: Send> Sync for Locked<T> {}

impl<T> Locked<T> {
    /// A lock that nobody holds.
    pub(super) const fn new(value: T) -> Self {
        Self {
            held: AtomicBool::new(false),
            value: UnsafeCell::new(value),
        }
    }

    /// Calls `body` with the value.
    pub(super) fn with<R>(&self, body: impl FnOnce(&mut T) -> R) -> R {
        while self.held.swap(true, Ordering::Acquire) {
            // SAFETY:
            // - the call has no conditions.
            unsafe { c::sched_yield() };
        }
        // SAFETY:
        // - the lock is held, so nobody else has a reference to the value.
        let result = body(unsafe { &mut *self.value.get() });
        self.held.store(false, Ordering::Release);
        result
    }
}
