//! Error handlers.

use core::ffi::{c_int, c_void};
use core::mem::transmute;

use super::trampoline::{Adapter, Procedure, trampoline};
use crate::error::{Refusal, refuse};
use crate::foreign::*;

/// An error handler of Fortran. It gets the handle of a communicator, a session, a window or a file.
type Handler = unsafe extern "C" fn(object: *mut c_int, error_code: *mut c_int);

/// Calls an error handler with the integer of an object's handle.
unsafe fn call(procedure: Procedure, mut object: c_int, error_code: *mut c_void) {
    // SAFETY:
    // - the program has passed an error handler, and MPI the address of an error code.
    unsafe { transmute::<Procedure, Handler>(procedure)(&raw mut object, error_code.cast()) };
}

unsafe fn call_for_comm(procedure: Procedure, [comm, error_code, ..]: [*mut c_void; 4]) {
    // SAFETY:
    // - MPI passes the address of a handle, and that of an error code.
    unsafe { call(procedure, (*comm.cast::<MPI_Comm>()).integer(), error_code) };
}

unsafe fn call_for_session(procedure: Procedure, [session, error_code, ..]: [*mut c_void; 4]) {
    // SAFETY:
    // - MPI passes the address of a handle, and that of an error code.
    unsafe { call(procedure, (*session.cast::<MPI_Session>()).integer(), error_code) };
}

unsafe fn call_for_win(procedure: Procedure, [win, error_code, ..]: [*mut c_void; 4]) {
    // SAFETY:
    // - MPI passes the address of a handle, and that of an error code.
    unsafe { call(procedure, (*win.cast::<MPI_Win>()).integer(), error_code) };
}

unsafe fn call_for_file(procedure: Procedure, [file, error_code, ..]: [*mut c_void; 4]) {
    // SAFETY:
    // - MPI passes the address of a handle, and that of an error code.
    unsafe { call(procedure, (*file.cast::<MPI_File>()).integer(), error_code) };
}

/// Makes an error handler of a procedure by `create`, a function of C.
unsafe fn make(
    create: unsafe extern "C" fn(*mut c_void, *mut MPI_Errhandler) -> c_int,
    (adapter, procedure): (Adapter, Procedure),
    errhandler: *mut c_int,
) -> c_int {
    let Some(function) = trampoline(adapter, procedure) else {
        return refuse(MPI_COMM_SELF, Refusal::Procedures);
    };
    let mut made = MPI_ERRHANDLER_NULL;
    // SAFETY:
    // - the trampoline is an error handler for C, of the kind that `create` takes;
    // - the program has passed the address of a handle.
    unsafe {
        let code = create(function, &raw mut made);
        if code == MPI_SUCCESS {
            *errhandler = made.integer();
        }
        code
    }
}

/// `MPI_COMM_CREATE_ERRHANDLER`: makes an error handler for communicators.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn comm_create_errhandler(comm_errhandler_fn: Procedure, errhandler: *mut c_int) -> c_int {
    let procedure = (call_for_comm as Adapter, comm_errhandler_fn);
    // SAFETY:
    // - as the caller says.
    unsafe { make(MPI_Comm_create_errhandler, procedure, errhandler) }
}

/// `MPI_SESSION_CREATE_ERRHANDLER`: makes an error handler for sessions.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn session_create_errhandler(
    session_errhandler_fn: Procedure,
    errhandler: *mut c_int,
) -> c_int {
    let procedure = (call_for_session as Adapter, session_errhandler_fn);
    // SAFETY:
    // - as the caller says.
    unsafe { make(MPI_Session_create_errhandler, procedure, errhandler) }
}

/// `MPI_WIN_CREATE_ERRHANDLER`: makes an error handler for windows.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn win_create_errhandler(win_errhandler_fn: Procedure, errhandler: *mut c_int) -> c_int {
    let procedure = (call_for_win as Adapter, win_errhandler_fn);
    // SAFETY:
    // - as the caller says.
    unsafe { make(MPI_Win_create_errhandler, procedure, errhandler) }
}

/// `MPI_FILE_CREATE_ERRHANDLER`: makes an error handler for files.
///
/// # Safety
///
/// The arguments are what the MPI standard asks for.
pub(crate) unsafe fn file_create_errhandler(file_errhandler_fn: Procedure, errhandler: *mut c_int) -> c_int {
    let procedure = (call_for_file as Adapter, file_errhandler_fn);
    // SAFETY:
    // - as the caller says.
    unsafe { make(MPI_File_create_errhandler, procedure, errhandler) }
}
