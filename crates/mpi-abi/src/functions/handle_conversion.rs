//! Conversion between handles and integers, for languages whose handles are integers.
//!
//! Predefined handles are small numbers already. Any other handle turns into the number of its slot, which fits into an
//! `int`. Back again it gets the generation that the slot has now, so that a live handle comes back as it was. What
//! refers to nothing turns into the null handle.
//!
//! The older names of these functions, such as `MPI_Comm_c2f`, are not part of the ABI, since the size of Fortran's
//! `INTEGER` is not. Programs in C and C++ use them nevertheless.

use std::ffi::c_int;

use simurgh_mpi_abi_macros::mpi;

use crate::constants::*;
use crate::handles::{FIRST_HANDLE, HandleTables, Slab, with_tables};
use crate::types::*;

/// The integer of a handle.
fn toint<T>(handle: usize, null: usize, table: impl FnOnce(&HandleTables) -> &Slab<T>) -> c_int {
    let number = match handle {
        0..FIRST_HANDLE => Some(handle),
        _ => with_tables(|tables| table(tables?).number(handle)),
    };
    number.unwrap_or(null) as c_int
}

/// The handle of an integer.
fn fromint<T>(number: c_int, null: usize, table: impl FnOnce(&HandleTables) -> &Slab<T>) -> usize {
    let handle = match usize::try_from(number) {
        Ok(number @ 0..FIRST_HANDLE) => Some(number),
        Ok(number) => with_tables(|tables| table(tables?).handle(number)),
        Err(_) => None,
    };
    handle.unwrap_or(null)
}

/// `MPI_Comm_toint`: the integer of a communicator.
#[mpi(also = comm_c2f)]
fn comm_toint(comm: MPI_Comm) -> c_int {
    toint(comm.0, MPI_COMM_NULL.0, |tables| &tables.comms)
}

/// `MPI_Comm_fromint`: the communicator of an integer.
#[mpi(also = comm_f2c)]
fn comm_fromint(comm: c_int) -> MPI_Comm {
    MPI_Comm(fromint(comm, MPI_COMM_NULL.0, |tables| &tables.comms))
}

/// `MPI_Errhandler_toint`: the integer of an error handler.
#[mpi(also = errhandler_c2f)]
fn errhandler_toint(errhandler: MPI_Errhandler) -> c_int {
    toint(errhandler.0, MPI_ERRHANDLER_NULL.0, |tables| &tables.errhandlers)
}

/// `MPI_Errhandler_fromint`: the error handler of an integer.
#[mpi(also = errhandler_f2c)]
fn errhandler_fromint(errhandler: c_int) -> MPI_Errhandler {
    MPI_Errhandler(fromint(errhandler, MPI_ERRHANDLER_NULL.0, |tables| {
        &tables.errhandlers
    }))
}

/// `MPI_File_toint`: the integer of a file.
#[mpi(also = file_c2f)]
fn file_toint(file: MPI_File) -> c_int {
    toint(file.0, MPI_FILE_NULL.0, |tables| &tables.files.open)
}

/// `MPI_File_fromint`: the file of an integer.
#[mpi(also = file_f2c)]
fn file_fromint(file: c_int) -> MPI_File {
    MPI_File(fromint(file, MPI_FILE_NULL.0, |tables| &tables.files.open))
}

/// `MPI_Group_toint`: the integer of a group.
#[mpi(also = group_c2f)]
fn group_toint(group: MPI_Group) -> c_int {
    toint(group.0, MPI_GROUP_NULL.0, |tables| &tables.groups)
}

/// `MPI_Group_fromint`: the group of an integer.
#[mpi(also = group_f2c)]
fn group_fromint(group: c_int) -> MPI_Group {
    MPI_Group(fromint(group, MPI_GROUP_NULL.0, |tables| &tables.groups))
}

