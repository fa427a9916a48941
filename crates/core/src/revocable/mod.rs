//! Revocable values: others read such a value without a lock until it is revoked, and it is dropped when nobody reads
//! it any more.
//!
//! # Protocol
//!
//! 1. A reader [pins](pin) its execution context, loads the pointer, and unpins when it no longer uses the value.
//! 2. [`Revocable::revoke`] replaces the pointer by null and issues a heavy fence. After the fence, a reader that has
//!    pinned before is seen to be pinned, and a reader that pins later finds null.
//! 3. If nobody is pinned then, all that has been revoked so far is dropped. Otherwise it is kept in a list until the
//!    next revocation.
//!
//! So a value that is read at the moment of its revocation lasts until another one is revoked. Where the kernel has no
//! heavy fences, no revoked value is dropped.
//!
//! Costs: each read is two plain stores and a load of the pointer. Each revocation is a system call and a look at all
//! control blocks.

mod access_seat;
mod pin;
mod rare_exclusion;

pub use access_seat::{AccessSeat, SeatHolder};
pub use rare_exclusion::{
    ExclusionCell, ExclusionWorth, LongAccess, RareExclusion, SharedAccess, enable_exclusion,
};

use std::ops::Deref;
use std::ptr;

use crate::sync::asymmetric_fence::{enable_heavy_fence, heavy_fence};
use crate::sync::{AtomicPtr, Ordering, SpinLock};
use pin::{Pin, is_anybody_pinned};

/// A value that can be revoked.
pub struct Revocable<T: Send + Sync + 'static>(AtomicPtr<T>);

/// Access to a revocable value, which is not dropped before this is.
pub struct RevocableGuard<'a, T> {
    value: &'a T,
    _pin: Pin,
}

/// Access to a value that may be revocable.
pub enum EntryRef<'a, T> {
    /// The value cannot be revoked.
    Permanent(&'a T),
    /// The value can be revoked.
    Revocable(RevocableGuard<'a, T>),
}

/// Values that were revoked while somebody was pinned.
#[cfg(not(loom))]
static REVOKED: SpinLock<Vec<Box<dyn Send>>> = SpinLock::new(Vec::new());

#[cfg(loom)]
loom::lazy_static! {
    static ref REVOKED: SpinLock<Vec<Box<dyn Send>>> = SpinLock::new(Vec::new());
}

impl<T: Send + Sync + 'static> Revocable<T> {
    /// A value that has not been revoked.
    pub fn new(value: T) -> Self {
        Self(AtomicPtr::new(Box::into_raw(Box::new(value))))
    }

    /// The value, unless it has been revoked.
    #[inline]
    #[must_use]
    pub fn access(&self) -> Option<RevocableGuard<'_, T>> {
        let pin = Pin::new();
        // Relaxed: the caller has got the reference to `self` after the value was stored.
        let value = self.0.load(Ordering::Relaxed);
        // SAFETY:
        // - it was not revoked before this execution context was pinned, so it is not dropped as long as that is
        //   pinned;
        // - nobody has an exclusive reference to a value that has not been revoked.
        let value = unsafe { value.as_ref() }?;
        Some(RevocableGuard { value, _pin: pin })
    }

    /// Revokes the value: from now on nobody gets it. It is dropped when nobody uses it any more, or later.
    pub fn revoke(&self) {
        // AcqRel: what was written to the value before comes before its drop.
        let value = self.0.swap(ptr::null_mut(), Ordering::AcqRel);
        if !value.is_null() {
            // SAFETY:
            // - the pointer comes from a box in `new`, and only one swap finds it.
            drop_unused(unsafe { Box::from_raw(value) });
        }
    }
}

/// Drops this revoked value and earlier ones if nobody is pinned, or leaves them to the next revocation.
#[cold]
fn drop_unused(value: Box<dyn Send>) {
    let mut revoked = std::mem::take(&mut *REVOKED.lock());
    revoked.push(value);
    let has_fence = enable_heavy_fence();
    heavy_fence();
    if !has_fence || is_anybody_pinned() {
        REVOKED.lock().append(&mut revoked);
    }
}

impl<T: Send + Sync + 'static> Drop for Revocable<T> {
    fn drop(&mut self) {
        let value = self.0.swap(ptr::null_mut(), Ordering::AcqRel);
        if !value.is_null() {
            // SAFETY:
            // - the pointer comes from a box in `new`, it has not been revoked, and nobody else has a reference to
            //   `self`.
            drop(unsafe { Box::from_raw(value) });
        }
    }
}

impl<T: Send + Sync + std::fmt::Debug + 'static> std::fmt::Debug for Revocable<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Revocable")
            .field(&self.access().as_deref())
            .finish()
    }
}

impl<T> Deref for RevocableGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value
    }
}

impl<T> Deref for EntryRef<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match self {
            Self::Permanent(value) => value,
            Self::Revocable(value) => value,
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::sync::{Arc, AtomicBool, AtomicUsize};

    /// Counts its drops.
    struct Dropped(Arc<AtomicUsize>);

    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Revokes other values until `done` returns true: contexts of other tests may be pinned meanwhile.
    fn until(done: impl Fn() -> bool) {
        while !done() {
            Revocable::new(()).revoke();
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_value_in_use_is_dropped_after_its_last_use() {
        let drops = Arc::new(AtomicUsize::new(0));
        let count = || drops.load(Ordering::SeqCst);
        let value = Revocable::new(Dropped(Arc::clone(&drops)));
        let used = value.access().expect("it is there");
        value.revoke();
        assert!(value.access().is_none());
        (0..100).for_each(|_| Revocable::new(()).revoke());
        assert_eq!((count(), Arc::strong_count(&used.0)), (0, 2));
        drop(used);
        until(|| count() == 1);
        value.revoke();
        drop(value);
        drop(Revocable::new(Dropped(Arc::clone(&drops))));
        assert_eq!(count(), 2);
    }

    #[test]
    fn values_that_many_read_are_dropped_once_after_their_revocation() {
        const PLACES: usize = 200;
        let drops = Arc::new(AtomicUsize::new(0));
        let places: Vec<_> = (0..PLACES)
            .map(|number| Revocable::new((number, Dropped(Arc::clone(&drops)))))
            .collect();
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for attached in [false, true, true] {
                let (places, over) = (&places, &over);
                scope.spawn(move || {
                    if attached {
                        let _attached = crate::current();
                    }
                    while !over.load(Ordering::Relaxed) {
                        for (number, place) in places.iter().enumerate() {
                            assert!(place.access().is_none_or(|value| value.0 == number));
                        }
                    }
                });
            }
            for place in &places {
                place.revoke();
                std::thread::yield_now();
            }
            over.store(true, Ordering::Relaxed);
        });
        until(|| drops.load(Ordering::SeqCst) == PLACES);
    }
}
