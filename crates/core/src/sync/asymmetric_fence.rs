//! Barriers for two sides of which one comes often and the other seldom: the price is paid by the latter alone.
//!
//! A light barrier costs nothing but what the compiler could have done; a heavy one is a system call that puts a
//! barrier into every running thread of the process (`membarrier(2)`). Between a store before and a load behind one of
//! them they do together what two fences with `SeqCst` would do.

use super::{Ordering, fence};

/// Has the compiler, and whoever calls for a [`heavy_fence`], keep the order of stores before and loads after.
#[inline]
pub(crate) fn light_fence() {
    #[cfg(not(loom))]
    std::sync::atomic::compiler_fence(Ordering::SeqCst);
    // The model knows no barriers that one thread puts into others.
    #[cfg(loom)]
    fence(Ordering::SeqCst);
}

/// A barrier in every thread of the process, if they [are there](enable_heavy_fence).
pub(crate) fn heavy_fence() {
    fence(Ordering::SeqCst);
    #[cfg(not(loom))]
    membarrier(PRIVATE_EXPEDITED);
}

/// Whether the kernel puts barriers into the threads of this process from now on.
pub(crate) fn enable_heavy_fence() -> bool {
    #[cfg(not(loom))]
    return membarrier(REGISTER_PRIVATE_EXPEDITED);
    #[cfg(loom)]
    return true;
}

#[cfg(not(loom))]
const PRIVATE_EXPEDITED: libc::c_int = 1 << 3;
#[cfg(not(loom))]
const REGISTER_PRIVATE_EXPEDITED: libc::c_int = 1 << 4;

/// Asks for the command; whether the kernel has done it.
#[cfg(not(loom))]
fn membarrier(command: libc::c_int) -> bool {
    // SAFETY:
    // - the call takes two more numbers and touches no memory of the caller.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}
