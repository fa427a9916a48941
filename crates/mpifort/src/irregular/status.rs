//! Statuses in the forms of `mpif.h` and `mpi_f08`, which have the same layout.

use core::ffi::c_int;

use crate::foreign::{MPI_F_STATUS_SIZE, MPI_SUCCESS};

/// `MPI_Status_f2f08`.
///
/// # Safety
///
/// Both are statuses.
pub(crate) unsafe fn status_f2f08(f_status: *mut c_int, f08_status: *mut c_int) -> c_int {
    // SAFETY:
    // - the caller's promise.
    unsafe { f08_status.copy_from(f_status, MPI_F_STATUS_SIZE as usize) };
    MPI_SUCCESS
}

/// `MPI_Status_f082f`.
///
/// # Safety
///
/// Both are statuses.
pub(crate) unsafe fn status_f082f(f08_status: *mut c_int, f_status: *mut c_int) -> c_int {
    // SAFETY:
    // - the caller's promise.
    unsafe { f_status.copy_from(f08_status, MPI_F_STATUS_SIZE as usize) };
    MPI_SUCCESS
}
