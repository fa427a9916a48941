//! How often a worker polls the network, and what comes of it.

use std::time::Instant;

use super::Network;
use crate::sync::{AtomicU64, Ordering};

/// Polls of which one is timed: reading the clock costs as much as a poll that finds nothing.
const POLLS_PER_SAMPLE: u64 = 128;

/// Counts of a worker's polls: written by the worker, read by any thread.
#[derive(Default)]
pub(crate) struct PollCounters {
    polls: AtomicU64,
    found: AtomicU64,
    time_ns: AtomicU64,
}

// Relaxed throughout: independent counters, written by one thread, so that a load and a store suffice.
impl PollCounters {
    /// Polls the network, and counts that.
    #[inline]
    pub(crate) fn poll(&self, network: &dyn Network) -> bool {
        let polls = self.polls.load(Ordering::Relaxed) + 1;
        self.polls.store(polls, Ordering::Relaxed);
        let found = if polls.is_multiple_of(POLLS_PER_SAMPLE) {
            self.poll_timed(network)
        } else {
            network.poll()
        };
        let more = u64::from(found);
        self.found
            .store(self.found.load(Ordering::Relaxed) + more, Ordering::Relaxed);
        found
    }

    #[cold]
    fn poll_timed(&self, network: &dyn Network) -> bool {
        let start = Instant::now();
        let found = network.poll();
        let ns = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let total = self.time_ns.load(Ordering::Relaxed);
        self.time_ns.store(
            total.saturating_add(ns.saturating_mul(POLLS_PER_SAMPLE)),
            Ordering::Relaxed,
        );
        found
    }

    /// The number of polls that found something to do, and the nanoseconds in all polls, estimated from a sample.
    pub(crate) fn figures(&self) -> (u64, u64) {
        (
            self.found.load(Ordering::Relaxed),
            self.time_ns.load(Ordering::Relaxed),
        )
    }
}
