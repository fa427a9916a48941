//! A process whose engine one thread has to itself, so that locks are a matter of form.
//!
//! Most programs say that their threads take turns in calling MPI. Where such a program has its process to itself,
//! and no thread of ours works for it, nobody ever waits for a lock; but taking one is a locked instruction, and the
//! path of a short message has ten. In solitude an access is bracketed by plain stores instead.
//!
//! A second thread that comes ends the solitude, for good, before it touches anything: it says so, has the kernel put
//! a barrier into every running thread (`membarrier(2)`), and waits until nobody is within an access. From then on
//! all take the locks.
//!
//! Costs: of an access in solitude three stores and four loads of one line; otherwise two loads of a line that nobody
//! writes. The end is a system call, once.

use super::asymmetric_fence::{enable_heavy_fence, heavy_fence, light_fence};
use super::{AtomicU8, AtomicU32, Ordering, back_off, relax};
#[cfg(not(loom))]
use crossbeam_utils::CachePadded;

/// Nobody has said yet whether there will be others.
const OPEN: u8 = 0;
const ALONE: u8 = 1;
const SHARED: u8 = 2;

/// In `depth`: somebody looks whether there is still bias. Others that see it are not within an access for that.
const KNOCK: u32 = 1;
/// In `depth`: an access.
const ACCESS: u32 = 2;

/// Looks at an access that does not end before whoever waits for that offers its core to others.
const SPINS: u32 = 200;

/// Whether one thread at a time uses something, without locks.
pub struct Bias {
    state: AtomicU8,
    /// Accesses within each other, times [`ACCESS`]. Written by whoever has the turn.
    depth: AtomicU32,
}

#[cfg(not(loom))]
static PROCESS: CachePadded<Bias> = CachePadded::new(Bias::new());

impl Bias {
    /// Not begun.
    #[cfg(not(loom))]
    #[must_use]
    pub const fn new() -> Self {
        Self {
            state: AtomicU8::new(OPEN),
            depth: AtomicU32::new(0),
        }
    }

    /// Not begun.
    #[cfg(loom)]
    #[must_use]
    pub fn new() -> Self {
        Self {
            state: AtomicU8::new(OPEN),
            depth: AtomicU32::new(0),
        }
    }

    /// Begins, unless it has ended before or the kernel cannot end it.
    ///
    /// # Safety
    ///
    /// From now on threads that come to an access of any kind do so one after the other, each seeing what the ones
    /// before have done, until [`Bias::end`] has returned; nobody is within an access.
    pub unsafe fn begin(&self) {
        if enable_heavy_fence() {
            let _ = self
                .state
                .compare_exchange(OPEN, ALONE, Ordering::SeqCst, Ordering::SeqCst);
        }
    }

    /// Ends for good. When it returns, nobody is within an access that counts on it. Not to be called within one.
    pub fn end(&self) {
        if self.state.swap(SHARED, Ordering::SeqCst) == SHARED {
            return self.until_left();
        }
        heavy_fence();
        self.until_left();
    }

    fn until_left(&self) {
        let mut looks = 0;
        // Acquire pairs with the Release in `leave`.
        while self.depth.load(Ordering::Acquire) > 0 {
            looks += 1;
            if looks < SPINS {
                relax();
            } else {
                back_off(looks - SPINS);
            }
        }
    }

    /// Begins an access. If true, no lock is needed, and [`Bias::leave`] has to be called; what is entered before
    /// that is part of the same access.
    #[inline]
    pub fn enter(&self) -> bool {
        // Relaxed: within an access it is this thread's, and there is none once the solitude has ended.
        let depth = self.depth.load(Ordering::Relaxed);
        if depth >= ACCESS {
            self.depth.store(depth + ACCESS, Ordering::Relaxed);
            return true;
        }
        // Relaxed: looked at again below.
        if self.state.load(Ordering::Relaxed) != ALONE {
            return false;
        }
        self.depth.store(KNOCK, Ordering::Relaxed);
        // Pairs with the heavy barrier in `end`: either that thread sees the knock, or this one the end.
        light_fence();
        if self.state.load(Ordering::Relaxed) == ALONE {
            self.depth.store(ACCESS, Ordering::Relaxed);
            return true;
        }
        // Release, as in `leave`.
        self.depth.store(0, Ordering::Release);
        false
    }

    /// Ends an access; false if it was one that needs locks.
    #[inline]
    pub fn leave(&self) -> bool {
        // Relaxed: as in `enter`.
        let depth = self.depth.load(Ordering::Relaxed);
        if depth < ACCESS {
            return false;
        }
        // Release pairs with the Acquire in `until_left`.
        self.depth.store(depth - ACCESS, Ordering::Release);
        true
    }
}

impl Default for Bias {
    fn default() -> Self {
        Self::new()
    }
}

/// Begins the solitude of this process, unless it has ended before.
///
/// # Safety
///
/// Threads use the runtime of this process one after the other, each seeing what the ones before have done, until one
/// has called [`revoke_bias`]; none is using it now.
#[cfg(not(loom))]
pub unsafe fn begin_bias() {
    // SAFETY:
    // - the caller's promise.
    unsafe { PROCESS.begin() }
}

/// Ends the solitude of this process: threads may use the runtime side by side from now on.
#[cfg(not(loom))]
pub fn revoke_bias() {
    PROCESS.end();
}

#[inline]
pub(super) fn enter() -> bool {
    #[cfg(not(loom))]
    return PROCESS.enter();
    #[cfg(loom)]
    return false;
}

#[inline]
pub(super) fn leave() -> bool {
    #[cfg(not(loom))]
    return PROCESS.leave();
    #[cfg(loom)]
    return false;
}

/// What `plain` gives if the calling thread has the process to itself, which lasts until it returns; otherwise what
/// `locked` gives. Both are to do the same to words that nobody changes but in such calls.
#[inline]
pub fn if_biased<R>(plain: impl FnOnce() -> R, locked: impl FnOnce() -> R) -> R {
    if !enter() {
        return locked();
    }
    let result = plain();
    leave();
    result
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::sync::AtomicU64;
    use std::thread;

    #[test]
    fn nothing_is_lost_when_a_solitude_ends_while_it_is_used() {
        const STEPS: u64 = 20_000;
        for round in 0..50_u64 {
            let (bias, sum) = (Bias::new(), AtomicU64::new(0));
            let raise = || {
                if bias.enter() {
                    sum.store(sum.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                    assert!(bias.leave());
                } else {
                    sum.fetch_add(1, Ordering::Relaxed);
                }
            };
            // SAFETY:
            // - the other thread ends it before it touches anything.
            unsafe { bias.begin() };
            thread::scope(|scope| {
                scope.spawn(|| {
                    while sum.load(Ordering::Relaxed) < round * 100 {
                        relax();
                    }
                    bias.end();
                    (0..STEPS).for_each(|_| raise());
                });
                (0..STEPS).for_each(|_| raise());
            });
            assert_eq!(sum.into_inner(), 2 * STEPS);
        }
    }
}
