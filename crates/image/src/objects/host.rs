//! The connection with the executable of the host.
//!
//! Definitions of the executable come before those of libraries.
//!
//! Libraries such as the unwinder find the executable's definitions before those of the dynamic loader. So the host
//! defines `_dl_find_object` and `dl_iterate_phdr`. It exports a record of the functions that these are to call before
//! the loader's own.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::{find, iterate};
use crate::link;

/// The record of the host: `Interposed` of the launcher's `host/objects.rs`.
#[repr(C)]
struct Interposed {
    find_object: AtomicPtr<c_void>,
    iterate: AtomicPtr<c_void>,
}

/// Functions for the blocks of ranks, which the host's executable calls where a library that ranks share frees or
/// resizes a block; `Blocks` of the launcher's `host/blocks.rs`.
#[repr(C)]
#[derive(Debug)]
struct Blocks {
    free: AtomicPtr<c_void>,
    realloc: AtomicPtr<c_void>,
    usable_size: AtomicPtr<c_void>,
}

/// The functions of an allocator for the programs of ranks.
#[derive(Clone, Debug)]
pub struct AllocatorFunctions {
    /// The functions that take the place of the C library's in images, by name: their addresses.
    pub replaced: Vec<(&'static str, usize)>,
    /// `free`. This and the next two take blocks of the C library, too.
    pub free: unsafe extern "C" fn(*mut c_void),
    /// `realloc`.
    pub realloc: unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void,
    /// `malloc_usable_size`.
    pub usable_size: unsafe extern "C" fn(*mut c_void) -> usize,
}

impl AllocatorFunctions {
    /// Lets the images of programs that are prepared from now on have these functions, and shared libraries those for
    /// the blocks of ranks. Returns whether that was done: only if the executable has a record for them. The first call
    /// counts.
    pub fn connect(self) -> bool {
        // SAFETY: a lookup by a C string; `RTLD_DEFAULT` needs no handle.
        let record = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"simurgh_host_blocks".as_ptr()) };
        // SAFETY: null, or the record of this type that a host defines under this name.
        let Some(record) = (unsafe { record.cast::<Blocks>().as_ref() }) else {
            return false;
        };
        record.free.store(self.free as *mut c_void, Ordering::Release);
        record
            .realloc
            .store(self.realloc as *mut c_void, Ordering::Release);
        record
            .usable_size
            .store(self.usable_size as *mut c_void, Ordering::Release);
        link::replace(&self.replaced);
        true
    }
}

/// Enters our functions into the record, so that they answer from now on. Returns whether the executable has the
/// record.
pub(crate) fn connect() -> bool {
    // SAFETY: a lookup by a C string; `RTLD_DEFAULT` needs no handle.
    let record = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"simurgh_host_interposed".as_ptr()) };
    // SAFETY: null, or the record of this type that a host defines under this name.
    let Some(record) = (unsafe { record.cast::<Interposed>().as_ref() }) else {
        return false;
    };
    let find_object = find::find_object as *mut c_void;
    let iterate = iterate::iterate_all as *mut c_void;
    // Release: a thread that calls these functions sees everything that was made before.
    record.find_object.store(find_object, Ordering::Release);
    record.iterate.store(iterate, Ordering::Release);
    true
}
