//! Indices, which count from zero in C and from one in Fortran.

use core::ffi::c_int;

/// Turns the first `count` indices into Fortran's. What is negative stands for no index and stays.
///
/// # Safety
///
/// `indices` has `count` elements, unless that is negative.
pub(crate) unsafe fn count_from_one(indices: *mut c_int, count: c_int) {
    for index in 0..usize::try_from(count).unwrap_or(0) {
        // SAFETY:
        // - the array has `count` elements.
        let place = unsafe { &mut *indices.add(index) };
        if *place >= 0 {
            *place += 1;
        }
    }
}
