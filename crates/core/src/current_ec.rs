//! Which execution context runs here: one thread-local word.
//!
//! Every EC has its own TLS block, so the word is written once per EC and is right wherever the EC runs. It is a
//! hand-made initial-exec variable because Rust's `thread_local!` in a shared library costs a function call, and
//! because compilers may cache the address of a thread-local across a switch, which here is correct: the block moves
//! with the EC.

use std::arch::{asm, global_asm};

use crate::ec::Ec;

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

/// The EC whose thread pointer is loaded; null on a thread that was never attached.
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

/// Says which EC the loaded thread pointer belongs to.
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

/// Where the word is of the execution context with this thread pointer.
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
