//! Error codes and their texts, and those that a program adds.

use std::ffi::c_int;

use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{Out, Text, TextOut};
use crate::constants::MPI_MAX_ERROR_STRING;
use crate::error::Outcome;
use crate::handles::Rank;

/// `MPI_Error_class`: the class of an error code.
#[mpi(early)]
fn error_class(rank: Rank<'_>, errorcode: c_int, errorclass: Out<c_int>) -> Outcome {
    errorclass.set("errorclass", rank.tables.codes.class(errorcode)?)
}

/// `MPI_Error_string`: the text of an error code.
#[mpi(early)]
fn error_string(rank: Rank<'_>, errorcode: c_int, string: TextOut, resultlen: Out<c_int>) -> Outcome {
    let text = rank.tables.codes.text(errorcode)?;
    string.set("string", &text, MPI_MAX_ERROR_STRING, resultlen)
}

/// `MPI_Add_error_class`: adds an error class.
#[mpi(early)]
fn add_error_class(rank: Rank<'_>, errorclass: Out<c_int>) -> Outcome {
    errorclass.check("errorclass")?;
    errorclass.set("errorclass", rank.tables.codes.add_class()?)
}

/// `MPI_Add_error_code`: adds an error code to a class.
#[mpi(early)]
fn add_error_code(rank: Rank<'_>, errorclass: c_int, errorcode: Out<c_int>) -> Outcome {
    errorcode.check("errorcode")?;
    errorcode.set("errorcode", rank.tables.codes.add_code(errorclass)?)
}

/// `MPI_Add_error_string`: sets the text of a class or code of the program.
#[mpi(early)]
fn add_error_string(rank: Rank<'_>, errorcode: c_int, string: Text) -> Outcome {
    let text = string.read("string")?;
    Ok(rank.tables.codes.set_text(errorcode, &text)?)
}

/// `MPI_Remove_error_class`: removes a class of the program, once its codes and its string are removed.
#[mpi(early)]
fn remove_error_class(rank: Rank<'_>, errorclass: c_int) -> Outcome {
    Ok(rank.tables.codes.remove_class(errorclass)?)
}

/// `MPI_Remove_error_code`: removes a code of the program, once its string is removed.
#[mpi(early)]
fn remove_error_code(rank: Rank<'_>, errorcode: c_int) -> Outcome {
    Ok(rank.tables.codes.remove_code(errorcode)?)
}

/// `MPI_Remove_error_string`: removes the string of a class or code of the program.
#[mpi(early)]
fn remove_error_string(rank: Rank<'_>, errorcode: c_int) -> Outcome {
    Ok(rank.tables.codes.remove_text(errorcode)?)
}
