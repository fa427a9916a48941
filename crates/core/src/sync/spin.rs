//! A lock for critical sections of a few dozen instructions.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};

use super::{AtomicBool, Bias, Ordering, Serialized, if_biased, wait_for};

/// What says that a lock is held.
#[derive(Default)]
pub(super) struct Held(AtomicBool);

impl Held {
    /// Of a free lock.
    #[cfg(not(loom))]
    const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Of a free lock.
    #[cfg(loom)]
    fn new() -> Self {
        Self::default()
    }

    /// Takes the lock, waiting for it if need be.
    #[inline]
    pub(super) fn take(&self) {
        if !self.exchange() {
            self.take_contended();
        }
    }

    #[cold]
    fn take_contended(&self) {
        wait_for(|| self.try_take().then_some(()));
    }

    /// Takes the lock if it is free.
    #[inline]
    pub(super) fn try_take(&self) -> bool {
        !self.is_taken() && self.exchange()
    }

    #[inline]
    fn exchange(&self) -> bool {
        // Acquire pairs with the Release in `release`.
        self.0
            .compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

    /// Takes the lock, which is free, where nobody else takes it.
    #[inline]
    pub(super) fn take_alone(&self) {
        debug_assert!(!self.is_taken(), "the promise of serialization is broken");
        // Relaxed: the next thread sees it, and the value, by the promise.
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has it: a hint.
    #[inline]
    fn is_taken(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Releases the lock, for whoever has it.
    #[inline]
    pub(super) fn release(&self) {
        // Release pairs with the Acquire in `exchange`.
        self.0.store(false, Ordering::Release);
    }

    /// The word itself, for a guard that releases the lock by it.
    #[inline]
    pub(super) fn word(&self) -> &AtomicBool {
        &self.0
    }
}

/// A lock for short critical sections: a waiter spins for a bounded time, and then leaves its core to others, for
/// longer and longer.
///
/// It blocks the kernel thread, not the execution context: never hold it across [`crate::park`], [`crate::yield_now`]
/// or a copy of unbounded length. Without contention, to take it costs one locked instruction, and to release it a
/// plain store. For the sake of the latter nobody wakes waiters, which poll instead: they notice the delay only if the
/// holder has lost its core.
#[derive(Default)]
pub struct SpinLock<T: ?Sized> {
    held: Held,
    value: UnsafeCell<T>,
}

// SAFETY:
// - the lock gives access to the value to one thread at a time.
unsafe impl<T: ?Sized + Send> Send for SpinLock<T> {}
// SAFETY:
// - as above; sharing the lock only lets threads use the value one after the other.
unsafe impl<T: ?Sized + Send> Sync for SpinLock<T> {}

/// Access to the value of a [`SpinLock`]; dropping it unlocks.
#[clippy::has_significant_drop]
pub struct SpinGuard<'a, T: ?Sized> {
    lock: &'a SpinLock<T>,
}

impl<T> SpinLock<T> {
    /// A free lock around `value`.
    #[cfg(not(loom))]
    pub const fn new(value: T) -> Self {
        Self {
            held: Held::new(),
            value: UnsafeCell::new(value),
        }
    }

    /// A free lock around `value`.
    #[cfg(loom)]
    pub fn new(value: T) -> Self {
        Self {
            held: Held::new(),
            value: UnsafeCell::new(value),
        }
    }
}

impl<T: ?Sized> SpinLock<T> {
    /// Takes the lock, waiting for it if need be.
    #[inline]
    pub fn lock(&self) -> SpinGuard<'_, T> {
        self.held.take();
        SpinGuard { lock: self }
    }

    /// Takes the lock, without a locked instruction if those that take it are serialized.
    #[inline]
    pub fn lock_serialized(&self, serialized: &Serialized) -> SpinGuard<'_, T> {
        if !serialized.holds() {
            return self.lock();
        }
        self.take_alone()
    }

    /// Takes the lock, without a locked instruction while the process is [biased](super::begin_bias). Everybody that
    /// takes it must then be serialized with the caller.
    #[inline]
    pub fn lock_biased(&self) -> SpinGuard<'_, T> {
        if_biased(|| Some(self.take_alone()), || None).unwrap_or_else(|| self.lock())
    }

    /// As [`SpinLock::lock_biased`], with this bias.
    #[inline]
    pub fn lock_by(&self, bias: &Bias) -> SpinGuard<'_, T> {
        bias.step(|| Some(self.take_alone()), || None)
            .unwrap_or_else(|| self.lock())
    }

    /// Takes the lock if it is free, as [`SpinLock::lock_biased`].
    #[inline]
    pub fn try_lock_biased(&self) -> Option<SpinGuard<'_, T>> {
        if self.held.is_taken() {
            return None;
        }
        if_biased(|| Some(self.take_alone()), || self.try_lock())
    }

    /// Takes the lock, which is free, where nobody else takes it.
    #[inline]
    fn take_alone(&self) -> SpinGuard<'_, T> {
        self.held.take_alone();
        SpinGuard { lock: self }
    }

    /// Takes the lock if it is free.
    #[inline]
    pub fn try_lock(&self) -> Option<SpinGuard<'_, T>> {
        self.held.try_take().then(|| SpinGuard { lock: self })
    }

    /// Releases the lock on behalf of a guard that was forgotten.
    ///
    /// # Safety
    ///
    /// The lock is held and its guard has been forgotten; nobody uses the value any more.
    #[inline]
    pub(crate) unsafe fn unlock(&self) {
        self.held.release();
    }

    /// The value, for a caller that holds the lock without a guard.
    #[cfg(not(loom))]
    pub(crate) fn value_ptr(&self) -> *mut T {
        self.value.get()
    }
}

impl<'a, T: ?Sized> SpinGuard<'a, T> {
    /// Leaves the lock held, for somebody else to release.
    #[cfg(not(loom))]
    #[inline]
    pub(crate) fn leave_held(self) -> &'a SpinLock<T> {
        let lock = self.lock;
        std::mem::forget(self);
        lock
    }
}

impl<T: ?Sized> Deref for SpinGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY:
        // - the guard proves that this thread holds the lock.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T: ?Sized> DerefMut for SpinGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY:
        // - the guard proves that this thread holds the lock, and it is borrowed mutably.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T: ?Sized> Drop for SpinGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY:
        // - the lock is held by this guard, whose last use this is.
        unsafe { self.lock.unlock() }
    }
}

impl<T: ?Sized> std::fmt::Debug for SpinLock<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SpinLock").finish_non_exhaustive()
    }
}
