//! Whether all of a process waits, and only what others send could change that.
//!
//! Who reports it to others must know what has been sent and received before it asks [`Quiescence::lasts`]: all that happens
//! afterwards begins with taking the report back.
//!
//! A network that does not ring has to be looked at again and again, and each look might find something. So the process
//! is not quiet during a look, but is again after one that has found nothing; then a question that came in between is
//! answered. If it were not, but only said anew that the process is quiet, whoever asks all of many processes at a time
//! would have to ask until none of them is looking.

use crate::sync::{AtomicU32, Ordering};

/// Something happens, or it is not known that nothing does.
const ACTIVE: u32 = 0;
/// It has been reported that the process is quiet, and nothing has happened since.
const QUIESCENT: u32 = 1;
/// The process was quiet until the look at the network that is being taken.
const POLLING: u32 = 2;
/// And somebody has asked meanwhile: this and the number of the question, the last one if there were several.
const ASKED: u32 = POLLING + 1;

/// Whether the process is quiet.
#[derive(Debug, Default)]
pub struct Quiescence(AtomicU32);

impl Quiescence {
    /// Says so; by one that is counted as asleep.
    pub fn begin(&self) {
        self.0.store(QUIESCENT, Ordering::SeqCst);
    }

    /// Takes it back, before anything is done; whether it had been said.
    #[inline]
    pub fn end(&self) -> bool {
        // The load keeps the line shared most of the time.
        self.0.load(Ordering::SeqCst) != ACTIVE && self.0.swap(ACTIVE, Ordering::SeqCst) != ACTIVE
    }

    /// Takes it back for a look at the network; whether it had been said.
    #[inline]
    pub fn begin_poll(&self) -> bool {
        self.0.load(Ordering::SeqCst) != ACTIVE && self.change(QUIESCENT, POLLING)
    }

    /// The look is over. If there is nothing to do, the process is quiet again, unless somebody else has something to
    /// do. The number of the question that came meanwhile, if it is to be answered.
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

    /// Whether it has been said.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.0.load(Ordering::SeqCst) != ACTIVE
    }

    /// Whether nothing has happened since it was said. If that cannot be said just now, the question will be answered
    /// when the look is over.
    #[must_use]
    pub fn lasts(&self, question: u32) -> bool {
        loop {
            match self.0.load(Ordering::SeqCst) {
                ACTIVE => return false,
                QUIESCENT => return true,
                looking if self.change(looking, ASKED.saturating_add(question)) => return false,
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
    fn a_look_that_finds_nothing_leaves_the_process_quiet() {
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
    fn a_question_that_comes_during_a_look_is_answered_once() {
        let quiet = Quiescence::default();
        quiet.begin();
        assert!(quiet.begin_poll() && !quiet.lasts(7));
        assert_eq!(quiet.end_poll(false), Some(7));
        assert!(quiet.lasts(8) && quiet.begin_poll());
        assert_eq!(quiet.end_poll(false), None, "it has been answered at once");
        assert!(quiet.begin_poll() && !quiet.lasts(8) && !quiet.lasts(9));
        assert_eq!(
            quiet.end_poll(false),
            Some(9),
            "nobody waits for the first answer any more"
        );
        assert!(quiet.begin_poll() && !quiet.lasts(0));
        assert_eq!(
            quiet.end_poll(false),
            Some(0),
            "what has been said is to be said anew"
        );
        assert!(quiet.begin_poll() && !quiet.lasts(10));
        assert_eq!(quiet.end_poll(true), None, "the look has found something");
        assert!(!quiet.lasts(10));
    }
}
