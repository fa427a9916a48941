//! A value that many threads use until it is revoked.
//!
//! # Protocol
//!
//! One word, `users`, has the number of users and two flags:
//!
//! | state | meaning |
//! |---|---|
//! | n users | the value is in use n times, and can be accessed |
//! | [`REVOKED`] and n users | nobody gets it any more; n threads still use it, or have just found it revoked |
//! | [`REVOKED`] and [`DROPPED`], any number of users | it has been dropped; the users are threads that find it revoked |
//!
//! * [`Revocable::access`] adds a user, and gives the value unless `REVOKED` was set. Dropping the access removes the
//!   user, also if the value was not given.
//! * [`Revocable::revoke`] sets `REVOKED`.
//! * Whoever brings the word to `REVOKED` without users tries to change it to `REVOKED | DROPPED` with a
//!   compare-and-swap. It succeeds once, and that thread drops the value.
//!
//! So no thread waits for another. Costs: two locked instructions for each use.

use std::cell::UnsafeCell;
use std::mem::ManuallyDrop;
use std::ops::Deref;

use simurgh_core::sync::{AtomicUsize, Ordering};

/// The value is not given out any more.
const REVOKED: usize = 1 << (usize::BITS - 1);
/// The value has been dropped.
const DROPPED: usize = REVOKED >> 1;

/// A value that can be revoked.
pub(super) struct Revocable<T> {
    /// Number of users and flags: see the module's documentation.
    users: AtomicUsize,
    value: UnsafeCell<ManuallyDrop<T>>,
}

/// A use of a value, which is not dropped meanwhile.
pub(super) struct Access<'a, T>(&'a Revocable<T>);

// SAFETY:
// - the value is lent out by shared reference to any thread, and dropped by any, when nobody uses it.
unsafe impl<T: Send + Sync> Sync for Revocable<T> {}

impl<T> Revocable<T> {
    pub(super) fn new(value: T) -> Self {
        Self {
            users: AtomicUsize::new(0),
            value: UnsafeCell::new(ManuallyDrop::new(value)),
        }
    }

    /// The value, unless it has been revoked.
    #[inline]
    pub(super) fn access(&self) -> Option<Access<'_, T>> {
        // Relaxed: the value was complete before other threads could know it, and a thread that finds it revoked does
        // not touch it.
        let before = self.users.fetch_add(1, Ordering::Relaxed);
        // The user is counted in any case; dropping this removes it.
        let access = Access(self);
        (before & REVOKED == 0).then_some(access)
    }

    /// Revokes the value. It is dropped here, or by its last user.
    pub(super) fn revoke(&self) {
        // Relaxed: as in `access`.
        if self.users.fetch_or(REVOKED, Ordering::Relaxed) == 0 {
            self.drop_unused();
        }
    }

    /// Drops the value if it has been revoked and nobody uses it.
    #[cold]
    fn drop_unused(&self) {
        // Acquire pairs with the Release of each user's end: everything they did with the value comes before.
        let dropped =
            self.users
                .compare_exchange(REVOKED, REVOKED | DROPPED, Ordering::Acquire, Ordering::Relaxed);
        if dropped.is_ok() {
            // SAFETY:
            // - it happens once: no number of users is `REVOKED` alone after that;
            // - nobody uses the value, and nobody will, since every later thread finds it revoked.
            unsafe { ManuallyDrop::drop(&mut *self.value.get()) }
        }
    }
}

impl<T> Deref for Access<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY:
        // - it is counted among the users, and the value was not revoked before, so it is not dropped;
        // - nobody has an exclusive reference to a value that is not dropped.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> Drop for Access<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // Release pairs with the Acquire of the thread that drops the value.
        if self.0.users.fetch_sub(1, Ordering::Release) == REVOKED + 1 {
            self.0.drop_unused();
        }
    }
}

impl<T> Drop for Revocable<T> {
    fn drop(&mut self) {
        // No user is left, since each of them borrows this.
        self.revoke();
    }
}
