//! The requests of this host for ids that have not been answered.

use super::IdReply;
use simurgh_core::Completion;
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::HashMap;

/// The pending requests, by number.
#[derive(Debug, Default)]
pub(super) struct PendingRequests(SpinLock<Open>);

#[derive(Debug, Default)]
struct Open {
    last: u64,
    waiting: HashMap<u64, Arc<PendingRequest>>,
}

/// A pending request, as the rank that waits for the reply sees it.
#[derive(Default)]
pub(super) struct PendingRequest {
    replied: Completion,
    reply: SpinLock<IdReply>,
}

impl PendingRequests {
    /// Adds a request and returns its number.
    pub(super) fn open(&self) -> (u64, Arc<PendingRequest>) {
        let mut open = self.0.lock();
        open.last += 1;
        let (number, pending) = (open.last, Arc::default());
        open.waiting.insert(number, Arc::clone(&pending));
        (number, pending)
    }

    /// Hands a reply to the rank that waits for it; false if there is no such request.
    pub(super) fn close(&self, number: u64, reply: IdReply) -> bool {
        let pending = self.0.lock().waiting.remove(&number);
        let Some(pending) = pending else {
            return false;
        };
        *pending.reply.lock() = reply;
        pending.replied.complete();
        true
    }
}

impl PendingRequest {
    /// Waits for the reply.
    pub(super) fn wait(&self) -> IdReply {
        self.replied.wait();
        *self.reply.lock()
    }
}

impl std::fmt::Debug for PendingRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PendingRequest")
            .field("answered", &self.replied.is_done())
            .finish_non_exhaustive()
    }
}
