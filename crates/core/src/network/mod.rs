//! The network as the runtime sees it: the trait that it implements, and the state of its polling.
//!
//! Nothing arrives by itself: somebody has to poll. The following do, in this order: an execution context that waits
//! while nothing else is ready on its worker; an execution context that tests; a worker that has nothing to run; a busy
//! worker, between two switches now and then; and last a worker that sleeps in the kernel until the network wakes it.
//!
//! Costs with a network: a waiting context calls [`Network::has_mail`] once for each check of its event; a busy worker
//! calls it every few switches. Costs without: one branch in the loops of those that wait, and nothing elsewhere.

#[cfg(not(loom))]
mod poll_counters;
#[cfg(not(loom))]
mod quiescence;

use std::time::Duration;

use crate::sync::AtomicU32;

#[cfg(not(loom))]
pub(crate) use poll_counters::PollCounters;
#[cfg(not(loom))]
pub use quiescence::Quiescence;

/// Checks of its event that a waiting execution context could have made in the time of a poll that finds nothing.
#[cfg(not(loom))]
pub(crate) const CHECKS_PER_POLL: u32 = 16;

/// A network, which has to be polled for messages of other processes to arrive.
///
/// All functions may be called by any thread, at any time. None of them suspends an execution context: they may be
/// called on the stack of any of them.
pub trait Network: Send + Sync {
    /// Whether [`Network::poll`] would find something: a cheap hint, which touches nothing thread-local.
    fn has_mail(&self) -> bool;

    /// Does what there is to do; false if there was nothing, or somebody else is at it.
    fn poll(&self) -> bool;

    /// Sleeps in the kernel until something arrives, or `word` is no longer `expected`, or the time is over, if there
    /// is a limit. Others may change the word and wake the caller with a private futex. May return early.
    fn sleep(&self, word: &AtomicU32, expected: u32, limit: Option<Duration>);

    /// Ends a [`Network::sleep`] whose word has changed, in case that it does not hear the futex.
    fn wake(&self);

    /// Whether nothing waits here to be sent, nor to be handled, as far as this process knows.
    fn is_quiet(&self) -> bool;

    /// Whether it leads to other nodes: an answer takes tens of microseconds, and a poll may serve others although it
    /// finds nothing.
    fn is_far(&self) -> bool {
        false
    }

    /// Somebody begins to look again and again whether there is mail, or ends that. Others may be told.
    fn watch(&self, _is_watched: bool) {}
}
