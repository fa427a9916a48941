//! Biased locks: locks for short critical sections that cost their owner no locked instruction.
//!
//! Most uses of such a lock are those of one thread, its owner; others come seldom. This is biased locking with
//! asymmetric fences, as in Dice, Moir and Scherer, "Quickly reacquirable locks" (2003).
//!
//! # Protocol
//!
//! * `held` is taken by a locked instruction. Whoever has it, and finds that the lock has no owner, has the lock.
//! * The owner sets `owner_holds`, issues a light fence, and reads `owner`. If that is its own number it has the lock;
//!   otherwise it clears `owner_holds` and goes the way of all others.
//! * Whoever has `held` and finds an owner revokes the bias: it clears `owner`, issues a heavy fence (`membarrier(2)`),
//!   and waits until `owner_holds` is clear. With the two fences, either it sees that the owner has the lock, or the
//!   owner sees that it owns it no more.
//! * A thread that could own the lock counts how often it takes `held` with nobody else in between. With the last count
//!   it becomes the owner, and says so while it has `held`.
//!
//! # Costs
//!
//! The owner takes the lock with a store and two loads of one line, and releases it with a store. Others pay a locked
//! instruction, as for a [`SpinLock`](super::SpinLock), and a load of the same line. A revocation is a system call of
//! some microseconds; there is at most one for each [`UNSHARED`] times that the owner has taken the lock.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};

use super::asymmetric_fence::{enable_heavy_fence, heavy_fence, light_fence};
use super::spin::Held;
use super::{AtomicBool, AtomicU16, AtomicU32, Ordering, bias, wait_for};

/// So often a thread takes a lock, with nobody else in between, before it owns the lock.
#[cfg(not(loom))]
const UNSHARED: u16 = 1024;
#[cfg(loom)]
const UNSHARED: u16 = 1;

/// The owner of a lock that nobody has taken yet who could own it.
const NOBODY: u32 = 0;
/// Set in the number of a thread that owns the lock; without it the thread could come to own it.
const OWNED: u32 = 1 << 31;

/// A lock for short critical sections, of which one thread at a time may be the owner.
///
/// As a [`SpinLock`](super::SpinLock) it blocks the kernel thread, not the execution context.
#[repr(C)]
pub struct BiasedLock<T: ?Sized> {
    held: Held,
    owner_holds: AtomicBool,
    /// How often the thread that could own the lock has to take it before it does. Changed by whoever has `held`.
    until_owned: AtomicU16,
    /// The number of the owner, or of the last thread that could own the lock. Changed by whoever has `held`.
    owner: AtomicU32,
    value: UnsafeCell<T>,
}

// SAFETY:
// - the lock gives access to the value to one thread at a time.
unsafe impl<T: ?Sized + Send> Send for BiasedLock<T> {}
// SAFETY:
// - as above; sharing the lock only lets threads use the value one after the other.
unsafe impl<T: ?Sized + Send> Sync for BiasedLock<T> {}

/// Who may own locks: a thread, by a number that nobody else has.
#[derive(Debug)]
pub struct LockOwner(u32);

/// Access to the value of a [`BiasedLock`]; dropping it unlocks.
#[clippy::has_significant_drop]
pub struct BiasedGuard<'a, T: ?Sized> {
    value: &'a UnsafeCell<T>,
    /// What says that the lock is taken.
    taken: &'a AtomicBool,
}

impl LockOwner {
    /// One that owns no lock yet.
    ///
    /// # Safety
    ///
    /// It is passed to [`BiasedLock::lock_as`] and [`BiasedLock::try_lock_as`] by one thread after the other, each
    /// seeing what those before have done.
    #[must_use]
    pub unsafe fn new() -> Self {
        #[cfg(not(loom))]
        static LAST: super::AtomicU64 = super::AtomicU64::new(0);
        // Relaxed: only the number counts.
        #[cfg(not(loom))]
        let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        // One in each model.
        #[cfg(loom)]
        let number: u64 = 1;
        // Those that come after 2^31 others have the number of nobody, and own nothing.
        let number = u32::try_from(number).ok().filter(|number| number & OWNED == 0);
        Self(number.unwrap_or(NOBODY) | OWNED)
    }
}

impl<T> BiasedLock<T> {
    /// A free lock around `value`, without an owner.
    pub fn new(value: T) -> Self {
        Self {
            held: Held::default(),
            owner_holds: AtomicBool::new(false),
            until_owned: AtomicU16::new(UNSHARED),
            owner: AtomicU32::new(NOBODY),
            value: UnsafeCell::new(value),
        }
    }
}

