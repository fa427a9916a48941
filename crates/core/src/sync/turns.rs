//! Locks for those who mostly take turns anyway.

use std::ops::{Deref, DerefMut};

use super::{AtomicBool, Ordering, SpinLock, solitude};

/// A [`SpinLock`] that is a matter of form while the process is in [solitude](super::begin_solitude).
#[derive(Default)]
pub struct TurnLock<T>(SpinLock<T>);

/// Access to the value of a [`TurnLock`]; dropping it unlocks.
pub struct TurnGuard<'a, T>(&'a SpinLock<T>);

impl<T> TurnLock<T> {
    /// A free lock around `value`.
    pub fn new(value: T) -> Self {
        Self(SpinLock::new(value))
    }

    /// Takes the lock, waiting for it if need be.
    #[inline]
    pub fn lock(&self) -> TurnGuard<'_, T> {
        if !solitude::enter() {
            std::mem::forget(self.0.lock());
        }
        TurnGuard(&self.0)
    }

    /// Takes the lock if it is free.
    #[inline]
    pub fn try_lock(&self) -> Option<TurnGuard<'_, T>> {
        if !solitude::enter() {
            std::mem::forget(self.0.try_lock()?);
        }
        Some(TurnGuard(&self.0))
    }
}

impl<T> Deref for TurnGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY:
        // - the guard proves that this thread holds the lock, or has the process to itself until the guard is dropped.
        unsafe { &*self.0.value_ptr() }
    }
}

impl<T> DerefMut for TurnGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY:
        // - as above, and the guard is borrowed mutably.
        unsafe { &mut *self.0.value_ptr() }
    }
}

impl<T> Drop for TurnGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if !solitude::leave() {
            // SAFETY:
            // - not in solitude the lock was taken, by this guard, whose last use this is.
            unsafe { self.0.unlock() }
        }
    }
}

impl<T> std::fmt::Debug for TurnLock<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TurnLock").finish_non_exhaustive()
    }
}

/// Whether those who share something take turns.
#[derive(Debug, Default)]
pub struct Turns(AtomicBool);

impl Turns {
    /// They do so from now on.
    ///
    /// # Safety
    ///
    /// Until [`Turns::end`], what is locked with these turns is locked by one thread after the other, each seeing what
    /// the ones before have done; and so is `end` called.
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
    pub fn are_taken(&self) -> bool {
        // Relaxed: each thread that has a turn sees what was written in the ones before.
        self.0.load(Ordering::Relaxed)
    }
}
