//! The bias of a process: its locks are free for one thread, or for threads that are serialized, until that is revoked.
//!
//! This is biased locking for all locks of a process at once. Most programs promise that their threads call MPI one at
//! a time (`MPI_THREAD_SERIALIZED`, or less). Where such a program has its process to itself, and no thread of the
//! runtime works for it, nobody ever waits for a lock. But to take a lock is a locked instruction, and the path of a
//! short message has ten. While the process is biased, plain stores do the same.
//!
//! # Protocol
//!
//! `state` goes from `UNDECIDED` to `BIASED`, and from either by way of `REVOKING` to `REVOKED`, for good. `is_active`
//! says whether somebody is within a step that relies on the bias: a load and a store of one word, such as the word of
//! a lock. A lock that was taken in such a step is held as any other, and released as any other.
//!
//! * To begin a step, a thread sets `is_active`, issues a light fence, and reads `state`. If the process is biased it
//!   does the step. In either case it clears `is_active` then. If the process is not biased, it uses a locked
//!   instruction instead.
//! * To revoke the bias, a thread stores `REVOKING`, issues a heavy fence (`membarrier(2)`), waits until `is_active` is
//!   clear, and stores `REVOKED`. It does so before it touches anything that such steps change. From then on all use
//!   locked instructions. Several threads may do this at once, each with a fence of its own.
//!
//! With the two fences either the revoking thread sees that the other one is active, or that one sees `REVOKING`. After
//! that nobody begins to set `is_active`.
//!
//! # Costs
//!
//! A step in a biased process costs two stores and two loads of one line; in others, one load of a line that nobody
//! writes. The revocation costs one system call.

use super::asymmetric_fence::{enable_heavy_fence, heavy_fence, light_fence};
use super::{AtomicBool, AtomicU8, Ordering, wait_for};
#[cfg(not(loom))]
use crossbeam_utils::CachePadded;

/// It is not known yet whether there will be several threads.
const UNDECIDED: u8 = 0;
const BIASED: u8 = 1;
const REVOKING: u8 = 2;
const REVOKED: u8 = 3;

/// Whether steps need locked instructions.
pub struct Bias {
    state: AtomicU8,
    /// Whether somebody is within a step. Written by the one thread that may be within one.
    is_active: AtomicBool,
}

#[cfg(not(loom))]
static PROCESS: CachePadded<Bias> = CachePadded::new(Bias::new());

impl Bias {
    /// A bias that has not begun.
    #[cfg(not(loom))]
    #[must_use]
    pub const fn new() -> Self {
        Self {
            state: AtomicU8::new(UNDECIDED),
            is_active: AtomicBool::new(false),
        }
    }

    /// A bias that has not begun.
    #[cfg(loom)]
    #[must_use]
    pub fn new() -> Self {
        Self {
            state: AtomicU8::new(UNDECIDED),
            is_active: AtomicBool::new(false),
        }
    }

    /// Begins the bias, unless it has been revoked before, or the kernel has no heavy fences.
    ///
    /// # Safety
    ///
    /// Nobody is within a step. From now on, until [`Bias::revoke`] has returned, threads do steps one after the other,
    /// each seeing what the ones before have done.
    pub unsafe fn begin(&self) {
        if enable_heavy_fence() {
            let _ = self
                .state
                .compare_exchange(UNDECIDED, BIASED, Ordering::SeqCst, Ordering::SeqCst);
        }
    }

    /// Revokes the bias, for good. When this returns, nobody is within a step that relies on it. Not to be called
    /// within a step.
    pub fn revoke(&self) {
        // Acquire pairs with the Release below.
        if self.state.load(Ordering::Acquire) == REVOKED {
            return;
        }
        // Another thread may have come as far, but its fence may be still to come.
        self.state.store(REVOKING, Ordering::SeqCst);
        heavy_fence();
        // Acquire pairs with the Release in `try_step`.
        wait_for(|| (!self.is_active.load(Ordering::Acquire)).then_some(()));
        // Release hands on what has been seen.
        self.state.store(REVOKED, Ordering::Release);
    }

    /// Calls `plain` if the process is biased, which then lasts until `plain` returns; otherwise calls `locked`. Both
    /// have to do the same, to words that nobody changes but in such calls, and `plain` makes no such call itself.
    #[inline(always)]
    pub fn step<R>(&self, plain: impl FnOnce() -> R, locked: impl FnOnce() -> R) -> R {
        // Relaxed: read again in `try_step`.
        if self.state.load(Ordering::Relaxed) == BIASED
            && let Some(result) = self.try_step(plain)
        {
            return result;
        }
        locked()
    }

    #[inline(always)]
    fn try_step<R>(&self, plain: impl FnOnce() -> R) -> Option<R> {
        self.is_active.store(true, Ordering::Relaxed);
        // Pairs with the heavy fence in `revoke`: see the protocol.
        light_fence();
        // Relaxed: nothing that others wrote is touched if it is still biased.
        let result = (self.state.load(Ordering::Relaxed) == BIASED).then(plain);
        // Release pairs with the Acquire in `revoke`.
        self.is_active.store(false, Ordering::Release);
        result
    }
}

impl Default for Bias {
    fn default() -> Self {
        Self::new()
    }
}

/// Begins the bias of this process, unless it has been revoked before.
///
/// # Safety
///
/// No thread is using the runtime of this process. From now on, until one has called [`revoke_bias`], threads use it
/// one after the other, each seeing what the ones before have done.
#[cfg(not(loom))]
pub unsafe fn begin_bias() {
    // SAFETY:
    // - the caller's promise.
    unsafe { PROCESS.begin() }
}

/// Revokes the bias of this process: threads may use the runtime concurrently from now on.
#[cfg(not(loom))]
pub fn revoke_bias() {
    PROCESS.revoke();
}

/// Whether the process is biased. If not, it will not be as long as the runtime is used.
pub(super) fn is_process_biased() -> bool {
    // Relaxed: threads that use the runtime have seen whether it has begun.
    #[cfg(not(loom))]
    return PROCESS.state.load(Ordering::Relaxed) == BIASED;
    #[cfg(loom)]
    return false;
}

/// Calls `plain` if the process is biased, which then lasts until `plain` returns; otherwise calls `locked`. Both have
/// to do the same, to words that nobody changes but in such calls, and `plain` makes no such call itself.
#[inline(always)]
pub fn if_biased<R>(plain: impl FnOnce() -> R, locked: impl FnOnce() -> R) -> R {
    #[cfg(not(loom))]
    return PROCESS.step(plain, locked);
    #[cfg(loom)]
    {
        drop(plain);
        locked()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::sync::{AtomicU64, relax};
    use std::thread;

    #[test]
    fn nothing_is_lost_when_threads_revoke_a_bias_while_it_is_used() {
        const STEPS: u64 = 20_000;
        for round in 0..50_u64 {
            let (bias, sum) = (Bias::new(), AtomicU64::new(0));
            let plain = || sum.store(sum.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            let locked = || {
                sum.fetch_add(1, Ordering::Relaxed);
            };
            let raise = || bias.step(plain, locked);
            let visit = || {
                while sum.load(Ordering::Relaxed) < round * 100 {
                    relax();
                }
                bias.revoke();
                (0..STEPS).for_each(|_| raise());
            };
            // SAFETY:
            // - the other threads revoke it before they touch anything.
            unsafe { bias.begin() };
            thread::scope(|scope| {
                scope.spawn(visit);
                scope.spawn(visit);
                (0..STEPS).for_each(|_| raise());
            });
            assert_eq!(sum.into_inner(), 3 * STEPS);
        }
    }
}