impl<T: ?Sized> BiasedLock<T> {
    /// Takes the lock, waiting for it if need be. Not for the owner, which may do so, but loses the lock by it.
    ///
    /// While the process is [biased](super::begin_bias) it takes no locked instruction; everybody that takes the lock
    /// must then be serialized with the caller.
    #[inline]
    pub fn lock(&self) -> BiasedGuard<'_, T> {
        let take = || {
            self.take();
            self.note_other();
        };
        bias::if_biased(|| self.held.take_alone(), take);
        self.guard(self.held.word())
    }

    /// Takes the lock if it is free.
    #[inline]
    pub fn try_lock(&self) -> Option<BiasedGuard<'_, T>> {
        self.try_take().then(|| {
            self.note_other();
            self.guard(self.held.word())
        })
    }

    /// Takes the lock, waiting for it if need be, for somebody that may own it.
    #[inline(always)]
    pub fn lock_as(&self, owner: &LockOwner) -> BiasedGuard<'_, T> {
        match self.take_as_owner(owner) {
            Some(guard) => guard,
            None => self.lock_towards(owner),
        }
    }

    /// Takes the lock if it is free, for somebody that may own it.
    #[inline(always)]
    pub fn try_lock_as(&self, owner: &LockOwner) -> Option<BiasedGuard<'_, T>> {
        match self.take_as_owner(owner) {
            Some(guard) => Some(guard),
            None => self.try_lock_towards(owner),
        }
    }

    /// Takes the lock if this is its owner.
    #[inline(always)]
    fn take_as_owner(&self, owner: &LockOwner) -> Option<BiasedGuard<'_, T>> {
        // Relaxed: read again below.
        if self.owner.load(Ordering::Relaxed) != owner.0 {
            return None;
        }
        debug_assert!(
            !self.owner_holds.load(Ordering::Relaxed),
            "the owner has the lock already"
        );
        self.owner_holds.store(true, Ordering::Relaxed);
        // Pairs with the heavy fence in `try_revoke`: see the protocol.
        light_fence();
        // Relaxed: the owner has written it itself, when it had `held`, and has seen then what others have done.
        if self.owner.load(Ordering::Relaxed) == owner.0 {
            return Some(self.guard(&self.owner_holds));
        }
        self.owner_holds.store(false, Ordering::Release);
        None
    }

    #[inline(never)]
    fn lock_towards(&self, owner: &LockOwner) -> BiasedGuard<'_, T> {
        self.take();
        self.come_nearer(owner);
        self.guard(self.held.word())
    }

    #[inline(never)]
    fn try_lock_towards(&self, owner: &LockOwner) -> Option<BiasedGuard<'_, T>> {
        self.try_take().then(|| {
            self.come_nearer(owner);
            self.guard(self.held.word())
        })
    }

    /// Takes `held`, and the lock from its owner, waiting for both if need be.
    #[inline(always)]
    fn take(&self) {
        self.held.take();
        if self.is_biased() {
            self.revoke();
        }
    }

    /// Takes `held` if it is free, and the lock from its owner if that does not have it.
    #[inline(always)]
    fn try_take(&self) -> bool {
        if !self.held.try_take() {
            return false;
        }
        let is_free = !self.is_biased() || self.try_revoke();
        if !is_free {
            self.held.release();
        }
        is_free
    }

    /// Notes, for whoever has `held`, that the lock is taken by somebody who cannot own it.
    #[inline(always)]
    fn note_other(&self) {
        // Relaxed: as below.
        self.until_owned.store(UNSHARED, Ordering::Relaxed);
    }

    /// Notes, for whoever has `held`, that the lock is taken by somebody who could own it.
    #[inline(always)]
    fn come_nearer(&self, owner: &LockOwner) {
        // Relaxed: only whoever has `held` uses these.
        let is_last = self.owner.load(Ordering::Relaxed) == owner.0 & !OWNED;
        match self.until_owned.load(Ordering::Relaxed) {
            0 if is_last => self.become_owner(owner),
            left if is_last => self.until_owned.store(left - 1, Ordering::Relaxed),
            _ => {
                self.owner.store(owner.0 & !OWNED, Ordering::Relaxed);
                self.until_owned.store(UNSHARED - 1, Ordering::Relaxed);
            }
        }
    }

    /// Has the caller, which has `held`, own the lock from its next use on.
    #[cold]
    #[inline(never)]
    fn become_owner(&self, owner: &LockOwner) {
        let is_somebody = owner.0 != OWNED;
        // In a biased process others would take the lock without a look at its owner.
        if is_somebody && !bias::is_process_biased() && enable_heavy_fence() {
            // Relaxed: others look at it when they have `held`.
            self.owner.store(owner.0, Ordering::Relaxed);
        }
        self.until_owned.store(UNSHARED, Ordering::Relaxed);
    }

    /// Whether, for the caller, which has `held`, somebody owns the lock or is about to find that it does not.
    #[inline(always)]
    fn is_biased(&self) -> bool {
        // Relaxed: written by whoever had `held`. Acquire pairs with the Release at the end of the owner's use.
        self.owner.load(Ordering::Relaxed) & OWNED != 0 || self.owner_holds.load(Ordering::Acquire)
    }

    /// Takes the lock from its owner, waiting until that does not have it. For whoever has `held`.
    #[cold]
    #[inline(never)]
    fn revoke(&self) {
        wait_for(|| self.try_revoke().then_some(()));
    }

    /// Takes the lock from its owner. Says whether that does not have it now. For whoever has `held`.
    #[cold]
    #[inline(never)]
    fn try_revoke(&self) -> bool {
        // Relaxed: only whoever has `held` writes it.
        if self.owner.load(Ordering::Relaxed) & OWNED != 0 {
            self.owner.store(NOBODY, Ordering::Relaxed);
            heavy_fence();
        }
        // Acquire pairs with the Release at the end of the owner's use.
        !self.owner_holds.load(Ordering::Acquire)
    }

    #[inline(always)]
    fn guard<'a>(&'a self, taken: &'a AtomicBool) -> BiasedGuard<'a, T> {
        BiasedGuard {
            value: &self.value,
            taken,
        }
    }
}

