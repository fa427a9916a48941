//! Values of info objects, whose variables are left alone if there is no value.

use core::ffi::c_int;

use crate::foreign::*;
use crate::text::{Text, TextOut};

/// `MPI_Info_get`: the first `valuelen` characters of the value of a key.
///
/// # Safety
///
/// The arguments are those of the standard.
pub(crate) unsafe fn info_get(
    info: *mut c_int,
    key: *mut u8,
    valuelen: *mut c_int,
    value: *mut u8,
    flag: *mut c_int,
    key_length: usize,
    value_length: usize,
) -> c_int {
    // SAFETY:
    // - the caller's promise; C gets room for the null byte, too.
    unsafe {
        let mut key = Text::without_both(key, key_length);
        let mut found = TextOut::new((*valuelen).saturating_add(1));
        let (info, key) = (MPI_Info::of(*info), key.as_mut_ptr());
        let code = MPI_Info_get(info, key, *valuelen, found.as_mut_ptr(), flag);
        if code == MPI_SUCCESS && *flag != 0 {
            found.give(value, value_length);
        }
        code
    }
}

/// `MPI_Info_get_string`: as much of the value of a key as fits into `buflen` characters, and its length. Fortran's
/// lengths have no null byte.
///
/// # Safety
///
/// The arguments are those of the standard.
pub(crate) unsafe fn info_get_string(
    info: *mut c_int,
    key: *mut u8,
    buflen: *mut c_int,
    value: *mut u8,
    flag: *mut c_int,
    key_length: usize,
    value_length: usize,
) -> c_int {
    // SAFETY:
    // - the caller's promise; C gets room for the null byte, too.
    unsafe {
        let mut key = Text::without_both(key, key_length);
        let wanted = *buflen;
        let mut room = match wanted {
            1.. => wanted.saturating_add(1),
            other => other,
        };
        let mut found = TextOut::new(room);
        let (info, key) = (MPI_Info::of(*info), key.as_mut_ptr());
        let code = MPI_Info_get_string(info, key, &raw mut room, found.as_mut_ptr(), flag);
        if code == MPI_SUCCESS && *flag != 0 {
            *buflen = room - 1;
            if wanted > 0 {
                found.give(value, value_length);
            }
        }
        code
    }
}
