//! What a rank exchanges with others.

use simurgh_core::sync::SpinLock;
use std::collections::BTreeMap;

/// Data that goes from one rank to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// The number of messages, or of what stands for them.
    pub messages: u64,
    /// The sum of their bytes.
    pub bytes: u64,
}

/// Which way data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// From the rank to the other process.
    To,
    /// From the other process to the rank, which has fetched it.
    From,
}

/// What a rank has exchanged with each process, as far as the rank itself has done it.
#[derive(Debug, Default)]
pub(super) struct Peers(SpinLock<BTreeMap<(Way, u32), Sent>>);

impl Peers {
    /// Counts data of one message, or of what stands for one.
    pub(super) fn count(&self, way: Way, peer: u32, bytes: usize) {
        let mut all = self.0.lock();
        let sent = all.entry((way, peer)).or_default();
        sent.messages += 1;
        sent.bytes += bytes as u64;
    }

    /// What goes each way, with each process with which there was any.
    pub(super) fn all(&self) -> Vec<(Way, u32, Sent)> {
        let all = self.0.lock();
        all.iter()
            .map(|((way, peer), sent)| (*way, *peer, *sent))
            .collect()
    }
}
