//! The executable's side.
//!
//! Libraries such as the unwinder find the executable's definitions before those of the dynamic loader. So the host
//! defines `_dl_find_object` and `dl_iterate_phdr`, and exports the record in which it looks up what comes before the
//! loader's own.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::{find, iterate};

/// The host's record: `Interposed` of the launcher's `host/objects.rs`.
#[repr(C)]
struct Interposed {
    find_object: AtomicPtr<c_void>,
    iterate: AtomicPtr<c_void>,
}

/// Answers in the dynamic loader's place from now on; tells whether the executable lets it.
pub(crate) fn connect() -> bool {
    // SAFETY: a lookup by a C string; `RTLD_DEFAULT` needs no handle.
    let record = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"simurgh_host_interposed".as_ptr()) };
    // SAFETY: null, or the record of this type that a host defines under this name.
    let Some(record) = (unsafe { record.cast::<Interposed>().as_ref() }) else {
        return false;
    };
    let find_object = find::find_object as *mut c_void;
    let iterate = iterate::iterate_all as *mut c_void;
    // Release: whoever calls these sees what has been made before.
    record.find_object.store(find_object, Ordering::Release);
    record.iterate.store(iterate, Ordering::Release);
    true
}
