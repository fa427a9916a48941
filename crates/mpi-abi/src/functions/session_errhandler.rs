//! Error handlers of sessions.

use std::ffi::c_int;

use simurgh_mpi_abi_macros::mpi;

use super::errhandler::raised_by_program;
use crate::arguments::Out;
use crate::call;
use crate::callback::Callback;
use crate::error::Outcome;
use crate::handles::{HandlerFunction, HandlerKind, Rank};
use crate::types::{MPI_Errhandler, MPI_Session, MPI_Session_errhandler_function};

/// `MPI_Session_create_errhandler`: makes an error handler of a function.
#[mpi(early)]
fn session_create_errhandler(
    rank: Rank<'_>,
    session_errhandler_fn: Callback<MPI_Session_errhandler_function>,
    errhandler: Out<MPI_Errhandler>,
) -> Outcome {
    errhandler.check("errhandler")?;
    let function = HandlerFunction::Session(session_errhandler_fn.get("session_errhandler_fn")?);
    errhandler.set("errhandler", rank.new_errhandler(function)?)
}

/// `MPI_Session_set_errhandler`: sets the error handler of `session`.
#[mpi(raises = session)]
fn session_set_errhandler(rank: Rank<'_>, session: MPI_Session, errhandler: MPI_Errhandler) -> Outcome {
    let handler = rank.errhandler(errhandler, HandlerKind::Session)?;
    rank.session(session)?.set_errhandler(handler);
    Ok(())
}

/// `MPI_Session_get_errhandler`: the error handler of `session`.
#[mpi(raises = session)]
fn session_get_errhandler(rank: Rank<'_>, session: MPI_Session, errhandler: Out<MPI_Errhandler>) -> Outcome {
    errhandler.check("errhandler")?;
    let handle = rank.errhandler_handle(rank.session(session)?.errhandler())?;
    errhandler.set("errhandler", handle)
}

/// `MPI_Session_call_errhandler`: calls the error handler of `session` as if a call had failed.
#[mpi(early, raises = session)]
fn session_call_errhandler(rank: Rank<'_>, session: MPI_Session, errorcode: c_int) -> Outcome {
    rank.session(session)?;
    let fault = raised_by_program(rank, errorcode)?;
    call::raise("MPI_Session_call_errhandler", rank, session, &fault);
    Ok(())
}
