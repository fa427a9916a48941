//! The progress engine, as the scheduler drives it.

use super::Job;
use crate::network;
use simurgh_core::Network;
use simurgh_core::sync::{Arc, AtomicU32};
use std::time::Duration;

/// The longest sleep while tasks wait for room in a transport: no event wakes the sleeper then.
const NAP: Duration = Duration::from_micros(50);

/// The progress engine of a job. It keeps the job, so that a poll need not check whether it is still there.
struct Driver {
    job: Arc<Job>,
    network: Arc<network::Network>,
}

impl Job {
    /// The network that the scheduler has to poll, so that messages of other hosts arrive; none until the job has
    /// joined them.
    #[must_use]
    pub fn driver(self: &Arc<Self>) -> Option<Arc<dyn Network>> {
        let network = Arc::clone(self.network()?);
        let job = Arc::clone(self);
        Some(Arc::new(Driver { job, network }))
    }
}

impl Network for Driver {
    #[inline]
    fn has_mail(&self) -> bool {
        self.network.has_work()
    }

    fn poll(&self) -> bool {
        self.network.progress(self.job.host())
    }

    fn sleep(&self, word: &AtomicU32, expected: u32, limit: Option<Duration>) {
        let limit = if self.network.is_busy() {
            Some(limit.map_or(NAP, |limit| limit.min(NAP)))
        } else {
            limit
        };
        self.network.fabric().sleep(word, expected, limit);
    }

    fn wake(&self) {
        self.network.fabric().wake();
    }

    fn is_quiet(&self) -> bool {
        self.network.is_quiet()
    }

    fn is_far(&self) -> bool {
        self.network.fabric().is_far()
    }

    fn watch(&self, is_watched: bool) {
        self.network.fabric().watch(is_watched);
    }
}
