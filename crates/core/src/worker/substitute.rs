//! Standing in for a worker whose kernel thread is kept by one execution context.
//!
//! What else is ready there cannot be asked for: whoever would answer does not come by. So it is taken away, and run by
//! a worker that is idle, or by a substitute with a kernel thread of its own. A substitute has the number of its principal,
//! whose place in the team it takes for those that it runs, and gives them back when it is needed no more.

use super::Worker;
use crate::ec::Ec;
use crate::intrusive_queue::IntrusiveQueue;
use crate::sync::Ordering;
use crate::sync::asymmetric_fence::enable_heavy_fence;

/// Execution contexts that are ready, and on no worker's queue.
#[derive(Default)]
#[must_use = "they would never run"]
pub struct Evicted(IntrusiveQueue<Ec>);

impl Evicted {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Worker {
    /// Whether the system lets what is ready on a worker be taken away by [`Worker::evict`], from now on.
    #[must_use]
    pub fn may_evict() -> bool {
        enable_heavy_fence()
    }

    /// A worker that stands in for this one, for the rest of the program.
    #[must_use]
    pub fn substitute(&'static self) -> &'static Self {
        let substitute = &*Box::leak(Box::new(Self::new(self.index(), Some(self))));
        if let Some(team) = self.own.team.get() {
            let unset = substitute.own.team.set(team).is_ok();
            debug_assert!(unset, "it is new");
        }
        substitute
    }

    /// Takes away what is ready, save what the worker is running; nothing, if the worker is just busy with its queue.
    /// To be called by one thread, if the system [lets it](Worker::may_evict).
    pub fn evict(&self) -> Evicted {
        // SAFETY:
        // - by the rule above there is one thief.
        let mut ready = unsafe { self.own.local.steal_all() };
        ready.append(&mut self.shared.inbox.steal_all());
        Evicted(ready)
    }

    /// As [`Worker::evict`], for the worker's own thread between two execution contexts.
    pub fn clear_out(&self) -> Evicted {
        // SAFETY:
        // - this is the worker's kernel thread, and not within a use of the queue.
        let mut ready = unsafe { self.own.local.with(std::mem::take) };
        if self.has_mail() {
            ready.append(&mut self.shared.inbox.take());
        }
        Evicted(ready)
    }

    /// Lets the worker run what has been taken away elsewhere. For anybody.
    pub fn take_in(&self, evicted: Evicted) {
        self.shared.inbox.push_all(evicted.0);
    }

    /// A worker that has nothing to do, and has asked this one for work in vain; it is given an answer now.
    #[must_use]
    pub fn asking_worker(&self) -> Option<&'static Worker> {
        // Relaxed: a hint, which may have been taken back.
        let thief = self.shared.hungry.swap(0, Ordering::Relaxed) as usize;
        self.peers().get(thief.checked_sub(1)?).copied()
    }

    /// Number of execution contexts that live on it, whether they are ready or wait.
    #[must_use]
    pub fn residents(&self) -> usize {
        self.ec_count().size()
    }
}
