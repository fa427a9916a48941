//! What a shared library without `std` has to have: what happens if something panics, which nothing does.

use core::panic::PanicInfo;

use crate::c;

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY:
    // - it may be called anywhere.
    unsafe { c::abort() }
}

// The compiled `core` library refers to it in code that unwinds, of which there is none here.
core::arch::global_asm!(
    ".globl rust_eh_personality",
    ".hidden rust_eh_personality",
    ".type rust_eh_personality, @function",
    "rust_eh_personality:"
);
