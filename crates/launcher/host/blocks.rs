//! Blocks of ranks in the hands of libraries that all ranks share.
//!
//! Ranks have heaps of their own, and the process has that of the C library, or of an allocator that the user has put
//! before it. A shared library may get a block of a rank, and free it or change its size: `getline` does, and so may a
//! plugin that a rank has loaded. Definitions in the executable come before those in libraries, also for the C library
//! itself, so the functions of this file are called then. They tell the blocks of ranks by their addresses.

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

/// The functions for blocks of one kind: for those of ranks, `Blocks` of simurgh-image.
#[repr(C)]
pub struct Blocks {
    free: AtomicPtr<c_void>,
    realloc: AtomicPtr<c_void>,
    usable_size: AtomicPtr<c_void>,
}

impl Blocks {
    const fn none() -> Self {
        Self {
            free: AtomicPtr::new(ptr::null_mut()),
            realloc: AtomicPtr::new(ptr::null_mut()),
            usable_size: AtomicPtr::new(ptr::null_mut()),
        }
    }
}

/// The functions for blocks of ranks. The runtime registers them before the first rank begins.
#[unsafe(no_mangle)]
#[used]
pub static simurgh_host_blocks: Blocks = Blocks::none();

/// The functions for all other blocks: those that libraries would find if this executable had none.
static OTHERS: Blocks = Blocks::none();

/// Has [`begin`] called before the initialisers of libraries, which may free blocks.
#[used]
#[unsafe(link_section = ".preinit_array")]
static BEGIN: extern "C" fn() = begin;

extern "C" fn begin() {
    // SAFETY:
    // - the names are C strings.
    let (free, realloc, usable_size) = unsafe {
        (
            dlsym(RTLD_NEXT, c"free".as_ptr()),
            dlsym(RTLD_NEXT, c"realloc".as_ptr()),
            dlsym(RTLD_NEXT, c"malloc_usable_size".as_ptr()),
        )
    };
    OTHERS.free.store(free, Ordering::Release);
    OTHERS.realloc.store(realloc, Ordering::Release);
    OTHERS.usable_size.store(usable_size, Ordering::Release);
}

/// The functions for the block.
fn of(block: *mut c_void) -> &'static Blocks {
    if block as usize >> SHIFT == PLACE {
        &simurgh_host_blocks
    } else {
        &OTHERS
    }
}

/// Replaces the function of this name in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(block: *mut c_void) {
    let free = of(block).free.load(Ordering::Acquire);
    // SAFETY:
    // - a null pointer becomes `None`, and others are functions of this type for such blocks;
    // - the dynamic loader frees blocks of the C library before there is a function.
    unsafe {
        match mem::transmute::<*mut c_void, Option<Free>>(free) {
            Some(free) => free(block),
            None => __libc_free(block),
        }
    }
}

/// Replaces the function of this name in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    let realloc = of(block).realloc.load(Ordering::Acquire);
    // SAFETY:
    // - as in `free`.
    unsafe {
        match mem::transmute::<*mut c_void, Option<Realloc>>(realloc) {
            Some(realloc) => realloc(block, size),
            None => __libc_realloc(block, size),
        }
    }
}

/// Replaces the function of this name in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc_usable_size(block: *mut c_void) -> usize {
    let usable_size = of(block).usable_size.load(Ordering::Acquire);
    // SAFETY:
    // - as in `free`.
    unsafe {
        mem::transmute::<*mut c_void, Option<UsableSize>>(usable_size)
            .map_or(0, |usable_size| usable_size(block))
    }
}
