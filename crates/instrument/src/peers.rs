//! Who a rank has sent messages to.

use simurgh_core::sync::SpinLock;
use std::collections::BTreeMap;

/// Messages from one rank to another process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Their number.
    pub messages: u64,
    /// The sum of their bytes.
    pub bytes: u64,
}

/// The messages that a rank has sent to each process.
#[derive(Debug, Default)]
pub(super) struct Peers(SpinLock<BTreeMap<u32, Sent>>);

impl Peers {
    /// Counts a message to a process.
    pub(super) fn count(&self, receiver: u32, bytes: usize) {
        let mut all = self.0.lock();
        let sent = all.entry(receiver).or_default();
        sent.messages += 1;
        sent.bytes += bytes as u64;
    }

    /// The messages to each process that has got any.
    pub(super) fn all(&self) -> Vec<(u32, Sent)> {
        self.0.lock().iter().map(|(peer, sent)| (*peer, *sent)).collect()
    }
}
