//! Tests for completion that leave the requests as they are.

use std::ffi::c_int;

use simurgh_mpi::{self as engine, Outcome as Found, Status};
use simurgh_mpi_abi_macros::mpi;

use super::multiple_completion::{check, requests, store_found};
use crate::arguments::{Array, ArrayMut, Out, StatusOut, StatusesOut, count_of};
use crate::constants::MPI_UNDEFINED;
use crate::error::Outcome;
use crate::handles::{Rank, completed_receive_of_handle};
use crate::types::MPI_Request;

/// `MPI_Request_get_status`: whether an operation is complete, leaving its request as it is.
#[mpi]
fn request_get_status(rank: Rank<'_>, request: MPI_Request, flag: Out<c_int>, status: StatusOut) -> Outcome {
    flag.check("flag")?;
    let found = match completed_receive_of_handle(request) {
        Some(received) => Some(received),
        None => rank
            .request(request)?
            .map_or(Some(Status::EMPTY), |entry| entry.request.peek()),
    };
    if let Some(found) = &found {
        status.set(found);
    }
    flag.set("flag", c_int::from(found.is_some()))
}

/// `MPI_Request_get_status_any`: whether one of several operations is complete, leaving their requests as they are.
#[mpi]
fn request_get_status_any(
    rank: Rank<'_>,
    count: c_int,
    array_of_requests: Array<MPI_Request>,
    index: Out<c_int>,
    flag: Out<c_int>,
    status: StatusOut,
) -> Outcome {
    let handles = array_of_requests.slice("array_of_requests", count_of("count", count)?)?;
    index.check("index")?;
    flag.check("flag")?;
    check(rank, handles)?;
    let found = engine::peek_any(requests(rank, handles));
    flag.set("flag", c_int::from(found != Found::Pending))?;
    store_found(&found, "index", index, status)
}

/// `MPI_Request_get_status_some`: which operations are complete, leaving their requests as they are.
#[mpi]
fn request_get_status_some(
    rank: Rank<'_>,
    incount: c_int,
    array_of_requests: Array<MPI_Request>,
    outcount: Out<c_int>,
    mut array_of_indices: ArrayMut<c_int>,
    array_of_statuses: StatusesOut,
) -> Outcome {
    let handles = array_of_requests.slice("array_of_requests", count_of("incount", incount)?)?;
    outcount.check("outcount")?;
    check(rank, handles)?;
    let indices = array_of_indices.slice("array_of_indices", handles.len())?;
    let mut next = 0;
    let found = engine::peek_some(requests(rank, handles), |position, status| {
        indices[next] = position as c_int;
        array_of_statuses.set(next, &status);
        next += 1;
    });
    outcount.set(
        "outcount",
        found.map_or(MPI_UNDEFINED, |complete| complete as c_int),
    )
}

/// `MPI_Request_get_status_all`: whether all operations are complete, leaving their requests as they are.
#[mpi]
fn request_get_status_all(
    rank: Rank<'_>,
    count: c_int,
    array_of_requests: Array<MPI_Request>,
    flag: Out<c_int>,
    array_of_statuses: StatusesOut,
) -> Outcome {
    let handles = array_of_requests.slice("array_of_requests", count_of("count", count)?)?;
    flag.check("flag")?;
    check(rank, handles)?;
    let done = engine::peek_all(requests(rank, handles), |position, status| {
        array_of_statuses.set(position, &status);
    });
    flag.set("flag", c_int::from(done))
}
