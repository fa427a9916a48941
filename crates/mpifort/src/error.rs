//! The error code of a call, and the errors of this library.

use core::ffi::{CStr, c_char, c_int};
use core::sync::atomic::{AtomicI32, Ordering};

use crate::foreign::*;

/// Stores the error code, unless the caller has left `ierror` out.
///
/// # Safety
///
/// `ierror` is null, or the address of an `INTEGER`.
#[inline(always)]
pub(crate) unsafe fn give(ierror: *mut c_int, code: c_int) {
    if !ierror.is_null() {
        // SAFETY:
        // - the caller's promise.
        unsafe { *ierror = code };
    }
}

/// Keeps the compiler from making one call of this and of the same call elsewhere in a function.
#[inline(always)]
pub(crate) fn apart() {
    // SAFETY:
    // - nothing is executed.
    unsafe { core::arch::asm!("", options(nomem, nostack, preserves_flags)) };
}

/// The reasons for which this library refuses a call.
#[derive(Clone, Copy)]
pub(crate) enum Refusal {
    /// The section is shorter than the call says.
    TooShort,
    /// Partitions of a section that cannot be described.
    Partitions,
    /// Memory that stays in use has to be contiguous.
    Attached,
    /// Operations and error handlers of more procedures than there are trampolines.
    Procedures,
}

/// The class and the text of each.
const ERRORS: [(c_int, &CStr); 4] = [
    (
        MPI_ERR_BUFFER,
        c"the buffer is an array section that has fewer elements than the call says",
    ),
    (
        MPI_ERR_BUFFER,
        c"the buffer is an array section whose elements do not have one distance: pass a contiguous array",
    ),
    (
        MPI_ERR_BUFFER,
        c"the buffer is an array section that is not contiguous: attach contiguous memory",
    ),
    (
        MPI_ERR_NO_SPACE,
        c"the program has made operations and error handlers of more than 1024 different Fortran procedures",
    ),
];

/// The error codes of the reasons, once they have been made.
static CODES: [AtomicI32; ERRORS.len()] = [const { AtomicI32::new(0) }; ERRORS.len()];

/// Raises the error of a reason on a communicator. Returns its code, if the error handler returns.
#[cold]
pub(crate) fn refuse(comm: MPI_Comm, refusal: Refusal) -> c_int {
    let code = code_of(refusal);
    // SAFETY:
    // - the communicator is the caller's, and the code is one of MPI's.
    unsafe { PMPI_Comm_call_errhandler(comm, code) };
    code
}

/// The error code of a reason, with its text.
fn code_of(refusal: Refusal) -> c_int {
    let (Some(made), Some(&(class, text))) = (CODES.get(refusal as usize), ERRORS.get(refusal as usize))
    else {
        return MPI_ERR_BUFFER;
    };
    let known = made.load(Ordering::Acquire);
    if known != 0 {
        return known;
    }
    let mut code = class;
    // SAFETY:
    // - the code is stored in a variable of this function;
    // - the text ends in a null byte.
    unsafe {
        if PMPI_Add_error_code(class, &raw mut code) != MPI_SUCCESS
            || PMPI_Add_error_string(code, text.as_ptr().cast_mut().cast::<c_char>()) != MPI_SUCCESS
        {
            return class;
        }
    }
    made.store(code, Ordering::Release);
    code
}
