//! Substitutes: workers that stand in for a worker whose kernel thread is kept by one execution context.
//!
//! The other contexts that are ready there cannot be asked for, since the kept worker does not answer. So they are
//! taken away, and run by an idle worker, or by a substitute with a kernel thread of its own. A substitute has the
//! index of its principal, the worker that it stands in for: it takes that worker's place in the team for those that it
//! runs. It gives them back when it is no longer needed.

use super::Worker;
use super::work_stealing::WISHES;
use crate::execution::control_block::Ec;
use crate::queue::IntrusiveQueue;
use crate::sync::asymmetric_fence::enable_heavy_fence;
use crate::sync::{Ordering, revoke_bias};

/// Execution contexts that are ready, and that are on no worker's queue.
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
    /// Enables [`Worker::evict`]; false if the kernel does not support what it needs.
    #[must_use]
    pub fn may_evict() -> bool {
        enable_heavy_fence()
    }

    /// Makes a worker that can stand in for this one, for the rest of the program.
    #[must_use]
    pub fn substitute(&'static self) -> &'static Self {
        let substitute = &*Box::leak(Box::new(Self::new(self.index(), Some(self))));
        if let Some(team) = self.own.team.get() {
            let unset = substitute.own.team.set(team).is_ok();
            debug_assert!(unset, "it is new");
        }
        substitute
    }

    /// Takes away what is ready, except the context that the worker is running; nothing, if the worker is just using
    /// its queue. To be called by one thread, after [`Worker::may_evict`] has returned true.
    pub fn evict(&self) -> Evicted {
        // What is taken away runs beside the context that stays.
        revoke_bias();
        // SAFETY:
        // - by the rule above there is one thief.
        let mut ready = unsafe { self.own.local.steal_all() };
        ready.append(&mut self.shared.inbox.steal_all());
        Evicted(ready)
    }

    /// As [`Worker::evict`], for the worker's own thread between two execution contexts.
    pub fn evict_own(&self) -> Evicted {
        // SAFETY:
        // - this is the worker's kernel thread, and not within a use of the queue.
        let mut ready = unsafe { self.own.local.with(std::mem::take) };
        if self.has_mail() {
            ready.append(&mut self.shared.inbox.take());
        }
        Evicted(ready)
    }

    /// Gives the worker what was taken away elsewhere, to run it. Anybody may call this.
    pub fn take_in(&self, evicted: Evicted) {
        self.shared.inbox.push_all(evicted.0);
    }

    /// Gives the worker what was taken away from another one, to run it until it waits. Anybody may call this.
    pub fn take_over(&self, evicted: Evicted, from: &Worker) {
        self.shared.inbox.push_all(from.lend(evicted.0));
    }

    /// A worker that has nothing to do and [asks](Worker::ask_for_work) this one for work, if there is one. The caller
    /// has to answer it. A worker that has got something meanwhile, but has not come so far as to take its question
    /// back, is not one: contexts that were released together would leave their caches for it.
    #[must_use]
    pub fn asking_worker(&self) -> Option<&'static Worker> {
        // Relaxed: a hint, which may have been taken back.
        let thief = self.shared.asking.fetch_and(WISHES, Ordering::Relaxed) & !WISHES;
        self.peer_numbered(thief as usize)
            .filter(|thief| thief.is_quiet())
    }

    /// Number of execution contexts that live on it, whether they are ready or wait.
    #[must_use]
    pub fn residents(&self) -> usize {
        self.ec_count().size()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::execution::purpose::Purpose;
    use std::ptr;

    #[test]
    fn a_worker_that_has_got_something_meanwhile_asks_for_nothing() {
        let team = Worker::team(2, 0);
        let (busy, idle) = (team[0], team[1]);
        idle.ask_for_work(busy);
        assert!(busy.asking_worker().is_some_and(|asking| ptr::eq(asking, idle)));
        assert!(busy.asking_worker().is_none(), "its question has been answered");
        idle.ask_for_work(busy);
        let mut ready = IntrusiveQueue::new();
        ready.push_back(Ec::obtain(Purpose::Compute));
        idle.inbox().push_all(ready);
        assert!(busy.asking_worker().is_none());
    }
}
