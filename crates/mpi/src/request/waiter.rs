//! Who waits for an operation, as its counterpart sees it.

use super::{Half, Request, StatusCell};
use crate::status::Status;
use simurgh_core::sync::Arc;

/// The ranks whose blocking calls can be completed.
pub(crate) trait Callers {
    /// The ticket of a blocking call of a process, by the number of its slot.
    fn status_cell(&self, process: u32, slot: u32) -> &StatusCell;
}

/// Whom to tell that an operation is complete.
#[derive(Clone, Debug)]
pub(crate) enum Waiter {
    /// A blocking call of a process, by the number of its slot.
    Call { process: u32, slot: u32 },
    /// A request.
    Request(Arc<Request>),
    /// A request that is [released](crate::Process::release) when it is done, and not just dropped: the reference is
    /// left with it.
    Own(Arc<Request>),
    /// A request of which this is the sending half.
    Sending(Arc<Request>),
    /// A request of which this is the receiving half.
    Receiving(Arc<Request>),
}

// It lies in every posted receive: no larger than without the variant of exchanges.
const _: () = assert!(size_of::<Waiter>() == 16);

impl Waiter {
    /// Whether a blocking call waits.
    pub(crate) fn is_call(&self) -> bool {
        matches!(self, Self::Call { .. })
    }

    /// Leaves the outcome and wakes whoever waits for it.
    #[inline]
    pub(crate) fn finish(self, callers: &impl Callers, status: &Status) {
        match self {
            Self::Call { process, slot } => callers.status_cell(process, slot).finish(status),
            Self::Request(request) => request.finish(status),
            Self::Own(request) => request.finish_own(status),
            Self::Sending(request) => request.finish_half(Half::Send, status),
            Self::Receiving(request) => request.finish_half(Half::Receive, status),
        }
    }
}
