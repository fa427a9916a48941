//! The status of a kernel thread that runs execution contexts, for others.

use simurgh_core::Worker;

use crate::stats::IdleClock;

/// A worker, and the times in which its thread has been idle.
pub(crate) struct WorkerStatus {
    pub(crate) worker: &'static Worker,
    pub(crate) idle: IdleClock,
}

impl WorkerStatus {
    pub(crate) fn new(worker: &'static Worker) -> Self {
        Self {
            worker,
            idle: IdleClock::new(),
        }
    }

    /// The number of the dispatch under way: how many execution contexts the worker has resumed, this one included.
    /// None if the worker is idle.
    pub(crate) fn dispatch(&self) -> Option<u64> {
        self.idle.is_busy().then(|| self.worker.stats().switches)
    }
}
