//! The counters of a rank, which count only while somebody watches.

use crate::file_traffic::FileTraffic;
use crate::window_traffic::WindowTraffic;
use simurgh_core::sync::{AtomicU64, Ordering};

/// The number of size classes of messages.
const CLASSES: usize = 7;

/// The names of the collectives that are counted by kind. All others are counted together, behind these.
pub const COLLECTIVES: [&str; 14] = [
    "barrier",
    "bcast",
    "gather",
    "scatter",
    "allgather",
    "alltoall",
    "reduce",
    "allreduce",
    "reduce_scatter",
    "scan",
    "exscan",
    "neighbor_allgather",
    "neighbor_alltoall",
    "other",
];

/// Messages and their bytes by size class. The first class holds messages below 16 bytes; each further class reaches 16
/// times as far as the one before.
#[derive(Debug, Default)]
pub struct Traffic {
    messages: [AtomicU64; CLASSES],
    bytes: [AtomicU64; CLASSES],
}

/// The counters of one rank.
///
/// All accesses are relaxed, since each counter is a number on its own. Other ranks count here too, when they match a
/// message with a receive of this rank.
#[derive(Debug, Default)]
pub struct Counters {
    /// Messages that the rank has sent.
    pub sent: Traffic,
    /// Messages that a receive of the rank has matched.
    pub received: Traffic,
    /// Accesses of the rank to files.
    pub files: FileTraffic,
    /// The one-sided communication of the rank.
    pub windows: WindowTraffic,
    unexpected: AtomicU64,
    blocked_calls: AtomicU64,
    blocked_ns: AtomicU64,
    collectives: [AtomicU64; COLLECTIVES.len()],
}

/// The size class of a message of this many bytes.
fn class_of(bytes: usize) -> usize {
    let class = (bytes | 1).ilog2() / 4;
    (class as usize).min(CLASSES - 1)
}

fn values(counters: &[AtomicU64]) -> Vec<u64> {
    counters
        .iter()
        .map(|counter| counter.load(Ordering::Relaxed))
        .collect()
}

impl Traffic {
    /// Counts a message.
    pub fn count(&self, bytes: usize) {
        let class = class_of(bytes);
        self.messages[class].fetch_add(1, Ordering::Relaxed);
        self.bytes[class].fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// The number of messages in each size class.
    pub fn messages(&self) -> Vec<u64> {
        values(&self.messages)
    }

    /// The number of bytes in each size class.
    pub fn bytes(&self) -> Vec<u64> {
        values(&self.bytes)
    }
}

impl Counters {
    /// Counts an unexpected message: one that found no receive.
    pub fn count_unexpected(&self) {
        self.unexpected.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of unexpected messages.
    pub fn unexpected(&self) -> u64 {
        self.unexpected.load(Ordering::Relaxed)
    }

    /// Counts a wait that took this long.
    pub fn count_blocked(&self, nanoseconds: u64) {
        self.blocked_calls.fetch_add(1, Ordering::Relaxed);
        self.blocked_ns.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// The number of waits.
    pub fn blocked_calls(&self) -> u64 {
        self.blocked_calls.load(Ordering::Relaxed)
    }

    /// The total time of all waits, in nanoseconds.
    pub fn blocked_ns(&self) -> u64 {
        self.blocked_ns.load(Ordering::Relaxed)
    }

    /// Counts a collective, given by the name of its call, such as `MPI_Bcast`.
    pub fn count_collective(&self, call: &str) {
        let name = call.trim_start_matches("MPI_").split(' ').next().unwrap_or(call);
        let other = COLLECTIVES.len() - 1;
        let kind = COLLECTIVES
            .iter()
            .position(|kind| kind.eq_ignore_ascii_case(name));
        self.collectives[kind.unwrap_or(other)].fetch_add(1, Ordering::Relaxed);
    }

    /// The number of collectives of the kind at this index of [`COLLECTIVES`].
    pub fn collectives(&self, kind: usize) -> u64 {
        self.collectives[kind].load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_counted_by_size() {
        let traffic = Traffic::default();
        for bytes in [0, 1, 15, 16, 255, 256, 70_000, 1 << 20, 1 << 30] {
            traffic.count(bytes);
        }
        assert_eq!(traffic.messages(), [3, 2, 1, 0, 1, 1, 1]);
        assert_eq!(traffic.bytes(), [16, 271, 256, 0, 70_000, 1 << 20, 1 << 30]);
    }

    #[test]
    fn collectives_are_counted_by_the_name_of_their_call() {
        let counters = Counters::default();
        for call in [
            "Bcast",
            "Alltoall in place",
            "Alltoall",
            "Neighbor_alltoall",
            "New",
        ] {
            counters.count_collective(&format!("MPI_{call}"));
        }
        let counts: Vec<_> = (0..COLLECTIVES.len())
            .map(|kind| counters.collectives(kind))
            .collect();
        assert_eq!(counts, [0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1, 1]);
    }
}
