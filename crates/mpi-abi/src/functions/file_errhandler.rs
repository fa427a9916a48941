//! Error handlers of files. That of the null file is the one of files that will be opened.

use std::ffi::c_int;

use simurgh_mpi_abi_macros::mpi;

use super::errhandler::raised_by_program;
use crate::arguments::Out;
use crate::call;
use crate::callback::Callback;
use crate::constants::MPI_FILE_NULL;
use crate::error::Outcome;
use crate::handles::{HandlerFunction, HandlerKind, Rank};
use crate::types::{MPI_Errhandler, MPI_File, MPI_File_errhandler_function};

/// `MPI_File_create_errhandler`: makes an error handler of a function.
#[mpi(early)]
fn file_create_errhandler(
    rank: Rank<'_>,
    file_errhandler_fn: Callback<MPI_File_errhandler_function>,
    errhandler: Out<MPI_Errhandler>,
) -> Outcome {
    errhandler.check("errhandler")?;
    let function = HandlerFunction::File(file_errhandler_fn.get("file_errhandler_fn")?);
    errhandler.set("errhandler", rank.new_errhandler(function)?)
}

/// `MPI_File_set_errhandler`: sets the error handler of `file`.
#[mpi(raises = file)]
fn file_set_errhandler(rank: Rank<'_>, file: MPI_File, errhandler: MPI_Errhandler) -> Outcome {
    let handler = rank.errhandler(errhandler, HandlerKind::File)?;
    match file {
        MPI_FILE_NULL => rank.tables.files.set_default_errhandler(handler),
        _ => rank.file(file)?.set_errhandler(handler),
    }
    Ok(())
}

/// `MPI_File_get_errhandler`: the error handler of `file`.
#[mpi(raises = file)]
fn file_get_errhandler(rank: Rank<'_>, file: MPI_File, errhandler: Out<MPI_Errhandler>) -> Outcome {
    errhandler.check("errhandler")?;
    let handler = match file {
        MPI_FILE_NULL => rank.tables.files.default_errhandler(),
        _ => rank.file(file)?.errhandler(),
    };
    errhandler.set("errhandler", rank.errhandler_handle(handler)?)
}

/// `MPI_File_call_errhandler`: calls the error handler of `fh` as if a call had failed.
#[mpi(raises = fh)]
fn file_call_errhandler(rank: Rank<'_>, fh: MPI_File, errorcode: c_int) -> Outcome {
    if fh != MPI_FILE_NULL {
        rank.file(fh)?;
    }
    let fault = raised_by_program(rank, errorcode)?;
    call::raise("MPI_File_call_errhandler", rank, fh, &fault);
    Ok(())
}
