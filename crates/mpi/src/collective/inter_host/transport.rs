//! The transport that algorithms between hosts need.

use crate::error::{Error, Result};
use crate::memory::{Source, Target};

/// The transport from one host of a communicator to the others, which are numbered by their positions.
///
/// Messages from one host to another are received in the order in which their sends began.
pub(in crate::collective) trait Transport: Sync + Sized {
    /// A send or receive that is pending.
    type Pending: Pending;

    /// Number of hosts.
    fn hosts(&self) -> usize;

    /// The position of this host.
    fn own(&self) -> usize;

    /// The transport of another conversation at the same time: that of slice `index` of the data. This one is that of
    /// the first slice.
    fn slice(&self, index: usize) -> Self;

    /// Tells all hosts, in all conversations of the call, that this host has failed. Receives of others that wait fail,
    /// too.
    fn abort(&self, fault: &Error);

    /// Begins to send to the host at a position. The memory is in use until the message has been sent.
    fn start_send(&self, to: usize, source: &Source) -> Self::Pending;

    /// Begins to receive from the host at a position. The memory is in use until the message has been received.
    fn start_recv(&self, from: usize, target: &Target) -> Self::Pending;

    /// Receives a message of any length.
    fn recv_bytes(&self, from: usize) -> Result<Vec<u8>>;
}

/// A send or receive that is pending. Dropping it waits for its end, too.
pub(in crate::collective) trait Pending {
    /// Waits for its end and returns the number of bytes.
    fn wait(self) -> Result<usize>;
}
