//! The footprint of an execution context: the memory that it touches first when it is resumed.
//!
//! Each rank has a stack, control blocks and communicators of its own. Where more ranks live on a virtual processor
//! than fit into its first-level cache, a switch would begin with a chain of cache misses. Therefore the worker
//! prefetches the lines of the next context while one still runs: all at once, without waiting for them. Bench:
//! `benches/switch.rs`, and the barrier of many ranks on one virtual processor.

use std::cell::Cell;
use std::ptr;

use crate::sync::prefetch_read;

/// Bytes of a cache line.
const LINE: usize = 64;
/// Lines of the stack, from the stack pointer on: the frames of a call of the library and of its caller.
const FRAMES: usize = 12;
/// Lines of a control block.
const CONTROL: usize = 5;
/// Other lines.
const OTHERS: usize = 4;

/// The addresses of one execution context.
pub(crate) struct Footprint {
    /// The stack pointer, about, when it was suspended.
    stack: Cell<*const u8>,
    others: [Cell<*const u8>; OTHERS],
}

impl Footprint {
    pub(crate) fn new() -> Self {
        Self {
            stack: Cell::new(ptr::null()),
            others: std::array::from_fn(|_| Cell::new(ptr::null())),
        }
    }

    /// Notes where the stack of the calling execution context is left.
    #[inline(always)]
    pub(crate) fn leave_stack(&self) {
        let here: *const u8;
        // SAFETY:
        // - reads the stack pointer.
        unsafe {
            std::arch::asm!("mov {}, rsp", out(reg) here, options(nomem, nostack, preserves_flags));
        }
        self.stack.set(here);
    }

    /// Notes other lines, as many as there is room for.
    pub(crate) fn note(&self, others: &[*const u8]) {
        for (place, address) in self.others.iter().zip(others) {
            place.set(*address);
        }
    }

    /// Prefetches all of it.
    #[inline]
    pub(crate) fn fetch(&self) {
        fetch_lines(self.stack.get(), FRAMES);
        self.others.iter().for_each(|place| prefetch_read(place.get()));
    }
}

/// Prefetches a control block.
#[inline]
pub(crate) fn fetch_control<T>(block: *const T) {
    fetch_lines(block.cast(), CONTROL);
}

#[inline]
fn fetch_lines(from: *const u8, lines: usize) {
    (0..lines).for_each(|line| prefetch_read(from.wrapping_add(line * LINE)));
}
