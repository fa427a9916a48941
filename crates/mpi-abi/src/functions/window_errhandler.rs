//! Error handlers of windows.

use std::ffi::c_int;

use simurgh_mpi_abi_macros::mpi;

use super::errhandler::raised_by_program;
use crate::arguments::Out;
use crate::call;
use crate::callback::Callback;
use crate::error::Outcome;
use crate::handles::{HandlerFunction, HandlerKind, Rank};
use crate::types::{MPI_Errhandler, MPI_Win, MPI_Win_errhandler_function};

/// `MPI_Win_create_errhandler`: makes an error handler of a function.
#[mpi(early)]
fn win_create_errhandler(
    rank: Rank<'_>,
    win_errhandler_fn: Callback<MPI_Win_errhandler_function>,
    errhandler: Out<MPI_Errhandler>,
) -> Outcome {
    errhandler.check("errhandler")?;
    let function = HandlerFunction::Win(win_errhandler_fn.get("win_errhandler_fn")?);
    errhandler.set("errhandler", rank.new_errhandler(function)?)
}

/// `MPI_Win_set_errhandler`: sets the error handler of `win`.
#[mpi(raises = win)]
fn win_set_errhandler(rank: Rank<'_>, win: MPI_Win, errhandler: MPI_Errhandler) -> Outcome {
    let handler = rank.errhandler(errhandler, HandlerKind::Win)?;
    rank.window(win)?.window.set_errhandler(handler);
    Ok(())
}

/// `MPI_Win_get_errhandler`: the error handler of `win`.
#[mpi(raises = win)]
fn win_get_errhandler(rank: Rank<'_>, win: MPI_Win, errhandler: Out<MPI_Errhandler>) -> Outcome {
    errhandler.check("errhandler")?;
    let handle = rank.errhandler_handle(rank.window(win)?.window.errhandler())?;
    errhandler.set("errhandler", handle)
}

/// `MPI_Win_call_errhandler`: calls the error handler of `win` as if a call had failed.
#[mpi(early, raises = win)]
fn win_call_errhandler(rank: Rank<'_>, win: MPI_Win, errorcode: c_int) -> Outcome {
    rank.window(win)?;
    let fault = raised_by_program(rank, errorcode)?;
    call::raise("MPI_Win_call_errhandler", rank, win, &fault);
    Ok(())
}
