//! Waiters: what to complete when an operation ends, as its counterpart sees it.

use super::{Half, Request, StatusCell};
use crate::error::Status;
use simurgh_core::sync::Arc;

/// The ranks whose blocking calls can be completed.
pub(crate) trait Callers {
    /// The status cell of a blocking call of a process, by the number of its slot.
    fn status_cell(&self, process: u32, slot: u32) -> &StatusCell;
}

/// The object to complete when an operation ends.
#[derive(Clone, Debug)]
pub(crate) enum Waiter {
    /// A blocking call of a process, by the number of its slot.
    Call { process: u32, slot: u32 },
    /// A request.
    Request(Arc<Request>),
    /// A request that will be [released](crate::Process::release) by its rank. The reference is kept in the request for
    /// its next operation.
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

    /// Notes that data of another host is under way for the operation, which is a receive.
    pub(crate) fn begin_arrival(&self, callers: &impl Callers) {
        match self {
            Self::Call { process, slot } => callers.status_cell(*process, *slot).begin_arrival(),
            Self::Request(request) | Self::Own(request) | Self::Receiving(request) => request.begin_arrival(),
            Self::Sending(_) => unreachable!("a send waits for no data"),
        }
    }

    /// Records the outcome and wakes the thread that waits for it.
    #[inline(always)]
    pub(crate) fn finish(self, callers: &impl Callers, status: &Status) {
        match self {
            Self::Call { process, slot } => {
                // There is nothing to drop, which the compiler does not see.
                std::mem::forget(self);
                callers.status_cell(process, slot).finish(status);
            }
            Self::Own(request) => request.finish_own(status),
            shared => shared.finish_shared(status),
        }
    }

    /// [`Waiter::finish`] for a request to which others may have references, apart from the path of most messages.
    #[inline(never)]
    fn finish_shared(self, status: &Status) {
        match self {
            Self::Call { .. } | Self::Own(_) => unreachable!("`finish` completes these"),
            Self::Request(request) => request.finish(status),
            Self::Sending(request) => request.finish_half(Half::Send, status),
            Self::Receiving(request) => request.finish_half(Half::Receive, status),
        }
    }
}
