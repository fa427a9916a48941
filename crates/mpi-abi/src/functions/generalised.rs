//! Generalised requests: requests for operations of the program.

use std::ffi::c_void;

use simurgh_mpi::{ErrorClass, Request};
use simurgh_mpi_abi_macros::mpi;

use super::nonblocking::give_out;
use crate::arguments::Out;
use crate::callback::Callback;
use crate::constants::MPI_COMM_SELF;
use crate::error::{CallError, Outcome};
use crate::handles::{GeneralisedRequest, Rank};
use crate::types::{
    MPI_Grequest_cancel_function, MPI_Grequest_free_function, MPI_Grequest_query_function, MPI_Request,
};

/// `MPI_Grequest_start`: makes a request for an operation that the program runs itself.
#[mpi]
fn grequest_start(
    rank: Rank<'_>,
    query_fn: Callback<MPI_Grequest_query_function>,
    free_fn: Callback<MPI_Grequest_free_function>,
    cancel_fn: Callback<MPI_Grequest_cancel_function>,
    extra_state: *mut c_void,
    request: Out<MPI_Request>,
) -> Outcome {
    request.check("request")?;
    let operation = GeneralisedRequest {
        query: query_fn.get("query_fn")?,
        free: free_fn.get("free_fn")?,
        cancel: cancel_fn.get("cancel_fn")?,
        extra_state,
    };
    let made = Request::generalised(Box::new(operation));
    give_out(rank, made, MPI_COMM_SELF, request)
}

/// `MPI_Grequest_complete`: declares the operation complete; a thread that waits for it goes on.
#[mpi]
fn grequest_complete(rank: Rank<'_>, request: MPI_Request) -> Outcome {
    let Some(entry) = rank.request(request)? else {
        let reason = "request is MPI_REQUEST_NULL: pass the request that MPI_Grequest_start has made";
        return Err(CallError::new(ErrorClass::Request, reason));
    };
    // When it is complete, a thread that waits for it may void the handle.
    let operation = entry.request.clone();
    if operation.complete()? {
        rank.release_request(&mut { request });
        operation.dispose()?;
    }
    Ok(())
}
