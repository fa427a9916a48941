//! The variables whose addresses have a meaning: `MPI_BOTTOM`, `MPI_IN_PLACE`, `MPI_STATUS_IGNORE` and their kin.
//!
//! Each is a common block in `mpif.h` and a variable of the same linker name in `mpi_f08`. The dynamic linker makes one
//! variable of all of them and of the definition here, so one comparison serves all modules. For that the library has
//! to reach them by way of the dynamic linker: they are visible symbols, defined in assembly, and foreign to Rust.

use core::ffi::{c_int, c_void};

/// C's values of the special addresses of buffers.
const BOTTOM: usize = 0;
pub(crate) const IN_PLACE: usize = 1;
const BUFFER_AUTOMATIC: usize = 2;

/// C's values of the special addresses of weights.
const UNWEIGHTED: usize = 10;
const WEIGHTS_EMPTY: usize = 11;

/// The address of a buffer for C.
#[inline(always)]
pub(crate) fn buffer(given: *mut c_void) -> *mut c_void {
    let address = given.addr();
    if address == blocks::bottom() {
        core::ptr::without_provenance_mut(BOTTOM)
    } else if address == blocks::in_place() {
        core::ptr::without_provenance_mut(IN_PLACE)
    } else {
        given
    }
}

/// The address of a buffer that is attached, for C.
pub(crate) fn attached(given: *mut c_void) -> *mut c_void {
    if given.addr() == blocks::buffer_automatic() {
        core::ptr::without_provenance_mut(BUFFER_AUTOMATIC)
    } else {
        given
    }
}

/// The address of a status for C: null if it is to be ignored.
#[inline(always)]
pub(crate) fn status_or_ignore(given: *mut c_int) -> *mut c_int {
    null_if(given.addr() == blocks::status_ignore(), given)
}

/// The address of an array of statuses for C: null if they are to be ignored.
#[inline(always)]
pub(crate) fn statuses_or_ignore(given: *mut c_int) -> *mut c_int {
    null_if(given.addr() == blocks::statuses_ignore(), given)
}

/// The address of an array of error codes for C: null if they are to be ignored.
pub(crate) fn error_codes(given: *mut c_int) -> *mut c_int {
    null_if(given.addr() == blocks::errcodes_ignore(), given)
}

/// The address of an array of weights for C.
pub(crate) fn weights(given: *mut c_int) -> *mut c_int {
    let address = given.addr();
    if address == blocks::unweighted() {
        core::ptr::without_provenance_mut(UNWEIGHTED)
    } else if address == blocks::weights_empty() {
        core::ptr::without_provenance_mut(WEIGHTS_EMPTY)
    } else {
        given
    }
}

#[inline(always)]
fn null_if(condition: bool, given: *mut c_int) -> *mut c_int {
    if condition { core::ptr::null_mut() } else { given }
}

/// The addresses.
pub(crate) mod blocks {
    #![allow(dead_code, reason = "generated for all of them")]

    include!(concat!(env!("OUT_DIR"), "/sentinels.rs"));
}
