//! Something that many use until it is revoked.
//!
//! Who uses it is counted. Revoked, nobody gets it any more, and it is dropped when the last has done with it; so
//! nobody waits for anybody. Costs: two locked instructions for each use.

use std::cell::UnsafeCell;
use std::mem::ManuallyDrop;
use std::ops::Deref;

use simurgh_core::sync::{AtomicUsize, Ordering};

/// Nobody gets it any more.
const REVOKED: usize = 1 << (usize::BITS - 1);
/// It has been dropped.
const DROPPED: usize = REVOKED >> 1;

/// A value that can be revoked.
pub(super) struct Revocable<T> {
    /// How many use it, or look whether they may; and what has become of it.
    users: AtomicUsize,
    value: UnsafeCell<ManuallyDrop<T>>,
}

/// The use of a value, which is there for as long.
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
        // Relaxed: what the value holds has been there before others could know it. As nobody who finds it revoked
        // touches it, nothing has to be cache of its end.
        let before = self.users.fetch_add(1, Ordering::Relaxed);
        // Counted in any case: dropping it gives that back.
        let access = Access(self);
        (before & REVOKED == 0).then_some(access)
    }

    /// From now on nobody gets it. It is dropped here, or by the last who uses it.
    pub(super) fn revoke(&self) {
        // Relaxed: as in `access`.
        if self.users.fetch_or(REVOKED, Ordering::Relaxed) == 0 {
            self.drop_unused();
        }
    }

    /// Drops the value if it has been revoked and nobody uses it.
    #[cold]
    fn drop_unused(&self) {
        // Acquire pairs with the Release of each who has used it: all they did with it comes before.
        let dropped =
            self.users
                .compare_exchange(REVOKED, REVOKED | DROPPED, Ordering::Acquire, Ordering::Relaxed);
        if dropped.is_ok() {
            // SAFETY:
            // - it happens once: no number of users is `REVOKED` alone after that;
            // - nobody uses the value, and nobody will, since who comes finds it revoked.
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
        // Release pairs with the Acquire of who drops the value.
        if self.0.users.fetch_sub(1, Ordering::Release) == REVOKED + 1 {
            self.0.drop_unused();
        }
    }
}

impl<T> Drop for Revocable<T> {
    fn drop(&mut self) {
        // Nobody uses it, or it could not be dropped.
        self.revoke();
    }
}
