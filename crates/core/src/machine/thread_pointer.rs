//! The thread pointer (`fs` base on x86-64).
//!
//! Errno, thread-local variables, exception state and the allocator's thread cache move with it. Cost of a write: 9 to
//! 28 ns in a virtual machine with FSGSBASE, about a microsecond by a system call without.

use std::arch::asm;
use std::sync::OnceLock;

/// Set in AT_HWCAP2 when user code may use `rdfsbase` and `wrfsbase`.
const HWCAP2_FSGSBASE: usize = 1 << 1;
const ARCH_SET_FS: libc::c_long = 0x1002;

fn fast() -> bool {
    static FAST: OnceLock<bool> = OnceLock::new();
    *FAST.get_or_init(|| rustix::param::linux_hwcap().1 & HWCAP2_FSGSBASE != 0)
}

/// How the thread pointer is written on this machine; each worker detects it once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadPointer {
    fast: bool,
}

impl ThreadPointer {
    /// Detects what the processor offers.
    pub(crate) fn detect() -> Self {
        Self { fast: fast() }
    }

    /// The thread pointer of the calling thread. By the ABI, the word to which it points holds its own address.
    pub(crate) fn get() -> u64 {
        if cfg!(miri) {
            // Miri runs no assembly, and switches no contexts.
            return 0;
        }
        let value: u64;
        // SAFETY:
        // - reads the self pointer of the thread control block, which the x86-64 ABI puts at fs:0.
        unsafe {
            asm!("mov {}, qword ptr fs:[0]", out(reg) value, options(nostack, readonly, preserves_flags))
        };
        value
    }

    /// Makes `value` the thread pointer.
    ///
    /// # Safety
    ///
    /// `value` is the thread pointer of a live thread control block that no other kernel thread runs on, and no
    /// reference to a thread-local variable of the old one is used afterwards.
    #[inline]
    pub(crate) unsafe fn set(self, value: u64) {
        if self.fast {
            // SAFETY:
            // - FSGSBASE is enabled (checked in `detect`); the caller vouches for the value.
            unsafe { asm!("wrfsbase {}", in(reg) value, options(nostack, preserves_flags)) };
        } else {
            // SAFETY:
            // - the caller vouches for the value; the inline call does not touch errno, which would be the old one's.
            unsafe { arch_prctl(ARCH_SET_FS, value) };
        }
    }
}

/// The bare system call.
///
/// # Safety
///
/// As for `arch_prctl(2)`.
unsafe fn arch_prctl(code: libc::c_long, value: u64) {
    // SAFETY:
    // - the kernel clobbers rcx and r11 only; the caller vouches for the arguments.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") libc::SYS_arch_prctl => _,
            in("rdi") code,
            in("rsi") value,
            out("rcx") _,
            out("r11") _,
            options(nostack),
        );
    }
}
