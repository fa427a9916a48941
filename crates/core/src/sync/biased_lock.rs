//! A spin lock that is free of locked instructions while the process is biased.

use std::ops::{Deref, DerefMut};

use super::{SpinLock, bias};

/// A [`SpinLock`] that is not taken while the process is [biased](super::begin_bias).
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
        // - the guard proves that this thread holds the lock, or is within an access of a biased process.
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
            // - outside of a biased access the lock was taken, by this guard, whose last use this is.
            unsafe { self.0.unlock() }
        }
    }
}

impl<T> std::fmt::Debug for BiasedLock<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BiasedLock").finish_non_exhaustive()
    }
}
