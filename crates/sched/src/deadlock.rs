//! Deadlock detection: knowing that nothing will ever happen again.
//!
//! Nobody is left who could wake anybody, if
//!
//! * every virtual processor sleeps,
//! * no inbox holds anything, and
//! * every other thread of the process is an attached one that is blocked.
//!
//! The last virtual processor to fall asleep checks that. The check reads files of the kernel, and a process whose
//! ranks have threads may sleep so between any two messages. So it is made only after a sleep of
//! [`simurgh_core::QUIESCENCE_DELAY`]. A thread of which the runtime has never heard might still act, and so might an
//! attached one that runs. While there is one, nothing is concluded, unless the owner of the runtime knows that all of
//! these wait for each other. They may begin to wait, or end, without a word to the runtime. So the virtual processor
//! checks again now and then.
//!
//! With a network others may still send something, so all this is only half of the truth: the process is *quiescent*
//! ([`simurgh_core::Quiescence`]). The check is made after nothing has come for the same time, by the virtual processor
//! that sleeps where the network wakes it.

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
        // In this order: somebody who checks and knows of the wake-up would otherwise still count this one as asleep,
        // and could miss all that it does until it sleeps again.
        self.asleep.fetch_sub(1, Ordering::SeqCst);
        self.wakeups.fetch_add(1, Ordering::SeqCst);
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
    #[cfg_attr(
        loom,
        expect(dead_code, reason = "it needs SeqCst, which loom takes for AcqRel")
    )]
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

    /// Whether all of `vps` virtual processors sleep, and nothing is left in the process that could wake any of them.
    /// The caller is counted as asleep.
    ///
    /// `inboxes_are_quiet` tells whether no inbox holds anything, those of substitutes included; `others_wait`, whether
    /// no thread that is not of the runtime goes on by itself.
    pub(crate) fn are_all(
        &self,
        vps: usize,
        inboxes_are_quiet: impl Fn() -> bool,
        others_wait: impl Fn() -> bool,
    ) -> bool {
        // SeqCst throughout: the argument above is about one order of all these events.
        let wakeups = self.wakeups.load(Ordering::SeqCst);
        let all = self.are_idle(vps)
            // Most often another one was woken and is about to leave. Then there is no need to look at the threads.
            && inboxes_are_quiet()
            && others_wait()
            && inboxes_are_quiet()
            && self.are_idle(vps)
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

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::thread;
    use simurgh_core::sync::{Arc, model};

    const VPS: usize = 2;

    /// Two virtual processors that sleep, by the numbers of execution contexts in their inboxes.
    #[derive(Default)]
    struct Asleep {
        sleepers: Sleepers,
        inboxes: [AtomicUsize; VPS],
    }

    impl Asleep {
        fn with_inboxes(inboxes: [usize; VPS]) -> Arc<Self> {
            let this = Self {
                sleepers: Sleepers::default(),
                inboxes: inboxes.map(AtomicUsize::new),
            };
            (0..VPS).for_each(|_| this.sleepers.enter());
            Arc::new(this)
        }

        fn push(&self, vp: usize) {
            // AcqRel, here and in `take`: as in the real inbox.
            self.inboxes[vp].fetch_add(1, Ordering::AcqRel);
        }

        fn take(&self, vp: usize) {
            self.inboxes[vp].swap(0, Ordering::AcqRel);
        }

        /// What the first virtual processor finds out, while `act` goes on.
        fn are_all_beside(self: &Arc<Self>, act: impl FnOnce(&Self) + Send + 'static) -> bool {
            let (acting, checking) = (Arc::clone(self), Arc::clone(self));
            let actor = thread::spawn(move || act(&acting));
            let checker = thread::spawn(move || {
                let inboxes = &checking.inboxes;
                let quiet = || inboxes.iter().all(|inbox| inbox.load(Ordering::SeqCst) == 0);
                checking.sleepers.are_all(VPS, quiet, || true)
            });
            actor.join().unwrap();
            checker.join().unwrap()
        }
    }

    #[test]
    fn a_processor_that_wakes_up_and_passes_on_what_it_has_got_is_noticed() {
        model(|| {
            let vps = Asleep::with_inboxes([0, 1]);
            let are_all = vps.are_all_beside(|vps| {
                vps.sleepers.leave();
                vps.take(1);
                // It runs something.
                thread::yield_now();
                vps.push(0);
                vps.sleepers.enter();
            });
            assert!(!are_all, "something is ready at any time");
        });
    }

    #[test]
    fn help_that_takes_from_one_processor_and_gives_to_another_is_noticed() {
        model(|| {
            let vps = Asleep::with_inboxes([0, 1]);
            let are_all = vps.are_all_beside(|vps| {
                vps.sleepers.begin_help();
                vps.take(1);
                thread::yield_now();
                vps.push(0);
                vps.sleepers.end_help();
            });
            assert!(!are_all, "something is ready at any time");
        });
    }

    #[test]
    fn a_processor_that_wakes_up_for_nothing_may_be_counted_as_asleep() {
        model(|| {
            let vps = Asleep::with_inboxes([0; VPS]);
            let are_all = vps.are_all_beside(|vps| {
                vps.sleepers.leave();
                vps.sleepers.enter();
            });
            let are_still = vps.sleepers.are_all_still();
            assert!(!are_still || are_all);
            vps.sleepers.leave();
            assert!(!vps.sleepers.are_all_still());
        });
    }
}
