//! Deadlock detection: knowing that nothing will ever happen again.
//!
//! Nobody is left who could wake anybody, if
//!
//! * every virtual processor sleeps,
//! * no inbox holds anything, and
//! * every other thread of the process is an attached one that is blocked.
//!
//! The last virtual processor to fall asleep checks that. A thread of which the runtime has never heard might still
//! act, and so might an attached one that runs. While there is one, nothing is concluded, unless the owner of the
//! runtime knows that all of these wait for each other. They may begin to wait, or end, without a word to the runtime.
//! So the last virtual processor to fall asleep checks again now and then.
//!
//! With a network others may still send something, so all this is only half of the truth: the process is *quiescent*
//! ([`simurgh_core::Quiescence`]). Since it is so between any two messages, the check is made only after nothing has
//! come for [`simurgh_core::QUIESCENCE_DELAY`], by the virtual processor that sleeps where the network wakes it.

use simurgh_core::Worker;
use simurgh_core::sync::{AtomicU32, AtomicU64, AtomicUsize, Ordering, futex_wait, futex_wake};

/// Counts the virtual processors that sleep.
#[derive(Default)]
pub(crate) struct Sleepers {
    asleep: AtomicUsize,
    /// The number of threads that act in the place of a virtual processor.
    helpers: AtomicUsize,
    wakeups: AtomicU64,
    /// One more than the number of wake-ups when all were last seen asleep; 0 if they never were.
    all_asleep_after: AtomicU64,
    /// 1 while the starvation guard sleeps until a virtual processor, or a thread in its place, begins to act.
    guard_sleeps: AtomicU32,
}

impl Sleepers {
    /// Counts one more that sleeps.
    pub(crate) fn enter(&self) {
        self.asleep.fetch_add(1, Ordering::SeqCst);
    }

    /// Counts one less, before that one takes anything from its inbox.
    pub(crate) fn leave(&self) {
        self.wakeups.fetch_add(1, Ordering::SeqCst);
        self.asleep.fetch_sub(1, Ordering::SeqCst);
        self.end_sleep_of_guard();
    }

    fn end_sleep_of_guard(&self) {
        if self.guard_sleeps.load(Ordering::SeqCst) != 0 {
            self.wake_guard();
        }
    }

    /// Says that another thread is about to act in the place of a virtual processor, before it takes anything.
    pub(crate) fn begin_help(&self) {
        self.helpers.fetch_add(1, Ordering::SeqCst);
        self.wakeups.fetch_add(1, Ordering::SeqCst);
        self.end_sleep_of_guard();
    }

    /// Ends what [`Sleepers::begin_help`] has begun.
    pub(crate) fn end_help(&self) {
        self.helpers.fetch_sub(1, Ordering::SeqCst);
    }

    /// How many sleep.
    pub(crate) fn count(&self) -> usize {
        self.asleep.load(Ordering::SeqCst)
    }

    /// Whether all of `vps` virtual processors sleep, and no other thread acts in the place of one.
    pub(crate) fn are_idle(&self, vps: usize) -> bool {
        self.count() == vps && self.helpers.load(Ordering::SeqCst) == 0
    }

    /// Has the starvation guard sleep while all of `vps` virtual processors are idle, or until
    /// [`Sleepers::wake_guard`]; may return early.
    pub(crate) fn sleep_as_guard(&self, vps: usize) {
        self.guard_sleeps.store(1, Ordering::SeqCst);
        // SeqCst: whoever begins to act is counted first, and then looks whether the guard sleeps.
        if self.are_idle(vps) {
            futex_wait(&self.guard_sleeps, 1);
        }
        self.guard_sleeps.store(0, Ordering::SeqCst);
    }

    /// Ends a [`Sleepers::sleep_as_guard`].
    pub(crate) fn wake_guard(&self) {
        if self.guard_sleeps.swap(0, Ordering::SeqCst) != 0 {
            futex_wake(&self.guard_sleeps, 1);
        }
    }

    /// Whether all of `team` sleep, and nothing is left in the process that could wake any of them. The caller is
    /// counted as asleep.
    ///
    /// `substitutes_are_quiet` tells whether nothing is ready for a substitute to run; `others_wait`, whether no thread
    /// that is not of the runtime goes on by itself.
    pub(crate) fn are_all(
        &self,
        team: &[&'static Worker],
        substitutes_are_quiet: impl Fn() -> bool,
        others_wait: impl Fn() -> bool,
    ) -> bool {
        // SeqCst throughout: the argument above is about one order of all these events.
        let wakeups = self.wakeups.load(Ordering::SeqCst);
        let quiet = || team.iter().all(|worker| worker.is_quiet()) && substitutes_are_quiet();
        let asleep = || self.are_idle(team.len());
        let all = asleep()
            // Most often another one was woken and is about to leave. Then there is no need to look at the threads.
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

    /// Whether all were seen asleep, and none has woken up since.
    pub(crate) fn are_all_still(&self) -> bool {
        self.wakeups.load(Ordering::SeqCst) + 1 == self.all_asleep_after.load(Ordering::SeqCst)
    }
}
