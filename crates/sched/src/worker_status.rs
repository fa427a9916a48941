//! What others see of a kernel thread that runs execution contexts.

use simurgh_core::Worker;

use crate::stats::IdleClock;

/// A worker, and what its thread does.
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

    /// Which of the execution contexts that the worker has run it is running now, by number; none if it idles.
    pub(crate) fn stint(&self) -> Option<u64> {
        self.idle.is_busy().then(|| self.worker.stats().switches)
    }
}
