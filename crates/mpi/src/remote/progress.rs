//! The network, as the scheduler drives it.

use super::Remote;
use crate::job::Job;
use simurgh_core::Network;
use simurgh_core::sync::{Arc, AtomicU32, Ordering};
use std::time::Duration;

/// How long nobody looks whether there is room for what waits to be sent on: nothing rings then.
const NAP: Duration = Duration::from_micros(50);

/// The other hosts of a job, to be looked after. It keeps the job, so that a look need not ask whether it is still
/// there.
struct Driver {
    job: Arc<Job>,
    remote: Arc<Remote>,
}

impl Job {
    /// What is to be looked after for messages of other hosts to arrive, once the job has joined them.
    #[must_use]
    pub fn driver(self: &Arc<Self>) -> Option<Arc<dyn Network>> {
        let remote = Arc::clone(self.network()?);
        let job = Arc::clone(self);
        Some(Arc::new(Driver { job, remote }))
    }
}

impl Network for Driver {
    #[inline]
    fn has_mail(&self) -> bool {
        self.remote.fabric.has_work() || self.remote.tasks.are_there()
    }

    fn poll(&self) -> bool {
        self.remote.work(&self.job)
    }

    fn sleep(&self, word: &AtomicU32, expected: u32, limit: Option<Duration>) {
        let waits = self.remote.tasks.are_there();
        let limit = if waits {
            Some(limit.map_or(NAP, |limit| limit.min(NAP)))
        } else {
            limit
        };
        self.remote.fabric.sleep(word, expected, limit);
    }

    fn wake(&self) {
        self.remote.fabric.wake();
    }

    fn is_quiet(&self) -> bool {
        // What has arrived and has not been looked at counts as sent, not as received.
        let Remote {
            fabric,
            tasks,
            transfers,
            ..
        } = &*self.remote;
        !fabric.is_backed_up() && !tasks.are_there() && transfers.load(Ordering::SeqCst) == 0
    }
}
