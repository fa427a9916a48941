//! The functions of the C library that the library calls.

use core::ffi::{c_char, c_int, c_void};

// The program is linked with the C library in any case.
unsafe extern "C" {
    pub(crate) fn malloc(bytes: usize) -> *mut c_void;
    pub(crate) fn free(memory: *mut c_void);
    pub(crate) fn strnlen(text: *const c_char, most: usize) -> usize;
    pub(crate) fn write(descriptor: c_int, bytes: *const c_void, count: usize) -> isize;
    pub(crate) fn sched_yield() -> c_int;
    pub(crate) fn abort() -> !;
}
