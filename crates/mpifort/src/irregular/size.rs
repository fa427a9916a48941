//! The size of a variable, and the call that only keeps the compiler from moving accesses.

use core::ffi::c_int;

use crate::foreign::MPI_SUCCESS;
use crate::section::Data;

/// `MPI_Sizeof`: the size of an element in bytes.
///
/// # Safety
///
/// The arguments are those of the standard.
pub(crate) unsafe fn sizeof(x: Data, size: *mut c_int) -> c_int {
    // SAFETY:
    // - the caller's promise.
    unsafe { *size = c_int::try_from(x.size_of_element()).unwrap_or(c_int::MAX) };
    MPI_SUCCESS
}

/// `MPI_F_sync_reg`: nothing. A compiler must take the variable for changed.
pub(crate) fn f_sync_reg(_buf: Data) {}
