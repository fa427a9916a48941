//! Locks for those who mostly take turns anyway.

use std::ops::{Deref, DerefMut};

use super::{AtomicBool, Ordering, SpinLock, bias};

/// A [`SpinLock`] that is a matter of form while the process is in [solitude](super::begin_bias).
#[derive(Default)]
pub struct BiasedLock<T>(SpinLock<T>);

/// Access to the value of a [`BiasedLock`]; dropping it unlocks.
pub struct BiasedGuard<'a, T>(&'a SpinLock<T>);

impl<T> BiasedLock<T> {
    /// A free lock around `value`.
    pub fn new(value: T) -> Self {
        Self(SpinLock::new(value))
    }

    /// Takes the lock, waiting for it if need be.
    #[inline]
    pub fn lock(&self) -> BiasedGuard<'_, T> {
        if !bias::enter() {
            std::mem::forget(self.0.lock());
        }
        BiasedGuard(&self.0)
    }

    /// Takes the lock if it is free.
    #[inline]
    pub fn try_lock(&self) -> Option<BiasedGuard<'_, T>> {
        if !bias::enter() {
            std::mem::forget(self.0.try_lock()?);
        }
        Some(BiasedGuard(&self.0))
    }
}

impl<T> Deref for BiasedGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY:
        // - the guard proves that this thread holds the lock, or has the process to itself until the guard is dropped.
        unsafe { &*self.0.value_ptr() }
    }
}

impl<T> DerefMut for BiasedGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY:
        // - as above, and the guard is borrowed mutably.
        unsafe { &mut *self.0.value_ptr() }
    }
}

impl<T> Drop for BiasedGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if !bias::leave() {
            // SAFETY:
            // - not in solitude the lock was taken, by this guard, whose last use this is.
            unsafe { self.0.unlock() }
        }
    }
}

impl<T> std::fmt::Debug for BiasedLock<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BiasedLock").finish_non_exhaustive()
    }
}

/// Whether those who share something take turns.
#[derive(Debug, Default)]
pub struct Serialized(AtomicBool);

impl Serialized {
    /// They do so from now on.
    ///
    /// # Safety
    ///
    /// Until [`Serialized::end`], what is locked with these turns is locked by one thread after the other, each seeing
    /// what the ones before have done; and so is `end` called.
    pub unsafe fn begin(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// They do not any more.
    pub fn end(&self) {
        self.0.store(false, Ordering::SeqCst);
    }

    /// Whether they do.
    #[inline]
    #[must_use]
    pub fn holds(&self) -> bool {
        // Relaxed: each thread that has a turn sees what was written in the ones before.
        self.0.load(Ordering::Relaxed)
    }
}
