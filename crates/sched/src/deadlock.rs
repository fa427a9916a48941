//! Knowing that nothing will ever happen again.
//!
//! If every virtual processor sleeps, no inbox holds anything, and every other thread of the process is an attached one
//! that is blocked, then nobody is left who could wake anybody. That is checked by the last virtual processor to fall
//! asleep. A thread the runtime has never heard of might still act, and so might an attached one that runs; while there
//! is one, nothing is concluded, unless who started the runtime knows that all of these wait for each other. That may
//! come to be so without a word to the runtime; so the last virtual processor to fall asleep looks again now and then.
//!
//! With a network, others may still send something, so all this is only half of the truth: the process is *quiet*
//! ([`simurgh_core::Quiescence`]). Since it is so between any two messages, the check is not made until nothing has
//! come for [`simurgh_core::QUIESCENCE_DELAY`], by the virtual processor that sleeps where the network rings.

use simurgh_core::Worker;
use simurgh_core::sync::{AtomicU32, AtomicU64, AtomicUsize, Ordering, futex_wait, futex_wake};

/// Counts the virtual processors that sleep.
#[derive(Default)]
pub(crate) struct Sleepers {
    asleep: AtomicUsize,
    /// Threads that are no virtual processors, and do what one would do.
    helpers: AtomicUsize,
    wakeups: AtomicU64,
    /// One more than the wakeups until all were last seen asleep; 0 if they never were.
    all_asleep_after: AtomicU64,
    /// Who sleeps until one wakes up, if somebody does.
    dozing: AtomicU32,
}

impl Sleepers {
    /// One more sleeps.
    pub(crate) fn enter(&self) {
        self.asleep.fetch_add(1, Ordering::SeqCst);
    }

    /// A thread that is no virtual processor is about to do what one would do; said before it takes anything.
    pub(crate) fn begin_help(&self) {
        self.helpers.fetch_add(1, Ordering::SeqCst);
        self.wakeups.fetch_add(1, Ordering::SeqCst);
    }

    /// It has done that.
    pub(crate) fn end_help(&self) {
        self.helpers.fetch_sub(1, Ordering::SeqCst);
    }

    /// How many sleep.
    pub(crate) fn count(&self) -> usize {
        self.asleep.load(Ordering::SeqCst)
    }

    /// Sleeps while so many others do, or until [`Sleepers::rouse`]; may return early.
    pub(crate) fn doze(&self, others: usize) {
        self.dozing.store(1, Ordering::SeqCst);
        // SeqCst: who wakes up counts itself out first and looks for who dozes then.
        if self.count() == others {
            futex_wait(&self.dozing, 1);
        }
        self.dozing.store(0, Ordering::SeqCst);
    }

    /// Ends a [`Sleepers::doze`].
    pub(crate) fn rouse(&self) {
        if self.dozing.swap(0, Ordering::SeqCst) != 0 {
            futex_wake(&self.dozing, 1);
        }
    }

    /// Whether all of `team` sleep, and nothing is left in the process that could wake any of them. Asked by one that
    /// is counted as asleep.
    /// `others_are_quiet` says so of who is no virtual processor, but may run something; `others_wait`, that no thread
    /// that is not of the runtime goes on by itself.
    pub(crate) fn are_all(
        &self,
        team: &[&'static Worker],
        others_are_quiet: impl Fn() -> bool,
        others_wait: impl Fn() -> bool,
    ) -> bool {
        // SeqCst throughout: the argument above is about one order of all these events.
        let wakeups = self.wakeups.load(Ordering::SeqCst);
        let quiet = || team.iter().all(|worker| worker.is_quiet()) && others_are_quiet();
        let asleep = || self.count() == team.len() && self.helpers.load(Ordering::SeqCst) == 0;
        let all = asleep()
            // Most often another has been woken and is about to leave: then the threads need not be looked for.
            && quiet()
            && others_wait()
            && quiet()
            && asleep()
            && self.wakeups.load(Ordering::SeqCst) == wakeups;
        if all {
            self.all_asleep_after.store(wakeups + 1, Ordering::SeqCst);
        }
        all
    }

    /// Whether all have been seen asleep, and none has woken up since.
    pub(crate) fn are_all_still(&self) -> bool {
        self.wakeups.load(Ordering::SeqCst) + 1 == self.all_asleep_after.load(Ordering::SeqCst)
    }

    /// One has woken up; said before it takes anything from its inbox.
    pub(crate) fn leave(&self) {
        self.wakeups.fetch_add(1, Ordering::SeqCst);
        self.asleep.fetch_sub(1, Ordering::SeqCst);
        if self.dozing.load(Ordering::SeqCst) != 0 {
            self.rouse();
        }
    }
}

/// Whether the process has no threads that run but `others`: all are that many, attached ones that are blocked, and
/// passive_threads.
pub(crate) fn all_others_are_blocked(others: usize) -> bool {
    all_threads_known(others) && simurgh_core::external_wakers() == 0
}

/// Whether the process has no threads but attached ones, [`PassiveThread`](simurgh_core::PassiveThread)s and `others`.
///
/// Asked before anything else: a thread that attaches itself later counts as unknown here, and one that is attached
/// already is running until it blocks, by which time it has woken whom it wanted to wake. One that ends while the
/// threads are counted would make up for one that is unknown, so the attached ones are counted twice.
fn all_threads_known(others: usize) -> bool {
    let attached = simurgh_core::attached_count();
    let others = others + simurgh_core::passive_threads();
    let threads = std::fs::read_dir("/proc/self/task").ok().map(Iterator::count);
    threads == Some(attached + others) && simurgh_core::attached_count() == attached
}
