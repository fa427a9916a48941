//! What algorithms between hosts need to talk to each other.

use crate::error::{Error, Result};
use crate::memory::{Source, Target};

/// The way from one host of a communicator to the others, which are numbered by their positions.
///
/// Messages from one host to another are received in the order in which their sends began.
pub(in crate::collective) trait Transport: Sync + Sized {
    /// A message that is on its way.
    type Pending: Pending;

    /// Number of hosts.
    fn hosts(&self) -> usize;

    /// The position of this one.
    fn own(&self) -> usize;

    /// The way of another conversation at the same time: that about a slice of the data, of which this one is about the
    /// first.
    fn slice(&self, index: usize) -> Self;

    /// Says in all conversations of the call that this host has failed: who waits in one fails too.
    fn abort(&self, fault: &Error);

    /// Begins to send to the host at a position. The memory is in use until the message has gone.
    fn start_send(&self, to: usize, source: &Source) -> Self::Pending;

    /// Begins to receive from the host at a position. The memory is in use until the message has come.
    fn start_recv(&self, from: usize, target: &Target) -> Self::Pending;

    /// Receives whatever comes.
    fn recv_bytes(&self, from: usize) -> Result<Vec<u8>>;
}

/// A message that is on its way. Dropping it waits for its end too.
pub(in crate::collective) trait Pending {
    /// Waits until it has gone or come, and says how many bytes it has.
    fn wait(self) -> Result<usize>;
}
