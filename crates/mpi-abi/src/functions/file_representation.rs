//! Data representations of the program.

use std::ffi::c_void;
use std::sync::Arc;

use simurgh_mpi_abi_macros::mpi;

use crate::arguments::Text;
use crate::callback::Callback;
use crate::constants::{MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL_C, MPI_FILE_NULL};
use crate::error::{CallError, Outcome, ResultOf};
use crate::handles::{ConversionFunction, Rank, UserRepresentation};
use crate::types::{
    MPI_Datarep_conversion_function, MPI_Datarep_conversion_function_c, MPI_Datarep_extent_function,
};

/// `MPI_Register_datarep`: registers a data representation, whose conversion functions take counts of type `int`.
#[mpi]
fn register_datarep(
    rank: Rank<'_>,
    datarep: Text,
    read_conversion_fn: Callback<MPI_Datarep_conversion_function>,
    write_conversion_fn: Callback<MPI_Datarep_conversion_function>,
    dtype_file_extent_fn: Callback<MPI_Datarep_extent_function>,
    extra_state: *mut c_void,
) -> Outcome {
    let function = |name, function: Callback<MPI_Datarep_conversion_function>| -> ResultOf<_> {
        match function == MPI_CONVERSION_FN_NULL {
            true => Ok(None),
            false => Ok(Some(ConversionFunction::Narrow(function.get(name)?))),
        }
    };
    let read = function("read_conversion_fn", read_conversion_fn)?;
    let write = function("write_conversion_fn", write_conversion_fn)?;
    register(rank, datarep, (read, write), dtype_file_extent_fn, extra_state)
}

/// `MPI_Register_datarep_c`: registers a data representation, whose conversion functions take counts of type
/// `MPI_Count`.
#[mpi]
fn register_datarep_c(
    rank: Rank<'_>,
    datarep: Text,
    read_conversion_fn: Callback<MPI_Datarep_conversion_function_c>,
    write_conversion_fn: Callback<MPI_Datarep_conversion_function_c>,
    dtype_file_extent_fn: Callback<MPI_Datarep_extent_function>,
    extra_state: *mut c_void,
) -> Outcome {
    let function = |name, function: Callback<MPI_Datarep_conversion_function_c>| -> ResultOf<_> {
        match function == MPI_CONVERSION_FN_NULL_C {
            true => Ok(None),
            false => Ok(Some(ConversionFunction::Large(function.get(name)?))),
        }
    };
    let read = function("read_conversion_fn", read_conversion_fn)?;
    let write = function("write_conversion_fn", write_conversion_fn)?;
    register(rank, datarep, (read, write), dtype_file_extent_fn, extra_state)
}

/// Registers a representation. Errors are raised on the null file.
fn register(
    rank: Rank<'_>,
    datarep: Text,
    (read, write): (Option<ConversionFunction>, Option<ConversionFunction>),
    extent: Callback<MPI_Datarep_extent_function>,
    extra_state: *mut c_void,
) -> Outcome {
    let register = || {
        rank.tables.files.register(Arc::new(UserRepresentation {
            name: datarep.read("datarep")?,
            read,
            write,
            extent: extent.get("dtype_file_extent_fn")?,
            extra_state,
        }))
    };
    register().map_err(|fault: Box<CallError>| fault.on(MPI_FILE_NULL))
}
