//! A cache of one counted reference, which is kept for the next use instead of being dropped.
//!
//! To clone a counted reference and to drop it costs a locked instruction each. Where a reference is handed to and fro
//! between two sides, the cache lets the same one go there and back.

use std::ptr;

use super::{Arc, AtomicPtr, Ordering, if_biased};

/// Room for one counted reference.
pub struct ArcCache<T>(AtomicPtr<T>);

impl<T> Default for ArcCache<T> {
    fn default() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }
}

impl<T> ArcCache<T> {
    /// Puts a reference into the cache at `place`, if that is empty and the process is [biased](super::begin_bias);
    /// otherwise drops the reference.
    ///
    /// The cache may lie in the object that the reference keeps alive. Then somebody has to [take](ArcCache::take) the
    /// reference out before the last other one is dropped, or the object is never freed.
    #[inline]
    pub fn put(reference: Arc<T>, place: impl Fn(&T) -> &Self) {
        let keep = || {
            let Self(room) = place(&reference);
            // Relaxed: references are put here only while the process is biased.
            let is_free = room.load(Ordering::Relaxed).is_null();
            if is_free {
                room.store(Arc::as_ptr(&reference).cast_mut(), Ordering::Relaxed);
            }
            is_free
        };
        if if_biased(keep, || false) {
            std::mem::forget(reference);
        }
    }

    /// Takes the reference out, if there is one.
    #[inline]
    pub fn take(&self) -> Option<Arc<T>> {
        let Self(room) = self;
        // Relaxed: a hint, except while the process is biased.
        let kept = room.load(Ordering::Relaxed);
        if kept.is_null() {
            return None;
        }
        let plain = || {
            room.store(ptr::null_mut(), Ordering::Relaxed);
            kept
        };
        let kept = if_biased(plain, || room.swap(ptr::null_mut(), Ordering::Acquire));
        // SAFETY:
        // - a pointer that is not null is that of a reference that `put` has forgotten, and nobody else has taken it:
        //   the word is null from now on.
        (!kept.is_null()).then(|| unsafe { Arc::from_raw(kept) })
    }

    /// Whether there is a reference: a hint, if somebody else may take it.
    #[inline]
    #[must_use]
    pub fn is_full(&self) -> bool {
        !self.0.load(Ordering::Relaxed).is_null()
    }
}

impl<T> Drop for ArcCache<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}

impl<T> std::fmt::Debug for ArcCache<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ArcCache").field(&self.is_full()).finish()
    }
}
