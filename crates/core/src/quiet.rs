//! Whether all of a process waits, and only what others send could change that.
//!
//! Who reports it to others must know what has been sent and received before it asks [`Quiet::lasts`]: all that happens
//! afterwards begins with taking the report back.
//!
//! A network that does not ring has to be looked at again and again, and each look might find something. So the process
//! is not quiet during a look, but is again after one that has found nothing; who asked in between is told later.

use crate::sync::{AtomicU32, Ordering};

/// Something happens, or it is not known that nothing does.
const LOUD: u32 = 0;
/// It has been reported that the process is quiet, and nothing has happened since.
const QUIET: u32 = 1;
/// The process was quiet until the look at the network that is being taken.
const LOOKING: u32 = 2;
/// And somebody has asked meanwhile.
const ASKED: u32 = 3;

/// Whether the process is quiet.
#[derive(Debug, Default)]
pub struct Quiet(AtomicU32);

impl Quiet {
    /// Says so; by one that is counted as asleep.
    pub fn begin(&self) {
        self.0.store(QUIET, Ordering::SeqCst);
    }

    /// Takes it back, before anything is done; whether it had been said.
    #[inline]
    pub fn end(&self) -> bool {
        // The load keeps the line shared most of the time.
        self.0.load(Ordering::SeqCst) != LOUD && self.0.swap(LOUD, Ordering::SeqCst) != LOUD
    }

    /// Takes it back for a look at the network; whether it had been said.
    #[inline]
    pub fn begin_look(&self) -> bool {
        self.0.load(Ordering::SeqCst) != LOUD && self.change(QUIET, LOOKING)
    }

    /// The look is over. If there is nothing to do, the process is quiet again, unless somebody else has something to
    /// do. Whether that is to be said anew, because somebody has asked meanwhile.
    pub fn end_look(&self, is_busy: bool) -> bool {
        if is_busy {
            self.end();
            return false;
        }
        !self.change(LOOKING, QUIET) && self.change(ASKED, QUIET)
    }

    /// Whether it has been said.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.0.load(Ordering::SeqCst) != LOUD
    }

    /// Whether nothing has happened since it was said. If that cannot be said just now, it will be said anew.
    #[must_use]
    pub fn lasts(&self) -> bool {
        let is_looked = self.change(LOOKING, ASKED);
        !is_looked && self.0.load(Ordering::SeqCst) == QUIET
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
        let quiet = Quiet::default();
        assert!(!quiet.begin_look() && !quiet.end_look(false) && !quiet.lasts());
        quiet.begin();
        assert!(quiet.lasts() && quiet.begin_look() && quiet.has_begun());
        assert!(!quiet.end_look(false) && quiet.lasts());
        assert!(quiet.begin_look() && !quiet.lasts());
        assert!(quiet.end_look(false) && quiet.lasts(), "somebody has asked");
        assert!(quiet.begin_look() && quiet.end());
        assert!(
            !quiet.end_look(false) && !quiet.lasts(),
            "another has something to do"
        );
        assert!(!quiet.end());
        quiet.begin();
        assert!(quiet.begin_look() && !quiet.lasts() && !quiet.end_look(true));
        assert!(!quiet.lasts(), "the look has found something");
    }
}
