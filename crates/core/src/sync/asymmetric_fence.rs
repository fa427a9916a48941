//! Asymmetric fences: a pair of fences for a side that passes often and one that passes seldom, where only the latter
//! pays.
//!
//! A light fence only keeps the compiler from reordering. A heavy fence is a system call that issues a fence in every
//! running thread of the process (`membarrier(2)`), or in those of all processes that take part. Where each side stores
//! before its fence and loads after it, the two have the effect of two fences with `SeqCst`.

use super::{Ordering, fence};

/// Orders stores before it and loads after it, for threads that issue a [`heavy_fence`].
#[inline]
pub(crate) fn light_fence() {
    #[cfg(not(loom))]
    std::sync::atomic::compiler_fence(Ordering::SeqCst);
    // The model has no fences that one thread issues in others.
    #[cfg(loom)]
    fence(Ordering::SeqCst);
}

/// Issues a fence in every running thread of the process, if that is [enabled](enable_heavy_fence).
pub(crate) fn heavy_fence() {
    fence(Ordering::SeqCst);
    #[cfg(not(loom))]
    membarrier(PRIVATE_EXPEDITED);
}

/// Enables heavy fences for this process; false if the kernel does not support them.
pub(crate) fn enable_heavy_fence() -> bool {
    #[cfg(not(loom))]
    return membarrier(REGISTER_PRIVATE_EXPEDITED);
    #[cfg(loom)]
    return true;
}

/// Issues a fence in every running thread of all processes that have [enabled](enable_global_fence) this.
pub(crate) fn global_fence() {
    fence(Ordering::SeqCst);
    #[cfg(not(loom))]
    membarrier(GLOBAL_EXPEDITED);
}

/// Lets other processes issue fences in the threads of this one; false if the kernel does not support that.
pub(crate) fn enable_global_fence() -> bool {
    #[cfg(not(loom))]
    return membarrier(REGISTER_GLOBAL_EXPEDITED);
    #[cfg(loom)]
    return true;
}

#[cfg(not(loom))]
const GLOBAL_EXPEDITED: libc::c_int = 1 << 1;
#[cfg(not(loom))]
const REGISTER_GLOBAL_EXPEDITED: libc::c_int = 1 << 2;
#[cfg(not(loom))]
const PRIVATE_EXPEDITED: libc::c_int = 1 << 3;
#[cfg(not(loom))]
const REGISTER_PRIVATE_EXPEDITED: libc::c_int = 1 << 4;

/// Issues a command of `membarrier(2)`; false if the kernel refuses it.
#[cfg(not(loom))]
fn membarrier(command: libc::c_int) -> bool {
    // Miri does not have the call.
    // SAFETY:
    // - the call takes two more numbers and touches no memory of the caller.
    !cfg!(miri) && unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}
