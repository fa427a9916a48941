//! The starvation guard looks at threads while programs run that must allocate nothing: a counting allocator looks.

#![cfg(not(loom))]
#![allow(unsafe_code, reason = "an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use simurgh_core::{kernel_thread_sleeps, kernel_threads, this_kernel_thread};

struct Counting;

std::thread_local! {
    /// What the thread has allocated.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY:
// - everything is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY:
        // - the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY:
        // - the caller's promise is passed on.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static GLOBAL: Counting = Counting;

#[test]
fn a_look_at_threads_allocates_nothing() {
    let before = ALLOCATIONS.get();
    assert!(before > 0, "it counts");
    assert!(!kernel_thread_sleeps(this_kernel_thread()));
    assert!(kernel_threads() > Some(1));
    assert_eq!(ALLOCATIONS.get(), before);
}
