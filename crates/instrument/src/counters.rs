//! What a rank has done, counted while somebody watches.

use simurgh_core::sync::{AtomicU64, Ordering};

/// Classes of message sizes.
const CLASSES: usize = 7;

/// Names of the collectives that are counted by kind; all others are counted together, at the end.
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

/// Messages and their bytes by size: below 16 bytes, and then in steps of a factor of 16.
#[derive(Debug, Default)]
pub struct Traffic {
    messages: [AtomicU64; CLASSES],
    bytes: [AtomicU64; CLASSES],
}

/// The counters of one rank.
///
/// Relaxed throughout: each is a number on its own. Other ranks count here too, when they match this one's receives.
#[derive(Debug, Default)]
pub struct Counters {
    /// Messages that the rank has sent.
    pub sent: Traffic,
    /// Messages that have met a receive of the rank.
    pub received: Traffic,
    unexpected: AtomicU64,
    blocked_calls: AtomicU64,
    blocked_ns: AtomicU64,
    collectives: [AtomicU64; COLLECTIVES.len()],
}

/// The class of a message of this size.
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

    /// Messages by size class.
    pub fn messages(&self) -> Vec<u64> {
        values(&self.messages)
    }

    /// Bytes by size class.
    pub fn bytes(&self) -> Vec<u64> {
        values(&self.bytes)
    }
}

impl Counters {
    /// Counts a message that found no receive.
    pub fn count_unexpected(&self) {
        self.unexpected.fetch_add(1, Ordering::Relaxed);
    }

    /// Messages that found no receive.
    pub fn unexpected(&self) -> u64 {
        self.unexpected.load(Ordering::Relaxed)
    }

    /// Counts a wait.
    pub fn count_blocked(&self, nanoseconds: u64) {
        self.blocked_calls.fetch_add(1, Ordering::Relaxed);
        self.blocked_ns.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// Waits.
    pub fn blocked_calls(&self) -> u64 {
        self.blocked_calls.load(Ordering::Relaxed)
    }

    /// Nanoseconds of all waits.
    pub fn blocked_ns(&self) -> u64 {
        self.blocked_ns.load(Ordering::Relaxed)
    }

    /// Counts a collective by the name of its call, such as `MPI_Bcast`.
    pub fn count_collective(&self, call: &str) {
        let name = call.trim_start_matches("MPI_").split(' ').next().unwrap_or(call);
        let other = COLLECTIVES.len() - 1;
        let kind = COLLECTIVES
            .iter()
            .position(|kind| kind.eq_ignore_ascii_case(name));
        self.collectives[kind.unwrap_or(other)].fetch_add(1, Ordering::Relaxed);
    }

    /// Collectives of the kind at this place in [`COLLECTIVES`].
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
