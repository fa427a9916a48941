//! A counted reference that somebody has no more use for, kept for who needs one next.
//!
//! To copy a counted reference, and to drop it, are a locked instruction each. Where something is handed to and fro
//! between two who take turns, the same reference goes there and back instead.

use std::ptr;

use super::{Arc, AtomicPtr, Ordering, if_biased};

/// Room for a reference.
pub struct ArcCache<T>(AtomicPtr<T>);

impl<T> Default for ArcCache<T> {
    fn default() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }
}

impl<T> ArcCache<T> {
    /// Keeps a reference at a place, which may be in what it refers to, if there is none yet and the process is in
    /// [solitude](super::begin_bias); otherwise drops it.
    ///
    /// Where the place is in what is referred to, somebody is to [take](ArcCache::take) the reference out before he
    /// drops the last other one: the two would keep each other.
    #[inline]
    pub fn put(reference: Arc<T>, place: impl Fn(&T) -> &Self) {
        let keep = || {
            let Self(room) = place(&reference);
            // Relaxed: only who has the process to himself keeps anything.
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

    /// The reference that is kept, if there is one.
    #[inline]
    pub fn take(&self) -> Option<Arc<T>> {
        let Self(room) = self;
        // Relaxed: a hint, but in solitude.
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
        // - a pointer that is not null is that of a reference that `put` has forgotten, and nobody else has it: it is
        //   null from now on.
        (!kept.is_null()).then(|| unsafe { Arc::from_raw(kept) })
    }

    /// Whether a reference is kept: a hint, if somebody else may take it.
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
