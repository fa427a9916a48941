//! Knowing that nothing will ever happen again.
//!
//! If every virtual processor sleeps, no inbox holds anything, and every other thread of the process is an attached one
//! that is blocked, then nobody is left who could wake anybody. That is checked by the last virtual processor to fall
//! asleep. A thread the runtime has never heard of might still act, so while there is one, nothing is concluded.
//!
//! With a network, others may still send something, so all this is only half of the truth: the process is *quiet*.
//! Since it is so between any two messages, the check is not made until nothing has come for [`simurgh_core::CALM`], by
//! the virtual processor that sleeps where the network rings. Who reports it to others must know what has been sent
//! and received before it asks [`Quiet::lasts`]: all that happens afterwards begins with taking the report back.
//!
//! A network that does not ring has to be looked at again and again, and each look might find something. So the process
//! is not quiet during a look, but is again after one that has found nothing; who asked in between is told later.

use simurgh_core::Worker;
use simurgh_core::sync::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Something happens, or it is not known that nothing does.
const LOUD: u32 = 0;
/// It has been reported that the process is quiet, and nothing has happened since.
const QUIET: u32 = 1;
/// The process was quiet until the look at the network that is being taken.
const LOOKING: u32 = 2;
/// And somebody has asked meanwhile.
const ASKED: u32 = 3;

/// Whether the process is quiet.
#[derive(Default)]
pub(crate) struct Quiet(AtomicU32);

impl Quiet {
    /// Says so; by one that is counted as asleep.
    pub(crate) fn begin(&self) {
        self.0.store(QUIET, Ordering::SeqCst);
    }

    /// Takes it back, before anything is done; whether it had been said.
    pub(crate) fn end(&self) -> bool {
        // The load keeps the line shared most of the time.
        self.0.load(Ordering::SeqCst) != LOUD && self.0.swap(LOUD, Ordering::SeqCst) != LOUD
    }

    /// Takes it back for a look at the network; whether it had been said.
    pub(crate) fn begin_look(&self) -> bool {
        self.0.load(Ordering::SeqCst) != LOUD && self.change(QUIET, LOOKING)
    }

    /// The look has found nothing: the process is quiet again, unless somebody else has something to do. Whether that
    /// is to be said anew, because somebody has asked meanwhile.
    pub(crate) fn end_look(&self) -> bool {
        !self.change(LOOKING, QUIET) && self.change(ASKED, QUIET)
    }

    /// Whether it has been said.
    pub(crate) fn has_begun(&self) -> bool {
        self.0.load(Ordering::SeqCst) != LOUD
    }

    /// Whether nothing has happened since it was said. If that cannot be said just now, it will be said anew.
    pub(crate) fn lasts(&self) -> bool {
        let is_looked = self.change(LOOKING, ASKED);
        !is_looked && self.0.load(Ordering::SeqCst) == QUIET
    }

    fn change(&self, from: u32, to: u32) -> bool {
        self.0
            .compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }
}

/// Counts the virtual processors that sleep.
#[derive(Default)]
pub(crate) struct Sleepers {
    asleep: AtomicUsize,
    wakeups: AtomicU64,
    /// One more than the wakeups until all were last seen asleep; 0 if they never were.
    all_asleep_after: AtomicU64,
}

impl Sleepers {
    /// One more sleeps.
    pub(crate) fn enter(&self) {
        self.asleep.fetch_add(1, Ordering::SeqCst);
    }

    /// Whether all of `team` sleep, and nothing is left in the process that could wake any of them. Asked by one that
    /// is counted as asleep.
    pub(crate) fn are_all(&self, team: &[&'static Worker], threads_of_others: usize) -> bool {
        // SeqCst throughout: the argument above is about one order of all these events.
        let wakeups = self.wakeups.load(Ordering::SeqCst);
        let quiet = || team.iter().all(|worker| worker.is_quiet());
        let all = self.asleep.load(Ordering::SeqCst) == team.len()
            // Most often another has been woken and is about to leave: then the threads need not be looked for.
            && quiet()
            && all_threads_known(team.len() + threads_of_others)
            && simurgh_core::outsiders() == 0
            && quiet()
            && self.asleep.load(Ordering::SeqCst) == team.len()
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
    }
}

/// Whether the process has no threads but attached ones and `others`.
///
/// Asked before anything else: a thread that attaches itself later counts as unknown here, and one that is attached
/// already is running until it blocks, by which time it has woken whom it wanted to wake. One that ends while the
/// threads are counted would make up for one that is unknown, so the attached ones are counted twice.
fn all_threads_known(others: usize) -> bool {
    let attached = simurgh_core::attached_count();
    let threads = std::fs::read_dir("/proc/self/task").ok().map(Iterator::count);
    threads == Some(attached + others) && simurgh_core::attached_count() == attached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_that_finds_nothing_leaves_the_process_quiet() {
        let quiet = Quiet::default();
        assert!(!quiet.begin_look() && !quiet.end_look() && !quiet.lasts());
        quiet.begin();
        assert!(quiet.lasts() && quiet.begin_look() && quiet.has_begun());
        assert!(!quiet.end_look() && quiet.lasts());
        assert!(quiet.begin_look() && !quiet.lasts());
        assert!(quiet.end_look() && quiet.lasts(), "somebody has asked");
        assert!(quiet.begin_look() && quiet.end());
        assert!(!quiet.end_look() && !quiet.lasts(), "another has something to do");
        assert!(!quiet.end());
    }
}