/// `MPI_Info_toint`: the integer of an info object.
#[mpi(also = info_c2f)]
fn info_toint(info: MPI_Info) -> c_int {
    toint(info.0, MPI_INFO_NULL.0, |tables| &tables.infos)
}

/// `MPI_Info_fromint`: the info object of an integer.
#[mpi(also = info_f2c)]
fn info_fromint(info: c_int) -> MPI_Info {
    MPI_Info(fromint(info, MPI_INFO_NULL.0, |tables| &tables.infos))
}

/// `MPI_Message_toint`: the integer of a message.
#[mpi(also = message_c2f)]
fn message_toint(message: MPI_Message) -> c_int {
    toint(message.0, MPI_MESSAGE_NULL.0, |tables| &tables.messages)
}

/// `MPI_Message_fromint`: the message of an integer.
#[mpi(also = message_f2c)]
fn message_fromint(message: c_int) -> MPI_Message {
    MPI_Message(fromint(message, MPI_MESSAGE_NULL.0, |tables| &tables.messages))
}

/// `MPI_Op_toint`: the integer of an operation.
#[mpi(also = op_c2f)]
fn op_toint(op: MPI_Op) -> c_int {
    toint(op.0, MPI_OP_NULL.0, |tables| &tables.ops)
}

/// `MPI_Op_fromint`: the operation of an integer.
#[mpi(also = op_f2c)]
fn op_fromint(op: c_int) -> MPI_Op {
    MPI_Op(fromint(op, MPI_OP_NULL.0, |tables| &tables.ops))
}

/// `MPI_Session_toint`: the integer of a session.
#[mpi(also = session_c2f)]
fn session_toint(session: MPI_Session) -> c_int {
    toint(session.0, MPI_SESSION_NULL.0, |tables| &tables.sessions)
}

/// `MPI_Session_fromint`: the session of an integer.
#[mpi(also = session_f2c)]
fn session_fromint(session: c_int) -> MPI_Session {
    MPI_Session(fromint(session, MPI_SESSION_NULL.0, |tables| &tables.sessions))
}

/// `MPI_Type_toint`: the integer of a datatype.
#[mpi(also = type_c2f)]
fn type_toint(datatype: MPI_Datatype) -> c_int {
    toint(datatype.0, MPI_DATATYPE_NULL.0, |tables| &tables.datatypes)
}

/// `MPI_Type_fromint`: the datatype of an integer.
#[mpi(also = type_f2c)]
fn type_fromint(datatype: c_int) -> MPI_Datatype {
    MPI_Datatype(fromint(datatype, MPI_DATATYPE_NULL.0, |tables| &tables.datatypes))
}

/// `MPI_Win_toint`: the integer of a window.
#[mpi(also = win_c2f)]
fn win_toint(win: MPI_Win) -> c_int {
    toint(win.0, MPI_WIN_NULL.0, |tables| &tables.windows)
}

/// `MPI_Win_fromint`: the window of an integer.
#[mpi(also = win_f2c)]
fn win_fromint(win: c_int) -> MPI_Win {
    MPI_Win(fromint(win, MPI_WIN_NULL.0, |tables| &tables.windows))
}

/// `MPI_Request_toint`: the integer of a request.
#[mpi(also = request_c2f)]
fn request_toint(request: MPI_Request) -> c_int {
    // What has no slot and keeps no integer gets a slot, for a program that goes on with the integer.
    let request = with_tables(|tables| tables?.slot_of_completed_receive(request)).unwrap_or(request);
    with_tables(|tables| tables?.send_integers.number(request))
        .unwrap_or_else(|| toint(request.0, MPI_REQUEST_NULL.0, |tables| &tables.requests))
}

/// `MPI_Request_fromint`: the request of an integer.
#[mpi(also = request_f2c)]
fn request_fromint(request: c_int) -> MPI_Request {
    with_tables(|tables| tables?.send_integers.handle(request))
        .unwrap_or_else(|| MPI_Request(fromint(request, MPI_REQUEST_NULL.0, |tables| &tables.requests)))
}
