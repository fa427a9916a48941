//! Execution contexts as somebody sees them who measures what runs where, and moves them.

use super::reference::EcRef;
use crate::sync::Ordering;

/// An execution context that somebody watches. It may end meanwhile, and its control block serve another one.
#[derive(Clone, Copy, Debug)]
pub struct Watched {
    ec: EcRef,
    id: u64,
    mark: u64,
}

impl Watched {
    pub(super) fn new(ec: EcRef) -> Self {
        Self {
            ec,
            id: ec.id(),
            mark: ec.control().thread_pointer(),
        }
    }

    /// What [`Worker::running_mark`](crate::Worker::running_mark) returns while it runs.
    #[must_use]
    pub fn mark(&self) -> u64 {
        self.mark
    }

    /// The index of the worker on which it lives; none if it has ended.
    #[must_use]
    pub fn vp(&self) -> Option<usize> {
        self.ec.vp().filter(|_| self.ec.id() == self.id)
    }

    /// Asks that it go on on the peer with this index when it runs next. A context that waits, or that is running, is
    /// moved by a later call: this one asks for what is ready.
    pub fn ask_to_move(&self, target: usize) {
        let control = self.ec.control();
        // SAFETY:
        // - workers live for the rest of the program.
        let Some(worker) = (unsafe { control.worker().as_ref() }) else {
            return;
        };
        let Ok(wanted) = u16::try_from(target + 1) else {
            return;
        };
        if self.vp().is_some_and(|vp| vp != target) {
            // Relaxed: a hint. If the context has just ended, its successor may run elsewhere once.
            control.wanted_on().store(wanted, Ordering::Relaxed);
            worker.ask_for_moves();
        }
    }
}
