//! Blocks of ranks in the hands of libraries that all ranks share.
//!
//! Ranks have heaps of their own, and the C library has its own. A shared library may get a block of a rank, and free
//! it or change its size: `getline` does, and so may a plugin that a rank has loaded. Definitions in the executable come
//! before those in libraries, also for the C library itself, so the functions of this file are called then. They tell
//! the blocks of ranks by their addresses.

use core::ffi::{c_char, c_void};
use core::mem;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

type Free = unsafe extern "C" fn(*mut c_void);
type Realloc = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
type UsableSize = unsafe extern "C" fn(*mut c_void) -> usize;

/// Blocks of ranks have addresses that give this number when they are shifted so (`heap/arena`).
const SHIFT: u32 = 44;
const PLACE: usize = 3;

const RTLD_NEXT: *mut c_void = -1_isize as *mut c_void;

#[link(name = "c")]
unsafe extern "C" {
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
    fn __libc_realloc(block: *mut c_void, size: usize) -> *mut c_void;
}

/// The functions of the runtime, `Blocks` of simurgh-image; null until it registers them, before the first rank begins.
#[repr(C)]
pub struct Blocks {
    free: AtomicPtr<c_void>,
    realloc: AtomicPtr<c_void>,
    usable_size: AtomicPtr<c_void>,
}

#[unsafe(no_mangle)]
#[used]
pub static simurgh_host_blocks: Blocks = Blocks {
    free: AtomicPtr::new(ptr::null_mut()),
    realloc: AtomicPtr::new(ptr::null_mut()),
    usable_size: AtomicPtr::new(ptr::null_mut()),
};

/// The function of the C library.
static USABLE_SIZE: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// Looks up the function of the C library that has no other name.
pub fn begin() {
    // SAFETY:
    // - the name is a C string.
    let usable_size = unsafe { dlsym(RTLD_NEXT, c"malloc_usable_size".as_ptr()) };
    USABLE_SIZE.store(usable_size, Ordering::Release);
}

fn is_of_rank(block: *mut c_void) -> bool {
    block as usize >> SHIFT == PLACE
}

/// Replaces the function of this name in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(block: *mut c_void) {
    let function = simurgh_host_blocks.free.load(Ordering::Acquire);
    // SAFETY:
    // - the function has this type, and the block is the caller's;
    // - a block that is not a rank's is the C library's, or null.
    unsafe {
        match mem::transmute::<*mut c_void, Option<Free>>(function) {
            Some(free) if is_of_rank(block) => free(block),
            _ => __libc_free(block),
        }
    }
}

/// Replaces the function of this name in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    let function = simurgh_host_blocks.realloc.load(Ordering::Acquire);
    // SAFETY:
    // - as in `free`.
    unsafe {
        match mem::transmute::<*mut c_void, Option<Realloc>>(function) {
            Some(realloc) if is_of_rank(block) => realloc(block, size),
            _ => __libc_realloc(block, size),
        }
    }
}

/// Replaces the function of this name in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc_usable_size(block: *mut c_void) -> usize {
    let known = match is_of_rank(block) {
        true => &simurgh_host_blocks.usable_size,
        false => &USABLE_SIZE,
    };
    // SAFETY:
    // - as in `free`.
    unsafe {
        mem::transmute::<*mut c_void, Option<UsableSize>>(known.load(Ordering::Acquire))
            .map_or(0, |usable_size| usable_size(block))
    }
}
