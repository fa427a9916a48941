//! The counters of a host's traffic with others.

use simurgh_core::sync::{AtomicBool, AtomicU64, Ordering};
use simurgh_net::Fabric;

/// The traffic of a host with others so far, sent and received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetworkStats {
    /// Packets that it has sent.
    pub packets_sent: u64,
    /// Packets that it has received.
    pub packets_received: u64,
    /// Bytes of data in the former.
    pub bytes_sent: u64,
    /// Bytes of data in the latter.
    pub bytes_received: u64,
    /// Packets that made no sense, or were not the job's.
    pub dropped: u64,
    /// Short messages that were not sent before they were asked for, because too much was unreceived.
    pub stalls: u64,
}

/// Counters besides those of the fabric, which counts the traffic. Relaxed throughout: statistics.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Packets that made no sense.
    dropped: AtomicU64,
    /// Whether a host has sent more than it may.
    excess: AtomicBool,
    /// Sends of short data that had to wait to be asked for, because too much was unreceived.
    stalls: AtomicU64,
}

impl Counters {
    #[cold]
    pub(super) fn count_dropped(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that a host has sent more than it may; whether it is the first time.
    #[cold]
    pub(super) fn is_first_excess(&self) -> bool {
        !self.excess.swap(true, Ordering::Relaxed)
    }

    #[cold]
    pub(super) fn count_stall(&self) {
        self.stalls.fetch_add(1, Ordering::Relaxed);
    }

    /// These counters and those of the fabric.
    pub(super) fn stats(&self, fabric: &Fabric) -> NetworkStats {
        let (packets_sent, packets_received) = fabric.counts();
        let (bytes_sent, bytes_received) = fabric.bytes();
        NetworkStats {
            packets_sent,
            packets_received,
            bytes_sent,
            bytes_received,
            dropped: self.dropped.load(Ordering::Relaxed) + fabric.dropped(),
            stalls: self.stalls.load(Ordering::Relaxed),
        }
    }
}
