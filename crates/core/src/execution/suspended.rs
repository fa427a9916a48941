//! Execution contexts that were suspended together on one worker.

use super::control_block::Ec;
use super::current_ec;
use super::worker::Worker;
use crate::queue::IntrusiveQueue;

/// Execution contexts suspended together on one worker, to be made ready together.
#[derive(Default)]
pub(crate) struct Suspended {
    /// The one that is resumed before all others.
    first: Option<&'static Ec>,
    others: IntrusiveQueue<Ec>,
    /// Those that go on on another worker, where they live.
    away: IntrusiveQueue<Ec>,
}

impl Suspended {
    pub(crate) fn push(&mut self, ec: &'static Ec) {
        if ec.takeovers.is_away() {
            ec.resume_first.set(false);
            self.away.push_back(ec);
        } else if ec.resume_first.take() && self.first.is_none() {
            self.first = Some(ec);
        } else {
            self.others.push_back(ec);
        }
    }

    /// Moves some of them to another worker, if theirs has many more execution contexts than that one.
    pub(crate) fn rebalance(&mut self) {
        // SAFETY:
        // - a suspended EC has run on a worker, and workers live for the rest of the program.
        let worker_of = |ec: &'static Ec| unsafe { &*ec.worker() };
        let Some((target, surplus)) = self.others.front().and_then(|one| worker_of(one).surplus()) else {
            return;
        };
        let leaving = self.others.split_off(self.others.len().saturating_sub(surplus));
        leaving.for_each(|ec| {
            worker_of(ec).ec_count().remove();
            target.ec_count().add();
            ec.set_worker(target);
        });
        target.inbox().push_all(leaving);
    }

    /// Makes all of them ready with one splice. Those that were suspended last go on first: the caches have their data.
    pub(crate) fn make_ready(self) {
        let (first, mut all, mut away) = (self.first, self.others, self.away);
        while let Some(ec) = away.pop_front() {
            Worker::make_ready_at_home(ec);
        }
        let Some(worker) = first.or(all.front()).map(Ec::worker) else {
            return;
        };
        // SAFETY:
        // - a suspended EC has run on a worker, and workers live for the rest of the program;
        // - the local queue is touched only if the caller runs on that very worker.
        unsafe {
            if current_ec::get().as_ref().is_some_and(|me| me.worker() == worker) {
                all.reverse();
                first.into_iter().for_each(|first| all.push_front(first));
                (*worker).append_local(&mut all);
            } else {
                // The inbox reverses the order, too.
                first.into_iter().for_each(|first| all.push_back(first));
                (*worker).inbox().push_all(all);
            }
        }
    }
}
