//! Completion of one request: waiting, testing, freeing, cancelling.

use std::ffi::c_int;

use simurgh_mpi::{ErrorClass, Status};
use simurgh_mpi_abi_macros::mpi;

use crate::arguments::{InOut, Out, StatusOut};
use crate::constants::MPI_REQUEST_NULL;
use crate::error::{CallError, Outcome};
use crate::handles::{Rank, RequestEntry, completed_send_of_handle};
use crate::types::MPI_Request;

/// Voids the handle of a completed request, unless it is persistent.
#[inline]
pub(super) fn retire(rank: Rank<'_>, handle: &mut MPI_Request, entry: Option<&RequestEntry>) {
    if entry.is_some_and(|entry| !entry.request.is_persistent()) {
        rank.release_request(handle);
    }
}

/// The failure of one completed operation, raised on its communicator.
#[inline]
pub(super) fn failure(status: Status, entry: Option<&RequestEntry>) -> Outcome {
    let (Some(entry), false) = (entry, status.error.is_success()) else {
        return Ok(());
    };
    let result = entry.request.result(status);
    result
        .map(drop)
        .map_err(|error| Box::<CallError>::from(error).on(entry.raised_on))
}

/// `MPI_Wait`: waits for one operation.
#[mpi]
fn wait(rank: Rank<'_>, request: InOut<MPI_Request>, status: StatusOut) -> Outcome {
    let mut handle = request.get("request")?;
    if let Some(found) = rank.retire_succeeded(&mut handle) {
        status.set(&found);
        request.set(handle);
        return Ok(());
    }
    let entry = rank.request(handle)?;
    let found = entry.map_or(Status::EMPTY, |entry| entry.request.wait());
    status.set(&found);
    let outcome = failure(found, entry);
    retire(rank, &mut handle, entry);
    request.set(handle);
    outcome
}

/// `MPI_Test`: whether an operation is complete.
#[mpi]
fn test(rank: Rank<'_>, request: InOut<MPI_Request>, flag: Out<c_int>, status: StatusOut) -> Outcome {
    let mut handle = request.get("request")?;
    flag.check("flag")?;
    if let Some(found) = rank.retire_succeeded(&mut handle) {
        status.set(&found);
        request.set(handle);
        return flag.set("flag", 1);
    }
    let entry = rank.request(handle)?;
    let found = entry.map_or(Some(Status::EMPTY), |entry| entry.request.test());
    flag.set("flag", c_int::from(found.is_some()))?;
    let Some(found) = found else { return Ok(()) };
    status.set(&found);
    let outcome = failure(found, entry);
    retire(rank, &mut handle, entry);
    request.set(handle);
    outcome
}

/// `MPI_Request_free`: frees the request; its operation goes on.
#[mpi]
fn request_free(rank: Rank<'_>, request: InOut<MPI_Request>) -> Outcome {
    let mut handle = request.get("request")?;
    let Some(entry) = rank.request(handle)? else {
        return Err(CallError::new(
            ErrorClass::Request,
            "request is MPI_REQUEST_NULL: there is nothing to free",
        ));
    };
    let checked = entry.request.check_free();
    checked.map_err(|error| Box::<CallError>::from(error).on(entry.raised_on))?;
    let freed = entry.request.give_up();
    // The handle of a generalised request that is not complete stays valid for MPI_Grequest_complete.
    if !matches!(freed, Ok(true)) {
        rank.release_request(&mut handle);
    }
    request.set(MPI_REQUEST_NULL);
    Ok(freed.map(drop)?)
}

/// `MPI_Cancel`: cancels the operation, if it has not been matched yet.
#[mpi]
fn cancel(rank: Rank<'_>, request: InOut<MPI_Request>) -> Outcome {
    let handle = request.get("request")?;
    let Some(entry) = rank.request(handle)? else {
        return Err(CallError::new(
            ErrorClass::Request,
            "request is MPI_REQUEST_NULL: there is nothing to cancel",
        ));
    };
    if let Some(completed) = completed_send_of_handle(rank.process.id(), handle) {
        if completed.withdraw(rank.process) {
            rank.tables.cancelled.insert(handle);
        }
        return Ok(());
    }
    entry
        .request
        .cancel(rank.process)
        .map_err(|error| Box::<CallError>::from(error).on(entry.raised_on))
}
