//! The waiting half of a blocking call.

use crate::endpoint::MatchTable;
use crate::process::Process;
use crate::request::{CallSlot, Request, Waiter};
use crate::status::Status;
use simurgh_core::sync::Arc;

/// A blocking call that found no counterpart and waits for one.
#[derive(Debug)]
pub(crate) enum BlockingCall<'a> {
    /// With a slot of the process.
    Slot { process: u32, slot: CallSlot<'a> },
    /// With a request, when all slots are taken.
    Request(Arc<Request>),
}

impl<'a> BlockingCall<'a> {
    /// Prepares to wait in the table of another process, in the name of `process`.
    #[inline]
    pub(crate) fn begin(process: &'a Process) -> Self {
        Self::with(process, process.endpoint().slots().take())
    }

    /// Prepares to wait in the table of `process` itself, which the caller holds.
    #[inline]
    pub(crate) fn begin_in(_own: &MatchTable, process: &'a Process) -> Self {
        Self::with(process, process.endpoint().slots().take_locked())
    }

    #[inline]
    fn with(process: &'a Process, slot: Option<CallSlot<'a>>) -> Self {
        match slot {
            Some(slot) => Self::Slot {
                process: process.id(),
                slot,
            },
            None => Self::Request(process.requests().take_receive()),
        }
    }

    /// Whom the counterpart shall tell.
    #[inline]
    pub(crate) fn waiter(&self) -> Waiter {
        match self {
            Self::Slot { process, slot } => Waiter::Call {
                process: *process,
                slot: slot.number(),
            },
            Self::Request(request) => Waiter::Request(Arc::clone(request)),
        }
    }

    /// Blocks until the counterpart has done its part.
    #[inline]
    pub(crate) fn wait(self) -> Status {
        match self {
            Self::Slot { slot, .. } => slot.status_cell().wait(),
            Self::Request(request) => request.wait(),
        }
    }
}
