//! The bias of a process: its locks are free for one thread, or for threads that are serialized, until that is revoked.
//!
//! This is biased locking for all locks of a process at once. Most programs promise that their threads call MPI one at
//! a time (`MPI_THREAD_SERIALIZED`, or less). Where such a program has its process to itself, and no thread of the
//! runtime works for it, nobody ever waits for a lock. But to take a lock is a locked instruction, and the path of a
//! short message has ten. While the process is biased, plain stores bracket an access instead.
//!
//! # Protocol
//!
//! `state` goes from `UNDECIDED` to `BIASED`, and from either to `REVOKED`, for good. `depth` says whether somebody is
//! within an access.
//!
//! * To begin an access, a thread stores `ENTERING` in `depth`, issues a light fence, and reads `state`. If the process
//!   is biased it stores the depth of the access, and lowers it at the end. Otherwise it clears `depth` and takes the
//!   lock.
//! * To revoke the bias, a thread stores `REVOKED`, issues a heavy fence (`membarrier(2)`), and waits until `depth` is
//!   zero. It does so before it touches anything that is accessed so. From then on all take the locks.
//!
//! With the two fences either the revoking thread sees `ENTERING`, or the other one sees `REVOKED`.
//!
//! # Costs
//!
//! An access in a biased process costs three stores and four loads of one line; in others, two loads of a line that
//! nobody writes. The revocation costs one system call.

use super::asymmetric_fence::{enable_heavy_fence, heavy_fence, light_fence};
use super::{AtomicU8, AtomicU32, Ordering, wait_for};
#[cfg(not(loom))]
use crossbeam_utils::CachePadded;

/// It is not known yet whether there will be several threads.
const UNDECIDED: u8 = 0;
const BIASED: u8 = 1;
const REVOKED: u8 = 2;

/// In `depth`: a thread checks whether the process is still biased. It is not within an access yet.
const ENTERING: u32 = 1;
/// In `depth`: one access.
const ACCESS: u32 = 2;

/// Whether accesses to something need locks.
pub struct Bias {
    state: AtomicU8,
    /// The number of nested accesses, times [`ACCESS`]. Written by the one thread that may be within an access.
    depth: AtomicU32,
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
            depth: AtomicU32::new(0),
        }
    }

    /// A bias that has not begun.
    #[cfg(loom)]
    #[must_use]
    pub fn new() -> Self {
        Self {
            state: AtomicU8::new(UNDECIDED),
            depth: AtomicU32::new(0),
        }
    }

    /// Begins the bias, unless it has been revoked before, or the kernel has no heavy fences.
    ///
    /// # Safety
    ///
    /// Nobody is within an access. From now on, until [`Bias::revoke`] has returned, threads begin an access one after
    /// the other, each seeing what the ones before have done.
    pub unsafe fn begin(&self) {
        if enable_heavy_fence() {
            let _ = self
                .state
                .compare_exchange(UNDECIDED, BIASED, Ordering::SeqCst, Ordering::SeqCst);
        }
    }

    /// Revokes the bias, for good. When this returns, nobody is within an access that relies on it. Not to be called
    /// within an access.
    pub fn revoke(&self) {
        if self.state.swap(REVOKED, Ordering::SeqCst) == REVOKED {
            return self.await_end_of_access();
        }
        heavy_fence();
        self.await_end_of_access();
    }

    fn await_end_of_access(&self) {
        // Acquire pairs with the Release in `leave`.
        wait_for(|| (self.depth.load(Ordering::Acquire) == 0).then_some(()));
    }

    /// Begins an access. If this returns true, no lock is needed, and [`Bias::leave`] has to be called; accesses that
    /// begin before that are nested.
    #[inline]
    pub fn enter(&self) -> bool {
        // Relaxed: within an access it is this thread's, and nobody is within one after the revocation.
        let depth = self.depth.load(Ordering::Relaxed);
        if depth >= ACCESS {
            self.depth.store(depth + ACCESS, Ordering::Relaxed);
            return true;
        }
        // Relaxed: read again below.
        if self.state.load(Ordering::Relaxed) != BIASED {
            return false;
        }
        self.depth.store(ENTERING, Ordering::Relaxed);
        // Pairs with the heavy fence in `revoke`: see the protocol.
        light_fence();
        if self.state.load(Ordering::Relaxed) == BIASED {
            self.depth.store(ACCESS, Ordering::Relaxed);
            return true;
        }
        // Release, as in `leave`.
        self.depth.store(0, Ordering::Release);
        false
    }

    /// Ends an access. Returns false if the access needs locks.
    #[inline]
    pub fn leave(&self) -> bool {
        // Relaxed: as in `enter`.
        let depth = self.depth.load(Ordering::Relaxed);
        if depth < ACCESS {
            return false;
        }
        // Release pairs with the Acquire in `await_end_of_access`.
        self.depth.store(depth - ACCESS, Ordering::Release);
        true
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

/// Calls `plain` if the process is biased, which then lasts until `plain` returns; otherwise calls `locked`. Both have
/// to do the same, to words that nobody changes but in such calls.
#[inline(always)]
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
    use crate::sync::{AtomicU64, relax};
    use std::thread;

    #[test]
    fn nothing_is_lost_when_a_bias_is_revoked_while_it_is_used() {
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
            // - the other thread revokes it before it touches anything.
            unsafe { bias.begin() };
            thread::scope(|scope| {
                scope.spawn(|| {
                    while sum.load(Ordering::Relaxed) < round * 100 {
                        relax();
                    }
                    bias.revoke();
                    (0..STEPS).for_each(|_| raise());
                });
                (0..STEPS).for_each(|_| raise());
            });
            assert_eq!(sum.into_inner(), 2 * STEPS);
        }
    }
}
