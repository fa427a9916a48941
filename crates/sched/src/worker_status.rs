//! The status of a kernel thread that runs execution contexts, for others.

use simurgh_core::sync::{AtomicU32, Ordering};
use simurgh_core::{Worker, kernel_thread_sleeps};

use crate::stats::IdleClock;

/// A worker, and the times in which its thread has been idle.
pub(crate) struct WorkerStatus {
    pub(crate) worker: &'static Worker,
    pub(crate) idle: IdleClock,
    /// The number of the thread; 0 until it runs.
    thread: AtomicU32,
}

impl WorkerStatus {
    pub(crate) fn new(worker: &'static Worker) -> Self {
        Self {
            worker,
            idle: IdleClock::new(),
            thread: AtomicU32::new(0),
        }
    }

    /// Says which kernel thread it is, before the worker's first dispatch.
    pub(crate) fn begin(&self, thread: u32) {
        self.thread.store(thread, Ordering::Relaxed);
    }

    /// The number of the thread; 0 until it runs.
    pub(crate) fn thread(&self) -> u32 {
        self.thread.load(Ordering::Relaxed)
    }

    /// Whether the thread sleeps in the kernel at the moment.
    pub(crate) fn sleeps(&self) -> bool {
        kernel_thread_sleeps(self.thread())
    }

    /// The number of the dispatch under way: how many execution contexts the worker has resumed, this one included.
    /// None if the worker is idle.
    pub(crate) fn dispatch(&self) -> Option<u64> {
        self.idle.is_busy().then(|| self.worker.stats().switches)
    }
}
