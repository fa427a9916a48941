//! Operations of the program behind generalised requests.

use std::ffi::{c_int, c_void};

use simurgh_mpi::{Callbacks, ErrorCode, Status};

use crate::types::{
    MPI_Grequest_cancel_function, MPI_Grequest_free_function, MPI_Grequest_query_function, MPI_Status,
};

/// The functions of an operation, and the pointer that they get.
pub(crate) struct GeneralisedRequest {
    pub(crate) query: MPI_Grequest_query_function,
    pub(crate) free: MPI_Grequest_free_function,
    pub(crate) cancel: MPI_Grequest_cancel_function,
    pub(crate) extra_state: *mut c_void,
}

// SAFETY:
// - `extra_state` is never followed here; the program, which may call from any of its threads, gets it back as it is.
unsafe impl Send for GeneralisedRequest {}
// SAFETY:
// - as above.
unsafe impl Sync for GeneralisedRequest {}

impl Callbacks for GeneralisedRequest {
    fn query(&self) -> Status {
        let mut status = MPI_Status::from(&Status::EMPTY);
        // SAFETY:
        // - the program gave this function for these arguments; the status is valid for the call.
        let code = unsafe { (self.query)(self.extra_state, &raw mut status) };
        Status {
            source: status.MPI_SOURCE,
            tag: status.MPI_TAG,
            error: ErrorCode::new(code),
            bytes: status.bytes(),
            cancelled: status.cancelled(),
        }
    }

    fn free(&self) -> ErrorCode {
        // SAFETY:
        // - the program gave this function for this argument.
        ErrorCode::new(unsafe { (self.free)(self.extra_state) })
    }

    fn cancel(&self, complete: bool) -> ErrorCode {
        // SAFETY:
        // - the program gave this function for these arguments.
        ErrorCode::new(unsafe { (self.cancel)(self.extra_state, c_int::from(complete)) })
    }
}
