//! What drives the network: whoever has nothing better to do.
//!
//! Nothing arrives by itself: somebody has to look. Those are, in this order: an execution context that waits while
//! nothing else is ready on its worker, one that tests, a worker that has nothing to run, a busy worker between two
//! switches now and then, and last a worker that sleeps in the kernel until the network rings.
//!
//! Costs, with a network: a look of a waiting context is one call of [`Network::has_mail`]; a busy worker makes one
//! every few switches. Without: one branch in the loops of those who wait, and nothing where anybody runs.

use std::time::Duration;

use crate::sync::AtomicU32;

/// What has to be looked after for messages of other processes to arrive.
///
/// All may be called by any thread, at any time. None of them suspends an execution context: they may be called on the
/// stack of any of them.
pub trait Network: Send + Sync {
    /// Whether [`Network::poll`] would find something: a cheap hint, which touches nothing thread-local.
    fn has_mail(&self) -> bool;

    /// Does what there is to do; false if there was nothing, or somebody else is at it.
    fn poll(&self) -> bool;

    /// Sleeps in the kernel until something arrives, or `word`, on which others may wake the caller with a private
    /// futex, is no longer `expected`, or the time is over, if there is a limit. May return early.
    fn sleep(&self, word: &AtomicU32, expected: u32, limit: Option<Duration>);

    /// Ends a [`Network::sleep`] whose word has changed, in case that it does not hear the futex.
    fn wake(&self);

    /// Whether nothing waits here to be sent, nor to be handled, as far as this process knows.
    fn is_quiet(&self) -> bool;
}