impl<T: Default> Default for BiasedLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: ?Sized> Deref for BiasedGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY:
        // - the guard proves that this thread has the lock.
        unsafe { &*self.value.get() }
    }
}

impl<T: ?Sized> DerefMut for BiasedGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY:
        // - the guard proves that this thread has the lock, and it is borrowed mutably.
        unsafe { &mut *self.value.get() }
    }
}

impl<T: ?Sized> Drop for BiasedGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // Release pairs with the Acquire of whoever takes the lock next, or revokes the bias.
        self.taken.store(false, Ordering::Release);
    }
}

impl<T: ?Sized> std::fmt::Debug for BiasedLock<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BiasedLock").finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::thread;

    fn owner() -> LockOwner {
        // SAFETY:
        // - each test uses it in one thread.
        unsafe { LockOwner::new() }
    }

    /// Raises a number by a load and a store, as whoever takes the lock so.
    fn raise(mut number: BiasedGuard<'_, u64>) {
        let before = std::hint::black_box(*number);
        *number = before + 1;
    }

    #[test]
    fn who_takes_a_lock_alone_comes_to_own_it_until_another_takes_it() {
        let (first, second, lock) = (owner(), owner(), BiasedLock::new(0));
        let is_owned_by = |owner: &LockOwner| lock.owner.load(Ordering::Relaxed) == owner.0;
        let take = |owner: &LockOwner, times: u16| (0..times).for_each(|_| raise(lock.lock_as(owner)));
        take(&first, UNSHARED);
        assert!(!is_owned_by(&first), "not yet");
        take(&first, 1);
        // Where the kernel has no heavy fences there is no owner.
        let may = enable_heavy_fence();
        assert_eq!(is_owned_by(&first), may);
        take(&second, 1);
        assert!(!is_owned_by(&first), "somebody else has taken it");
        take(&second, UNSHARED + 1);
        assert_eq!(is_owned_by(&second), may);
        raise(lock.lock());
        assert!(!is_owned_by(&second));
        assert_eq!(*lock.lock(), 2 * u64::from(UNSHARED) + 4);
    }

    #[test]
    fn nothing_is_lost_when_others_take_a_lock_from_its_owner() {
        const TIMES: u64 = 300_000;
        let (owner, lock) = (owner(), BiasedLock::new(0));
        // Seldom enough for the owner to own the lock again and again.
        let seldom = |time: &u64| time.is_multiple_of(4096);
        let raised: u64 = thread::scope(|scope| {
            let others = [true, false].map(|tries| {
                let lock = &lock;
                scope.spawn(move || {
                    let mut raised = 0;
                    for _ in (0..TIMES).filter(seldom) {
                        let guard = if tries { lock.try_lock() } else { Some(lock.lock()) };
                        raised += guard.map_or(0, |guard| {
                            raise(guard);
                            1
                        });
                        thread::yield_now();
                    }
                    raised
                })
            });
            (0..TIMES).for_each(|_| raise(lock.lock_as(&owner)));
            let others = others.into_iter().map(|other| other.join().expect("it ends"));
            TIMES + others.sum::<u64>()
        });
        assert_eq!(*lock.lock(), raised);
    }
}
