//! Atomics, and the locks of kernel threads. The whole workspace takes its atomics from here.
//!
//! Under `--cfg loom` the same names are those of loom, so that every type of this crate that is built on them is
//! model-checked.

mod arc_cache;
pub(crate) mod asymmetric_fence;
mod bias;
mod biased_lock;
mod cache_lines;
mod futex;
#[cfg(loom)]
mod model;
mod serialized;
mod spin;

#[cfg(not(loom))]
pub use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicI64, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize,
    Ordering, fence,
};

#[cfg(loom)]
pub use loom::sync::atomic::{
    AtomicBool, AtomicI32, AtomicI64, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize,
    Ordering, fence,
};

/// Reference counting is not part of any protocol here, so it is the standard one under loom, too.
pub use std::sync::Arc;

pub use arc_cache::ArcCache;
pub use bias::{Bias, if_biased};
#[cfg(not(loom))]
pub use bias::{begin_bias, revoke_bias};
pub use biased_lock::{BiasedGuard, BiasedLock, LockOwner};
pub use cache_lines::{demote, lines_of, prefetch_read, prefetch_write};
pub use futex::{futex_wait, futex_wait_for, futex_wake, futex_wake_shared};
#[cfg(loom)]
pub use model::model;
pub use serialized::Serialized;
pub use spin::{SpinGuard, SpinLock};

/// Waits a moment inside a bounded spin.
#[inline]
pub fn relax() {
    #[cfg(not(loom))]
    std::hint::spin_loop();
    #[cfg(loom)]
    loom::thread::yield_now();
}

/// Stores a value with Release, and orders the store before all that follows, as a fence with SeqCst behind it does.
///
/// It is not one locked instruction: that would wait until the stores before it are done. Meanwhile a core that looks
/// at the word takes its line back, and the line has to come twice.
#[inline]
pub fn store_fenced(word: &AtomicU64, value: u64) {
    word.store(value, Ordering::Release);
    #[cfg(not(any(loom, miri)))]
    // SAFETY:
    // - a locked instruction, which leaves the stack as it is; it is a fence at half the cost of MFENCE.
    unsafe {
        std::arch::asm!("lock or dword ptr [rsp - 64], 0", options(nostack));
    }
    #[cfg(any(loom, miri))]
    fence(Ordering::SeqCst);
}

/// How often [`wait_for`] checks in a spin, before it leaves the core to others between two checks.
const SPINS: u32 = 200;
/// How often [`back_off`] only yields, before it sleeps.
const YIELDS: u32 = 100;
/// The length of such a sleep.
const NAP: std::time::Duration = std::time::Duration::from_micros(50);

/// Checks again and again until there is a value. For what another kernel thread is about to do, since the caller's
/// execution context stays where it is.
#[inline]
pub(crate) fn wait_for<R>(mut check: impl FnMut() -> Option<R>) -> R {
    let mut checks = 0;
    loop {
        if let Some(result) = check() {
            return result;
        }
        checks += 1;
        if checks < SPINS {
            relax();
        } else {
            back_off(checks - SPINS);
        }
    }
}

/// Leaves the core to other kernel threads, after the `turn`-th check of something that takes long.
#[cold]
fn back_off(turn: u32) {
    #[cfg(loom)]
    {
        let _ = (turn, YIELDS, NAP);
        loom::thread::yield_now();
    }
    #[cfg(not(loom))]
    if turn < YIELDS {
        std::thread::yield_now();
    } else {
        std::thread::sleep(NAP);
    }
}
