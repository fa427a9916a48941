//! Pools of requests that are used again.

use super::{Exchange, Kind, NOWHERE, Participation, Request};
use crate::error::Status;
use crate::limits::POOLED_REQUESTS;
use simurgh_core::IdleTask;
use simurgh_core::sync::{Arc, Ordering, Serialized, SpinLock, fence};

/// The requests of a rank that are not in use, and one that is always complete.
#[derive(Debug)]
pub(crate) struct RequestPool {
    idle: SpinLock<Vec<Arc<Request>>>,
    done_send: Arc<Request>,
    /// Those of who uses the pool.
    serialized: Serialized,
}

/// How many idle requests are looked at for one without other references.
const LOOKS: usize = 4;

impl RequestPool {
    pub(crate) fn new() -> Self {
        Self {
            idle: SpinLock::new(Vec::new()),
            done_send: Request::ended(&Status::EMPTY),
            serialized: Serialized::default(),
        }
    }

    /// Whether those who use the pool take turns.
    #[inline]
    pub(crate) fn serialized(&self) -> &Serialized {
        &self.serialized
    }

    /// A request for a send.
    #[inline]
    pub(crate) fn take_send(&self) -> Arc<Request> {
        self.take(|| Kind::Send, |kind| matches!(kind, Kind::Send))
    }

    /// A request for a receive.
    #[inline]
    pub(crate) fn take_receive(&self) -> Arc<Request> {
        self.take(|| Kind::Receive, |kind| matches!(kind, Kind::Receive))
    }

    /// A request for a send and a receive.
    pub(crate) fn take_exchange(&self) -> Arc<Request> {
        self.take_other(Kind::Exchange(Exchange::new()))
    }

    /// A request for a nonblocking collective.
    pub(crate) fn take_collective(&self, work: Arc<dyn IdleTask>) -> Arc<Request> {
        let participation = Participation::default();
        participation.begin(work);
        self.take_other(Kind::Collective(participation))
    }

    /// A request of a kind without data, which `is_it` recognises.
    #[inline]
    fn take(&self, kind: impl Fn() -> Kind, is_it: impl Fn(&Kind) -> bool) -> Arc<Request> {
        let serves = |last: &mut Arc<Request>| is_it(&last.kind) && last.is_ours();
        let last = self.idle.lock_serialized(&self.serialized).pop_if(serves);
        let Some(request) = last else {
            return self.take_other(kind());
        };
        // Only atomics have to be written, so the request needs no exclusive reference, which would take a locked
        // instruction. Acquire pairs with the Release of the thread that has dropped the last other reference.
        fence(Ordering::Acquire);
        request.status_cell.reset();
        request.queued.forget();
        request
    }

    /// A request of this kind, where the one that was given back last does not serve as it is.
    #[inline(never)]
    fn take_other(&self, kind: Kind) -> Arc<Request> {
        Self::make(self.take_idle(), kind)
    }

    /// A request of this kind, if possible from one that is not in use.
    fn make(idle: Option<Arc<Request>>, kind: Kind) -> Arc<Request> {
        let Some(mut request) = idle else {
            return Arc::new(Request::of_kind(kind));
        };
        request.drop_own_reference();
        if let Some(inner) = Arc::get_mut(&mut request) {
            inner.kind = kind;
            inner.status_cell.reset();
            *inner.queued.sequence.get_mut() = NOWHERE;
            return request;
        }
        Arc::new(Request::of_kind(kind))
    }

    /// The youngest request without other references: the thread that has completed a request may not have dropped its
    /// own yet.
    fn take_idle(&self) -> Option<Arc<Request>> {
        let mut idle = self.idle.lock_serialized(&self.serialized);
        let looks = idle.len().saturating_sub(LOOKS)..idle.len();
        let free = looks.rev().find(|&index| idle[index].is_ours())?;
        Some(idle.swap_remove(free))
    }

    /// A request that has just completed with `status`: it needs no counterpart.
    pub(crate) fn take_finished(&self, status: &Status) -> Arc<Request> {
        let request = self.take_receive();
        request.settle(status);
        request
    }

    /// The request of every send that was complete when its call returned.
    #[inline]
    pub(crate) fn done_send(&self) -> Arc<Request> {
        Arc::clone(&self.done_send)
    }

    /// Keeps a request that is done for its next use.
    #[inline(always)]
    pub(crate) fn give_back(&self, request: Arc<Request>) {
        if !request.is_reusable() || Arc::ptr_eq(&request, &self.done_send) {
            return;
        }
        let mut idle = self.idle.lock_serialized(&self.serialized);
        if idle.len() < POOLED_REQUESTS {
            idle.push(request);
        } else {
            request.drop_own_reference();
        }
    }
}

impl Drop for RequestPool {
    fn drop(&mut self) {
        for request in self.idle.lock().iter() {
            request.drop_own_reference();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_given_back_is_taken_again() {
        let pool = RequestPool::new();
        let request = pool.take_finished(&Status::PROC_NULL);
        request.queued.sequence.store(5, Ordering::Relaxed);
        let address = Arc::as_ptr(&request);
        pool.give_back(request);
        let request = pool.take_send();
        assert_eq!(Arc::as_ptr(&request), address);
        assert!(!request.is_done() && matches!(request.kind, Kind::Send));
        assert_eq!(request.queued.get().1.sequence, NOWHERE);
    }

    #[test]
    fn a_request_still_referred_to_is_not_reused() {
        let pool = RequestPool::new();
        let request = pool.take_finished(&Status::EMPTY);
        pool.give_back(Arc::clone(&request));
        assert!(!Arc::ptr_eq(&request, &pool.take_send()));
    }

    #[test]
    fn the_request_that_is_done_for_good_is_never_reused() {
        let pool = RequestPool::new();
        let done = pool.done_send();
        assert_eq!(done.test(), Some(Status::EMPTY));
        pool.give_back(done);
        assert!(!pool.take_send().is_done());
        assert!(pool.done_send().is_done());
    }
}
