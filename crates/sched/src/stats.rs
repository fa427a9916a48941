//! Counters of a virtual processor.

use simurgh_core::sync::{AtomicU64, Ordering};

/// What a virtual processor has done since it started.
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

/// Counters written by one thread and read by any.
#[derive(Default)]
pub(crate) struct IdleCounters {
    idle_ns: AtomicU64,
    sleeps: AtomicU64,
}

impl IdleCounters {
    /// Adds a period without work. Called by the virtual processor only, so a store will do.
    pub(crate) fn add(&self, idle_ns: u64, slept: bool) {
        // Relaxed: counters on their own.
        self.idle_ns
            .store(self.idle_ns.load(Ordering::Relaxed) + idle_ns, Ordering::Relaxed);
        self.sleeps.store(
            self.sleeps.load(Ordering::Relaxed) + u64::from(slept),
            Ordering::Relaxed,
        );
    }

    pub(crate) fn idle_ns(&self) -> u64 {
        self.idle_ns.load(Ordering::Relaxed)
    }

    pub(crate) fn sleeps(&self) -> u64 {
        self.sleeps.load(Ordering::Relaxed)
    }
}
