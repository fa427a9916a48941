//! The heap of the calling execution context: two thread-local words, which move with the context.
//!
//! They are hand-made initial-exec variables: Rust's `thread_local!` in a shared library costs a function call.

use std::arch::{asm, global_asm};

use crate::{Heap, RankHeaps};

global_asm!(
    ".section .tbss.simurgh_heap,\"awT\",@nobits",
    ".globl simurgh_heap",
    ".hidden simurgh_heap",
    ".type simurgh_heap,@object",
    ".size simurgh_heap,16",
    ".p2align 4",
    "simurgh_heap:",
    ".zero 16",
    ".previous",
);

/// The heap; null if the context has none (yet).
#[inline(always)]
pub(crate) fn heap() -> *const Heap {
    word::<0, _>()
}

/// The heaps of the rank to which the context belongs; null if it belongs to none.
#[inline]
pub(crate) fn heaps() -> *const RankHeaps {
    word::<8, _>()
}

/// The word at this offset.
#[inline(always)]
fn word<const OFFSET: usize, T>() -> *const T {
    let word: *const T;
    // SAFETY:
    // - reads the thread's own word, at its initial-exec offset.
    unsafe {
        asm!(
            "mov {word}, qword ptr [rip + simurgh_heap@GOTTPOFF]",
            "mov {word}, qword ptr fs:[{word} + {offset}]",
            word = out(reg) word,
            offset = const OFFSET,
            options(nostack, readonly, preserves_flags),
        );
    }
    word
}

/// Sets both.
pub(crate) fn set(heap: *const Heap, heaps: *const RankHeaps) {
    // SAFETY:
    // - writes the thread's own words, at their initial-exec offset.
    unsafe {
        asm!(
            "mov {offset}, qword ptr [rip + simurgh_heap@GOTTPOFF]",
            "mov qword ptr fs:[{offset}], {heap}",
            "mov qword ptr fs:[{offset} + 8], {heaps}",
            offset = out(reg) _,
            heap = in(reg) heap,
            heaps = in(reg) heaps,
            options(nostack, preserves_flags),
        );
    }
}
