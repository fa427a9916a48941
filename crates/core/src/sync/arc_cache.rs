//! A cache of one counted reference, which is kept for the next use instead of being dropped.
//!
//! To clone a counted reference and to drop it costs a locked instruction each. Where a reference goes to and fro
//! between two sides, the cache lets the same one go there and back.
//!
//! # Protocol
//!
//! The cache lies in the object that the reference keeps alive. The owner of the object takes the reference out and
//! gives it to the other side. The other side puts it back, and then tells the owner so, by its last access to the
//! object. So the cache is never used by both at the same time, and plain loads and stores suffice.

use std::ptr;

use super::{Arc, AtomicPtr, Ordering};

/// Room for one counted reference.
pub struct ArcCache<T>(AtomicPtr<T>);

impl<T> Default for ArcCache<T> {
    fn default() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }
}

impl<T> ArcCache<T> {
    /// Puts a reference into the cache at `place`, which is empty, and then calls `tell` with the object.
    ///
    /// Somebody has to [take](ArcCache::take) the reference out before the last other one is dropped, or the object is
    /// never freed.
    ///
    /// # Safety
    ///
    /// * Nobody else uses the cache before `tell` has accessed the object for the last time.
    #[inline(always)]
    pub unsafe fn put(reference: Arc<T>, place: impl Fn(&T) -> &Self, tell: impl FnOnce(&T)) {
        let raw = Arc::into_raw(reference);
        // SAFETY:
        // - the reference in the cache keeps the object alive, and stays there until `tell` has used the object.
        let object = unsafe { &*raw };
        let Self(room) = place(object);
        debug_assert!(room.load(Ordering::Relaxed).is_null());
        // Relaxed: `tell` publishes it.
        room.store(raw.cast_mut(), Ordering::Relaxed);
        tell(object);
    }

    /// Takes the reference out, if there is one.
    ///
    /// # Safety
    ///
    /// * Nobody else uses the cache at the same time.
    #[inline]
    pub unsafe fn take(&self) -> Option<Arc<T>> {
        let Self(room) = self;
        // Relaxed: the caller has been told that the cache is no longer used by others.
        let kept = room.load(Ordering::Relaxed);
        if kept.is_null() {
            return None;
        }
        room.store(ptr::null_mut(), Ordering::Relaxed);
        // SAFETY:
        // - the pointer is that of a reference that `put` has turned into it, and nobody else takes it: the word is
        //   null from now on.
        Some(unsafe { Arc::from_raw(kept) })
    }

    /// Whether there is a reference: a hint, if somebody else may use the cache.
    #[inline]
    #[must_use]
    pub fn is_full(&self) -> bool {
        !self.0.load(Ordering::Relaxed).is_null()
    }
}

impl<T> Drop for ArcCache<T> {
    fn drop(&mut self) {
        // SAFETY:
        // - nobody else has a reference to the cache.
        drop(unsafe { self.take() });
    }
}

impl<T> std::fmt::Debug for ArcCache<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ArcCache").field(&self.is_full()).finish()
    }
}
