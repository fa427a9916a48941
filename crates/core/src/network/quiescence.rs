//! Whether all of a process waits, so that only what others send could change that.
//!
//! A process that reports to others that it is quiescent must read how much it has sent and received before it asks
//! [`Quiescence::lasts`]. Whatever happens afterwards takes the report back first.
//!
//! # Protocol
//!
//! One word has the state:
//!
//! | state | meaning |
//! |---|---|
//! | `ACTIVE` | something happens, or it is not known that nothing does |
//! | `QUIESCENT` | it has been reported that the process is quiescent, and nothing has happened since |
//! | `POLLING` | the process was quiescent until the poll of the network that is under way |
//! | `ASKED` + n | as `POLLING`, and question n came meanwhile, the last one if there were several |
//!
//! A network that wakes nobody has to be polled again and again, and each poll might find something. So the process is
//! not quiescent during a poll, but is again after one that has found nothing. A question that comes during a poll is
//! answered when the poll is over. Were the process only reported anew as quiescent, somebody who asks many processes
//! at a time would have to ask until none of them happens to be polling.

use crate::sync::{AtomicU32, Ordering};

const ACTIVE: u32 = 0;
const QUIESCENT: u32 = 1;
const POLLING: u32 = 2;
const ASKED: u32 = POLLING + 1;

/// Whether the process is quiescent.
#[derive(Debug, Default)]
pub struct Quiescence(AtomicU32);

impl Quiescence {
    /// Reports that the process is quiescent. The caller counts as asleep.
    pub fn begin(&self) {
        self.0.store(QUIESCENT, Ordering::SeqCst);
    }

    /// Takes the report back, before anything is done. Returns whether there was one.
    #[inline]
    pub fn end(&self) -> bool {
        // The load keeps the line shared most of the time.
        self.0.load(Ordering::SeqCst) != ACTIVE && self.0.swap(ACTIVE, Ordering::SeqCst) != ACTIVE
    }

    /// Suspends the report for a poll of the network. Returns whether there was one.
    #[inline]
    pub fn begin_poll(&self) -> bool {
        self.0.load(Ordering::SeqCst) != ACTIVE && self.change(QUIESCENT, POLLING)
    }

    /// Ends a poll. Unless the caller `is_busy`, the process is quiescent again, if nobody else has taken the report
    /// back. Returns the number of the question that came meanwhile, if it is to be answered.
    pub fn end_poll(&self, is_busy: bool) -> Option<u32> {
        if is_busy {
            self.end();
            return None;
        }
        let was = self.0.load(Ordering::SeqCst);
        // Another question may come meanwhile.
        if was == ACTIVE || !self.change(was, QUIESCENT) {
            return (was != ACTIVE).then(|| self.end_poll(false)).flatten();
        }
        was.checked_sub(ASKED)
    }

    /// Whether the process has been reported as quiescent.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.0.load(Ordering::SeqCst) != ACTIVE
    }

    /// Whether nothing has happened since the report. If that is not known just now, because a poll is under way, this
    /// is false, and the question will be answered when the poll is over.
    #[must_use]
    pub fn lasts(&self, question: u32) -> bool {
        loop {
            match self.0.load(Ordering::SeqCst) {
                ACTIVE => return false,
                QUIESCENT => return true,
                polling if self.change(polling, ASKED.saturating_add(question)) => return false,
                _ => {}
            }
        }
    }

    fn change(&self, from: u32, to: u32) -> bool {
        self.0
            .compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_poll_that_finds_nothing_leaves_the_process_quiescent() {
        let quiet = Quiescence::default();
        assert!(!quiet.begin_poll() && quiet.end_poll(false).is_none() && !quiet.lasts(1));
        quiet.begin();
        assert!(quiet.lasts(1) && quiet.begin_poll() && quiet.has_begun());
        assert!(quiet.end_poll(false).is_none() && quiet.lasts(1));
        assert!(quiet.begin_poll() && quiet.end());
        assert!(quiet.end_poll(false).is_none(), "another has something to do");
        assert!(!quiet.end() && !quiet.lasts(1));
    }

    #[test]
    fn a_question_during_a_poll_is_answered_once() {
        let quiet = Quiescence::default();
        quiet.begin();
        assert!(quiet.begin_poll() && !quiet.lasts(7));
        assert_eq!(quiet.end_poll(false), Some(7));
        assert!(quiet.lasts(8) && quiet.begin_poll());
        assert_eq!(quiet.end_poll(false), None, "it was answered at once");
        assert!(quiet.begin_poll() && !quiet.lasts(8) && !quiet.lasts(9));
        assert_eq!(
            quiet.end_poll(false),
            Some(9),
            "nobody waits for the first answer any more"
        );
        assert!(quiet.begin_poll() && !quiet.lasts(0));
        assert_eq!(quiet.end_poll(false), Some(0), "the report is to be made anew");
        assert!(quiet.begin_poll() && !quiet.lasts(10));
        assert_eq!(quiet.end_poll(true), None, "the poll has found something");
        assert!(!quiet.lasts(10));
    }
}
