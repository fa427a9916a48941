//! A value that others read without a lock until it is revoked, and that is dropped when none of them does any more.
//!
//! # Protocol
//!
//! 1. A reader [pins](pin) its execution context, loads the pointer, and unpins when it has done with the value.
//! 2. [`Revocable::revoke`] replaces the pointer by null and puts a fence into all threads of the process. A reader
//!    that has pinned before that is seen to be pinned; one that pins later finds null.
//! 3. If nobody is pinned then, whatever has been revoked so far is dropped. Otherwise it waits in a list for the next
//!    time that something is revoked.
//!
//! So a value that is read at the moment of its revocation lasts until another one is revoked. Where the kernel has no
//! fences for all threads, no revoked value is dropped.
//!
//! Costs: two plain stores for each read, a load of the pointer; a system call and a look at all control blocks for
//! each revocation.

mod pin;

use std::ops::Deref;
use std::ptr;

use crate::sync::asymmetric_fence::{enable_heavy_fence, heavy_fence};
use crate::sync::{AtomicPtr, Ordering, SpinLock};
use pin::{Pin, is_anybody_pinned};

/// A value that can be revoked.
pub struct Revocable<T: Send + Sync + 'static>(AtomicPtr<T>);

/// The use of a revocable value, which is there for as long.
pub struct RevocableGuard<'a, T> {
    value: &'a T,
    _pin: Pin,
}

/// The use of a value that may be revocable.
pub enum EntryRef<'a, T> {
    /// It is not.
    Permanent(&'a T),
    /// It is.
    Revocable(RevocableGuard<'a, T>),
}

/// What has been revoked while somebody was pinned.
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
        // Relaxed: who knows of the place has learnt of it after the value was put there.
        let value = self.0.load(Ordering::Relaxed);
        // SAFETY:
        // - it was not revoked after this execution context was pinned, so it is not dropped as long as that is;
        // - nobody has an exclusive reference to a value that has not been revoked.
        let value = unsafe { value.as_ref() }?;
        Some(RevocableGuard { value, _pin: pin })
    }

    /// From now on nobody gets the value. It is dropped as soon as nobody uses it, or later.
    pub fn revoke(&self) {
        // AcqRel: what was written to it before comes before its drop.
        let value = self.0.swap(ptr::null_mut(), Ordering::AcqRel);
        if !value.is_null() {
            // SAFETY:
            // - `new` has made it of a box, and only one swap finds it.
            drop_unused(unsafe { Box::from_raw(value) });
        }
    }
}

/// Drops what nobody uses any more, this value and others, or leaves it to the next revocation. Nobody gets it any more.
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
            // - `new` has made it of a box, it has not been revoked, and nobody else refers to the place any more.
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

    /// Notes that it has been dropped.
    struct Dropped(Arc<AtomicUsize>);

    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Revokes others until those that wait have been dropped: other tests pin, too.
    fn until(done: impl Fn() -> bool) {
        while !done() {
            Revocable::new(()).revoke();
            std::thread::yield_now();
        }
    }

    #[test]
    fn what_is_used_is_dropped_when_it_is_no_more() {
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
    fn many_read_what_is_revoked_and_replaced_again_and_again() {
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
