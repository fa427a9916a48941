//! Reduction operations.

use core::ffi::{c_int, c_void};
use core::mem::transmute;

use super::trampoline::{Procedure, trampoline};
use crate::error::{Refusal, refuse};
use crate::foreign::*;

/// A reduction function of Fortran. The number of elements is an INTEGER or, in large functions, one of MPI_COUNT_KIND.
type UserFunction =
    unsafe extern "C" fn(invec: *mut c_void, inoutvec: *mut c_void, len: *mut c_void, datatype: *mut c_int);

/// Calls a reduction function with the integer of the datatype.
unsafe fn call(procedure: Procedure, [invec, inoutvec, len, datatype]: [*mut c_void; 4]) {
    // SAFETY:
    // - MPI passes the address of a handle.
    let mut datatype = unsafe { (*datatype.cast::<MPI_Datatype>()).integer() };
    // SAFETY:
    // - the program has passed a reduction function;
    // - the vectors and their length are those that MPI has passed.
    unsafe { transmute::<Procedure, UserFunction>(procedure)(invec, inoutvec, len, &raw mut datatype) };
}

/// Makes an operation of a procedure by `create`, a function of C.
unsafe fn make(
    create: unsafe extern "C" fn(*mut c_void, c_int, *mut MPI_Op) -> c_int,
    (user_fn, commute, op): (Procedure, *mut c_int, *mut c_int),
) -> c_int {
    let Some(function) = trampoline(call, user_fn) else {
        return refuse(MPI_COMM_SELF, Refusal::Procedures);
    };
    let mut made = MPI_OP_NULL;
    // SAFETY:
    // - the trampoline is a reduction function for C;
    // - the program has passed the addresses of a truth value and of a handle.
    unsafe {
        let code = create(function, c_int::from(*commute != 0), &raw mut made);
        if code == MPI_SUCCESS {
            *op = made.integer();
        }
        code
    }
}

/// `MPI_OP_CREATE`: makes an operation of a function that takes an INTEGER number of elements.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn op_create(user_fn: Procedure, commute: *mut c_int, op: *mut c_int) -> c_int {
    // SAFETY:
    // - as the caller says.
    unsafe { make(MPI_Op_create, (user_fn, commute, op)) }
}

/// `MPI_Op_create_c`: makes an operation of a function that takes a large number of elements.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn op_create_c(user_fn: Procedure, commute: *mut c_int, op: *mut c_int) -> c_int {
    // SAFETY:
    // - as the caller says.
    unsafe { make(MPI_Op_create_c, (user_fn, commute, op)) }
}
