//! The reference by which a request is completed while its rank does not use it.
//!
//! A pooled request has a second reference to itself. While an operation is under way its counterpart has the
//! reference, in a [`Waiter::Own`]; at all other times it lies in the request. So references are counted when a request
//! is made, and not when it is used again.
//!
//! | who may use the place of the reference | from | until |
//! |---|---|---|
//! | the rank, which has taken the request out of its pool | the operation before is done | [`Request::own_waiter`] |
//! | the counterpart | [`Request::own_waiter`] | [`Request::finish_own`] says that the operation is done |
#![allow(unsafe_code, reason = "the rank and its counterpart take turns")]

use super::{Request, Waiter};
use crate::error::Status;
use simurgh_core::sync::{Arc, ArcCache};

impl Request {
    /// The waiter of an operation that is about to start, for the side that completes it. The request has come from
    /// the pool, and has to be released by its rank when it is done.
    #[inline]
    pub(crate) fn own_waiter(self: &Arc<Self>) -> Waiter {
        // SAFETY:
        // - the request was in the pool, so no operation is under way, and only the calling thread has it now.
        let kept = unsafe { self.second.take() };
        Waiter::Own(kept.unwrap_or_else(|| Arc::clone(self)))
    }

    /// Completes an operation by the reference that [`Request::own_waiter`] has given.
    #[inline(always)]
    pub(crate) fn finish_own(self: Arc<Self>, status: &Status) {
        // SAFETY:
        // - the caller's is the only such reference: the pool gives out no request to which there are others;
        // - the rank does not use the place before the operation is done, and saying so is the last access to the
        //   request in `finish`.
        unsafe { ArcCache::put(self, |request| &request.second, |request| request.finish(status)) }
    }

    /// Drops the reference that lies in a request that is done, so that the request can be freed.
    pub(super) fn drop_own_reference(&self) {
        // SAFETY:
        // - no operation is under way, and only the calling thread has the request.
        drop(unsafe { self.second.take() });
    }

    /// Whether this is the only reference in use.
    #[inline]
    pub(super) fn is_ours(self: &Arc<Self>) -> bool {
        Arc::strong_count(self) == 1 + usize::from(self.second.is_full())
    }
}
