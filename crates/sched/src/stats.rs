//! Counters of a virtual processor.

use std::iter::Sum;
use std::time::{Duration, Instant};

use simurgh_core::WorkerStats;
use simurgh_core::sync::{AtomicU64, Ordering};

/// Counters of a virtual processor since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VpStats {
    /// Times an execution context was resumed.
    pub switches: u64,
    /// Nanoseconds without anything to run, polling or asleep.
    pub idle_ns: u64,
    /// Nanoseconds running execution contexts and switching between them.
    pub compute_ns: u64,
    /// Times it went to sleep in the kernel.
    pub sleeps: u64,
    /// Polls of the network that found something to do.
    pub polls: u64,
    /// Nanoseconds of the idle and the compute time that were spent in polls of the network, estimated.
    pub network_ns: u64,
}

impl Sum for VpStats {
    /// The counters of several virtual processors together.
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            switches: sum.switches + one.switches,
            idle_ns: sum.idle_ns + one.idle_ns,
            compute_ns: sum.compute_ns + one.compute_ns,
            sleeps: sum.sleeps + one.sleeps,
            polls: sum.polls + one.polls,
            network_ns: sum.network_ns + one.network_ns,
        })
    }
}

impl VpStats {
    /// Share of the time in which there was something to run, 0 to 1.
    #[must_use]
    pub fn utilisation(&self) -> f64 {
        let total = self.idle_ns + self.compute_ns;
        if total == 0 {
            0.0
        } else {
            self.compute_ns as f64 / total as f64
        }
    }
}

/// The idle times of a virtual processor: written by it, read by any thread.
pub(crate) struct IdleClock {
    started: Instant,
    /// Nanoseconds of finished idle periods.
    idle_ns: AtomicU64,
    /// When the current idle period began, in nanoseconds since `started`; [`BUSY`] if there is none.
    since_ns: AtomicU64,
    sleeps: AtomicU64,
}

const BUSY: u64 = u64::MAX;

impl IdleClock {
    pub(crate) fn new() -> Self {
        Self {
            started: Instant::now(),
            idle_ns: AtomicU64::new(0),
            since_ns: AtomicU64::new(BUSY),
            sleeps: AtomicU64::new(0),
        }
    }

    fn now_ns(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(BUSY - 1)
    }

    // Relaxed throughout: independent counters, written by one thread, so that a load and a store suffice.

    pub(crate) fn begin(&self) {
        self.since_ns.store(self.now_ns(), Ordering::Relaxed);
    }

    /// Ends an idle period. Returns how long it was.
    pub(crate) fn end(&self) -> Duration {
        let period = self
            .now_ns()
            .saturating_sub(self.since_ns.load(Ordering::Relaxed));
        self.since_ns.store(BUSY, Ordering::Relaxed);
        self.idle_ns
            .store(self.idle_ns.load(Ordering::Relaxed) + period, Ordering::Relaxed);
        Duration::from_nanos(period)
    }

    /// Whether no idle period is under way.
    pub(crate) fn is_busy(&self) -> bool {
        self.since_ns.load(Ordering::Relaxed) == BUSY
    }

    pub(crate) fn count_sleep(&self) {
        self.sleeps
            .store(self.sleeps.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// The counters now, the period under way included.
    pub(crate) fn stats(&self, worker: WorkerStats) -> VpStats {
        let total = self.now_ns();
        let since = self.since_ns.load(Ordering::Relaxed);
        let current = if since == BUSY {
            0
        } else {
            total.saturating_sub(since)
        };
        let idle_ns = (self.idle_ns.load(Ordering::Relaxed) + current).min(total);
        VpStats {
            switches: worker.switches,
            idle_ns,
            compute_ns: total - idle_ns,
            sleeps: self.sleeps.load(Ordering::Relaxed),
            polls: worker.polls,
            network_ns: worker.network_ns,
        }
    }
}
