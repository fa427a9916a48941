//! Blocking calls that have to wait.

use crate::endpoint::MatchTable;
use crate::error::{Result, Status};
use crate::process::Process;
use crate::request::{CallSlot, Request, Waiter};
use simurgh_core::sync::Arc;

/// A blocking call that has matched nothing and waits for its counterpart.
#[derive(Debug)]
pub(crate) enum BlockingCall<'a> {
    /// In a slot of the process.
    Slot { process: u32, slot: CallSlot<'a> },
    /// By a request, when all slots are taken.
    Request(Arc<Request>),
}

impl<'a> BlockingCall<'a> {
    /// Prepares to wait in the table of another process, in the name of `process`.
    #[inline]
    pub(crate) fn begin(process: &'a Process) -> Self {
        Self::with(process, process.endpoint().slots().take())
    }

    /// Prepares to wait in the table of `process` itself, which the caller has locked.
    #[inline]
    pub(crate) fn begin_in(_own: &MatchTable, process: &'a Process) -> Self {
        Self::with(process, process.endpoint().slots().take_locked())
    }

    #[inline(always)]
    fn with(process: &'a Process, slot: Option<CallSlot<'a>>) -> Self {
        match slot {
            Some(slot) => Self::Slot {
                process: process.id(),
                slot,
            },
            None => Self::Request(process.requests().take_receive()),
        }
    }

    /// The waiter for the counterpart to complete.
    #[inline(always)]
    pub(crate) fn waiter(&self) -> Waiter {
        match self {
            Self::Slot { process, slot } => Waiter::Call {
                process: *process,
                slot: slot.number(),
            },
            Self::Request(request) => Waiter::Request(Arc::clone(request)),
        }
    }

    /// Blocks until the counterpart has completed the call.
    #[inline(always)]
    pub(crate) fn wait(self) -> Status {
        match self {
            Self::Slot { slot, .. } => slot.status_cell().wait(),
            Self::Request(request) => request.wait(),
        }
    }

    /// As [`BlockingCall::wait`], with the status as a result.
    #[inline(always)]
    pub(crate) fn result(self) -> Result<Status> {
        match self {
            Self::Slot { slot, .. } => slot.status_cell().wait().into_result(),
            Self::Request(request) => result_of(&request),
        }
    }
}

/// The result of a call that waits by a request, apart from the path of most calls.
#[inline(never)]
fn result_of(request: &Request) -> Result<Status> {
    request.wait().into_result()
}
