//! The connection with the executable of the host.
//!
//! Libraries such as the unwinder find the executable's definitions before those of the dynamic loader. So the host
//! defines `_dl_find_object` and `dl_iterate_phdr`. It exports a record of the functions that these are to call before
//! the loader's own.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::{find, iterate};

/// The record of the host: `Interposed` of the launcher's `host/objects.rs`.
#[repr(C)]
struct Interposed {
    find_object: AtomicPtr<c_void>,
    iterate: AtomicPtr<c_void>,
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
