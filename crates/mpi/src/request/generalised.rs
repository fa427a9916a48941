//! Requests whose operation is the program's own (`MPI_Grequest_start`).
//!
//! The program says when the operation is complete, from any thread; that completes the status cell of the request as a
//! message would, so that a thread that waits is suspended until then. The resources are freed once the operation is
//! complete *and* the request has been waited for or given up: two bits are set in either order, and the thread that
//! sets the second frees.

use super::{Kind, Request, StatusCell};
use crate::error::Status;
use crate::error::{Error, ErrorClass, ErrorCode, Result};
use simurgh_core::sync::{Arc, AtomicU8, Ordering};
use std::fmt;

/// The functions of the program for its operation: they are called at the turning points of the operation.
pub trait Callbacks: Send + Sync {
    /// The outcome of the operation, which is complete; an error of the callback itself is the status's error.
    fn query(&self) -> Status;

    /// Frees what the operation holds; called once.
    fn free(&self) -> ErrorCode;

    /// Tries to cancel the operation, which may be complete already.
    fn cancel(&self, complete: bool) -> ErrorCode;
}

/// A generalised request's part.
pub(crate) struct Generalised {
    callbacks: Box<dyn Callbacks>,
    ends: AtomicU8,
}

/// The program has said that the operation is complete.
const COMPLETE: u8 = 1;
/// The request has been waited for or given up.
const CONSUMED: u8 = 2;

impl Generalised {
    /// Sets a bit and returns those that were set before. AcqRel: who sets the second bit sees what the other did.
    fn reach(&self, end: u8) -> u8 {
        self.ends.fetch_or(end, Ordering::AcqRel)
    }

    /// The outcome, which leaves the request as it is.
    pub(super) fn query(&self) -> Status {
        self.callbacks.query()
    }

    /// The outcome of a complete request, which is used up; the first error of the callbacks is its error.
    #[cold]
    pub(super) fn consume(&self) -> Status {
        let status = self.query();
        if self.reach(CONSUMED) & CONSUMED != 0 {
            return status;
        }
        let freed = self.callbacks.free();
        let error = if status.error.is_success() {
            freed
        } else {
            status.error
        };
        Status { error, ..status }
    }

    /// Whether the program may still say that the operation is complete, after the request has been given up.
    fn give_up(&self) -> Result<bool> {
        let before = self.reach(CONSUMED);
        if before == COMPLETE {
            self.free()?;
        }
        Ok(before & COMPLETE == 0)
    }

    /// Completes the operation, which wakes a thread that waits. Whether the request had been given up.
    fn complete(&self, status_cell: &StatusCell) -> Result<bool> {
        let before = self.reach(COMPLETE);
        if before & COMPLETE != 0 {
            return Err(Error::new(
                ErrorClass::Request,
                "the generalised request is complete already; complete it once",
            ));
        }
        status_cell.finish(&Status::EMPTY);
        Ok(before & CONSUMED != 0)
    }

    fn free(&self) -> Result<()> {
        let code = self.callbacks.free();
        code.check(|| format!("the free function of a generalised request has returned {code}"))
    }

    /// Asks the program to cancel the operation.
    pub(super) fn cancel(&self, complete: bool) -> Result<()> {
        let code = self.callbacks.cancel(complete);
        code.check(|| format!("the cancel function of a generalised request has returned {code}"))
    }
}

impl fmt::Debug for Generalised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Generalised")
            .field("ends", &self.ends)
            .finish_non_exhaustive()
    }
}

impl Request {
    /// A request for an operation of the program's own (`MPI_Grequest_start`).
    #[must_use]
    pub fn generalised(callbacks: Box<dyn Callbacks>) -> Arc<Self> {
        Arc::new(Self::of_kind(Kind::Generalised(Generalised {
            callbacks,
            ends: AtomicU8::new(0),
        })))
    }

    fn as_generalised(&self) -> Option<&Generalised> {
        match &self.kind {
            Kind::Generalised(generalised) => Some(generalised),
            _ => None,
        }
    }

    /// Waits, with `wait`, for this request, or others with it. The program may complete it in a signal handler. So as
    /// long as a signal may come, the wait is no deadlock.
    pub(super) fn await_program(&self, wait: impl FnOnce()) {
        if self.is_generalised() && simurgh_core::may_be_interrupted() {
            simurgh_core::while_expecting(wait);
        } else {
            wait();
        }
    }

    /// Whether the operation is the program's own.
    pub(crate) fn is_generalised(&self) -> bool {
        self.as_generalised().is_some()
    }

    /// Says that the program's operation is complete (`MPI_Grequest_complete`), from any thread. Whether the request
    /// had been given up: then nobody waits for it, and the caller [disposes](Request::dispose) of it.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Request`] if the request is not generalised or was completed before.
    pub fn complete(&self) -> Result<bool> {
        match self.as_generalised() {
            Some(generalised) => generalised.complete(&self.status_cell),
            None => Err(Error::new(
                ErrorClass::Request,
                "only a generalised request is completed by the program",
            )),
        }
    }

    /// Gives the request up without waiting (`MPI_Request_free`). Whether it is a generalised request that the program
    /// still has to complete: the thread that completes it disposes of it.
    ///
    /// # Errors
    ///
    /// The error that the free function of a generalised request returns.
    pub fn give_up(&self) -> Result<bool> {
        self.as_generalised().map_or(Ok(false), Generalised::give_up)
    }

    /// Frees what the operation of a generalised request holds, after it was given up and has been completed.
    ///
    /// # Errors
    ///
    /// The error that the free function returns.
    pub fn dispose(&self) -> Result<()> {
        self.as_generalised().map_or(Ok(()), Generalised::free)
    }
}
