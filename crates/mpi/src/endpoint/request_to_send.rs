//! Requests to send, with which the rendezvous protocol begins.

use simurgh_net::HostId;
use simurgh_net::transport::Region;

/// The name of an operation under way, as other hosts send it back (`network/handles.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handle(pub(crate) u64);

/// A message that stays in the memory of its sender, on another host, until the receiver asks for it.
#[derive(Debug)]
pub(crate) struct RequestToSend {
    pub(crate) from: HostId,
    pub(crate) length: u64,
    /// The sender's name for the message.
    pub(crate) sender: Handle,
    /// The sender's memory, if it may be read.
    pub(crate) region: Option<Region>,
}

impl RequestToSend {
    /// Bytes of the message.
    pub(crate) fn bytes(&self) -> usize {
        usize::try_from(self.length).unwrap_or(usize::MAX)
    }
}
