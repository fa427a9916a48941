//! Lookup of unwind tables by address.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use crate::arena;
use crate::elf::abi;

/// `struct dl_find_object` of glibc.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct FoundObject {
    flags: u64,
    map_start: usize,
    map_end: usize,
    link_map: *mut c_void,
    unwind_table: usize,
    reserved: [u64; 7],
}

/// `_dl_find_object`.
pub(crate) type FindObject = unsafe extern "C" fn(*const c_void, *mut FoundObject) -> c_int;

/// `_dl_find_object` for programs that bring their own unwinder. glibc has this function since 2.35.
///
/// # Safety
/// As for [`find_object`].
pub(crate) unsafe extern "C" fn find_any_object(address: *const c_void, result: *mut FoundObject) -> c_int {
    static LOADERS: OnceLock<Option<FindObject>> = OnceLock::new();
    // SAFETY: the caller's.
    if unsafe { find_object(address, result) } == 0 {
        return 0;
    }
    let loaders = LOADERS.get_or_init(|| {
        // SAFETY: a lookup by a C string; null becomes none, and otherwise it is a function of this type.
        unsafe {
            let found = libc::dlsym(libc::RTLD_DEFAULT, c"_dl_find_object".as_ptr());
            std::mem::transmute::<*mut c_void, Option<FindObject>>(found)
        }
    });
    // SAFETY: the caller's.
    loaders.map_or(-1, |find| unsafe { find(address, result) })
}

/// `_dl_find_object` for addresses in images; -1 for other addresses. Takes no lock and allocates no memory.
///
/// # Safety
/// `result` must be a record that may be written.
pub(crate) unsafe extern "C" fn find_object(address: *const c_void, result: *mut FoundObject) -> c_int {
    let Some(located) = arena::locate(address as usize).filter(|located| !located.record().is_null()) else {
        return -1;
    };
    let elf = located.object().elf();
    let Some(table) = elf.segment(abi::PT_GNU_EH_FRAME) else {
        return -1;
    };
    let base = located.base();
    // SAFETY: the caller's.
    unsafe {
        result.write(FoundObject {
            flags: 0,
            map_start: base,
            map_end: located.place.address() + located.object().end() as usize,
            link_map: located.record().cast(),
            unwind_table: base + table.vaddr as usize,
            reserved: [0; 7],
        });
    }
    0
}
