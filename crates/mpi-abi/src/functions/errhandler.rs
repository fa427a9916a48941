//! Error handlers.

use std::ffi::c_int;
use std::sync::Arc;

use simurgh_mpi::ErrorCode;
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{InOut, Out};
use crate::call;
use crate::callback::Callback;
use crate::constants::*;
use crate::error::{CallError, Outcome, ResultOf};
use crate::handles::{HandlerFunction, HandlerKind, Rank};
use crate::types::{MPI_Comm, MPI_Comm_errhandler_function, MPI_Errhandler};

/// `MPI_Comm_create_errhandler`: makes an error handler of a function.
#[mpi(early, formerly = errhandler_create)]
fn comm_create_errhandler(
    rank: Rank<'_>,
    comm_errhandler_fn: Callback<MPI_Comm_errhandler_function>,
    errhandler: Out<MPI_Errhandler>,
) -> Outcome {
    errhandler.check("errhandler")?;
    let function = HandlerFunction::Comm(comm_errhandler_fn.get("comm_errhandler_fn")?);
    errhandler.set("errhandler", rank.new_errhandler(function)?)
}

/// `MPI_Comm_set_errhandler`: sets the error handler of `comm`.
#[mpi(raises = comm, formerly = errhandler_set)]
fn comm_set_errhandler(rank: Rank<'_>, comm: MPI_Comm, errhandler: MPI_Errhandler) -> Outcome {
    let handler = rank.errhandler(errhandler, HandlerKind::Comm)?;
    rank.comm(comm)?.set_errhandler(handler);
    Ok(())
}

/// `MPI_Comm_get_errhandler`: the error handler of `comm`.
#[mpi(raises = comm, formerly = errhandler_get)]
fn comm_get_errhandler(rank: Rank<'_>, comm: MPI_Comm, errhandler: Out<MPI_Errhandler>) -> Outcome {
    errhandler.check("errhandler")?;
    let handle = rank.errhandler_handle(rank.comm(comm)?.errhandler())?;
    errhandler.set("errhandler", handle)
}

/// A failure that the program raises itself.
pub(super) fn raised_by_program(rank: Rank<'_>, errorcode: c_int) -> ResultOf<Box<CallError>> {
    let text = rank.tables.codes.text(errorcode)?;
    let reason = format!("the program itself has raised this error: {text}");
    Ok(CallError::new(ErrorCode::new(errorcode), reason))
}

/// `MPI_Comm_call_errhandler`: calls the error handler of `comm` as if a call had failed.
#[mpi(raises = comm)]
fn comm_call_errhandler(rank: Rank<'_>, comm: MPI_Comm, errorcode: c_int) -> Outcome {
    rank.comm(comm)?;
    let fault = raised_by_program(rank, errorcode)?;
    call::raise("MPI_Comm_call_errhandler", rank, comm, &fault);
    Ok(())
}

/// `MPI_Errhandler_free`: frees the error handler; objects that have it keep it.
#[mpi(early)]
fn errhandler_free(rank: Rank<'_>, errhandler: InOut<MPI_Errhandler>) -> Outcome {
    let handle = errhandler.get("errhandler")?;
    if ![MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT, MPI_ERRORS_RETURN].contains(&handle) {
        let handler = Arc::clone(rank.user_handler(handle)?);
        handler.take_back(&rank.tables.errhandlers);
    }
    errhandler.set(MPI_ERRHANDLER_NULL);
    Ok(())
}
