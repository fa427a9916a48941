//! Statuses.

use std::ffi::c_int;

use simurgh_mpi::ErrorClass;
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{In, InOut, Number, Out, count_of};
use crate::constants::MPI_UNDEFINED;
use crate::error::{CallError, Outcome};
use crate::handles::Rank;
use crate::types::{MPI_Datatype, MPI_Status};

/// Stores a number, or `MPI_UNDEFINED` if there is none or it does not fit.
fn set_or_undefined<C: Number + From<c_int>>(count: Out<C>, name: &str, number: Option<u64>) -> Outcome {
    let fitting = number
        .and_then(|number| i64::try_from(number).ok())
        .and_then(C::narrow);
    count.set(name, fitting.unwrap_or_else(|| C::from(MPI_UNDEFINED)))
}

/// `MPI_Get_count`: the number of elements of `datatype` that were received.
#[mpi(large)]
fn get_count(rank: Rank<'_>, status: In<MPI_Status>, datatype: MPI_Datatype, count: Out<Count>) -> Outcome {
    let bytes = status.get("status")?.bytes();
    set_or_undefined(
        count,
        "count",
        rank.datatype("datatype", datatype)?.count_in(bytes),
    )
}

/// `MPI_Get_elements`: the number of predefined elements that were received.
#[mpi(large, also_x)]
fn get_elements(
    rank: Rank<'_>,
    status: In<MPI_Status>,
    datatype: MPI_Datatype,
    count: Out<Count>,
) -> Outcome {
    let bytes = status.get("status")?.bytes();
    set_or_undefined(
        count,
        "count",
        rank.datatype("datatype", datatype)?.elements_in(bytes),
    )
}

/// `MPI_Status_set_elements`: makes the status that of a message of `count` predefined elements.
#[mpi(large, also_x)]
fn status_set_elements(
    rank: Rank<'_>,
    status: InOut<MPI_Status>,
    datatype: MPI_Datatype,
    count: Count,
) -> Outcome {
    let datatype = rank.datatype("datatype", datatype)?;
    let bytes = datatype
        .bytes_of(count_of("count", count)? as u64)
        .ok_or_else(|| {
            CallError::new(
                ErrorClass::ValueTooLarge,
                format!("count is {count}: so many elements are more bytes than 64 bits can count"),
            )
        })?;
    status.update("status", |status| {
        status.MPI_internal = MPI_Status::internal(bytes, status.cancelled());
    })
}

/// `MPI_Status_set_cancelled`: sets the result of [`PMPI_Test_cancelled`].
#[mpi]
fn status_set_cancelled(status: InOut<MPI_Status>, flag: c_int) -> Outcome {
    status.update("status", |status| {
        status.MPI_internal = MPI_Status::internal(status.bytes(), flag != 0);
    })
}

/// `MPI_Test_cancelled`: whether the operation was cancelled.
#[mpi]
fn test_cancelled(status: In<MPI_Status>, flag: Out<c_int>) -> Outcome {
    flag.set("flag", c_int::from(status.get("status")?.cancelled()))
}

/// `MPI_Status_get_source`: the sender's rank.
#[mpi]
fn status_get_source(status: In<MPI_Status>, source: Out<c_int>) -> Outcome {
    source.set("source", status.get("status")?.MPI_SOURCE)
}

/// `MPI_Status_get_tag`: the message's tag.
#[mpi]
fn status_get_tag(status: In<MPI_Status>, tag: Out<c_int>) -> Outcome {
    tag.set("tag", status.get("status")?.MPI_TAG)
}

/// `MPI_Status_get_error`: the operation's error code.
#[mpi]
fn status_get_error(status: In<MPI_Status>, error: Out<c_int>) -> Outcome {
    error.set("error", status.get("status")?.MPI_ERROR)
}

/// `MPI_Status_set_source`: sets the sender's rank.
#[mpi]
fn status_set_source(status: InOut<MPI_Status>, source: c_int) -> Outcome {
    status.update("status", |status| status.MPI_SOURCE = source)
}

/// `MPI_Status_set_tag`: sets the message's tag.
#[mpi]
fn status_set_tag(status: InOut<MPI_Status>, tag: c_int) -> Outcome {
    status.update("status", |status| status.MPI_TAG = tag)
}

/// `MPI_Status_set_error`: sets the operation's error code.
#[mpi]
fn status_set_error(status: InOut<MPI_Status>, error: c_int) -> Outcome {
    status.update("status", |status| status.MPI_ERROR = error)
}
