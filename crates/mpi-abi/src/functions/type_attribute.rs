//! Attributes of datatypes.

use std::ffi::c_int;

use simurgh_mpi::attribute::Kind;
use simurgh_mpi_abi_macros::mpi;

use super::attribute;
use crate::arguments::{BufferMut, InOut, Out};
use crate::callback::Callback;
use crate::error::Outcome;
use crate::handles::Rank;
use crate::types::*;

/// `MPI_Type_create_keyval`: makes a key for attributes of datatypes.
#[mpi]
fn type_create_keyval(
    rank: Rank<'_>,
    type_copy_attr_fn: Callback<MPI_Type_copy_attr_function>,
    type_delete_attr_fn: Callback<MPI_Type_delete_attr_function>,
    type_keyval: Out<c_int>,
    extra_state: BufferMut,
) -> Outcome {
    let functions = (type_copy_attr_fn, type_delete_attr_fn);
    attribute::create_for_types(rank, functions, type_keyval, extra_state)
}

/// `MPI_Type_free_keyval`: frees a key; attributes keep it until they are deleted.
#[mpi]
fn type_free_keyval(rank: Rank<'_>, type_keyval: InOut<c_int>) -> Outcome {
    attribute::free(rank, Kind::Type, type_keyval)
}

/// `MPI_Type_set_attr`: attaches a value to a datatype, which may be a predefined one.
#[mpi]
fn type_set_attr(
    rank: Rank<'_>,
    datatype: MPI_Datatype,
    type_keyval: c_int,
    attribute_val: BufferMut,
) -> Outcome {
    rank.any_datatype("datatype", datatype)?;
    attribute::set(rank, Kind::Type, datatype.0, type_keyval, attribute_val)
}

/// `MPI_Type_get_attr`: the value that a datatype has for a key.
#[mpi]
fn type_get_attr(
    rank: Rank<'_>,
    datatype: MPI_Datatype,
    type_keyval: c_int,
    attribute_val: BufferMut,
    flag: Out<c_int>,
) -> Outcome {
    rank.any_datatype("datatype", datatype)?;
    attribute::get(rank, Kind::Type, datatype.0, type_keyval, (attribute_val, flag))
}

/// `MPI_Type_delete_attr`: deletes the value that a datatype has for a key.
#[mpi]
fn type_delete_attr(rank: Rank<'_>, datatype: MPI_Datatype, type_keyval: c_int) -> Outcome {
    rank.any_datatype("datatype", datatype)?;
    attribute::delete(rank, Kind::Type, datatype.0, type_keyval)
}
