//! The current execution context: one thread-local word.
//!
//! Every execution context has a TLS block of its own. So the word is written once per context, and is right wherever
//! the context runs. It is a hand-made initial-exec variable for two reasons. Rust's `thread_local!` in a shared
//! library costs a function call. And compilers may keep the address of a thread-local across a switch, which is
//! correct here, because the block moves with the context.

use std::arch::{asm, global_asm};

use super::control_block::Ec;

global_asm!(
    ".section .tbss.simurgh_current_ec,\"awT\",@nobits",
    ".globl simurgh_current_ec",
    ".hidden simurgh_current_ec",
    ".type simurgh_current_ec,@object",
    ".size simurgh_current_ec,8",
    ".p2align 3",
    "simurgh_current_ec:",
    ".zero 8",
    ".previous",
);

// Miri runs no assembly, and switches no contexts.
#[cfg(miri)]
thread_local!(static WORD: std::cell::Cell<*const Ec> = const { std::cell::Cell::new(std::ptr::null()) });

/// The execution context whose thread pointer is loaded; null on a thread that was never attached.
#[cfg(miri)]
pub(crate) fn get() -> *const Ec {
    WORD.get()
}

/// Sets the execution context to which the loaded thread pointer belongs.
#[cfg(miri)]
pub(crate) fn set(ec: *const Ec) {
    WORD.set(ec);
}

/// The execution context whose thread pointer is loaded; null on a thread that was never attached.
#[cfg(not(miri))]
#[inline(always)]
pub(crate) fn get() -> *const Ec {
    let ec: *const Ec;
    // SAFETY:
    // - reads the thread's own word, at its initial-exec offset.
    unsafe {
        asm!(
            "mov {offset}, qword ptr [rip + simurgh_current_ec@GOTTPOFF]",
            "mov {ec}, qword ptr fs:[{offset}]",
            offset = out(reg) _,
            ec = out(reg) ec,
            options(nostack, readonly, preserves_flags),
        );
    }
    ec
}

/// Sets the execution context to which the loaded thread pointer belongs.
#[cfg(not(miri))]
pub(crate) fn set(ec: *const Ec) {
    // SAFETY:
    // - writes the thread's own word, at its initial-exec offset.
    unsafe {
        asm!(
            "mov {offset}, qword ptr [rip + simurgh_current_ec@GOTTPOFF]",
            "mov qword ptr fs:[{offset}], {ec}",
            offset = out(reg) _,
            ec = in(reg) ec,
            options(nostack, preserves_flags),
        );
    }
}

/// The address of the word of the execution context with this thread pointer.
#[inline(always)]
pub(crate) fn word_of(thread_pointer: u64) -> *const u8 {
    let offset: usize;
    // SAFETY:
    // - reads the offset of the word, which is the same for all.
    unsafe {
        asm!(
            "mov {offset}, qword ptr [rip + simurgh_current_ec@GOTTPOFF]",
            offset = out(reg) offset,
            options(nostack, readonly, pure, preserves_flags),
        );
    }
    std::ptr::without_provenance((thread_pointer as usize).wrapping_add(offset))
}
