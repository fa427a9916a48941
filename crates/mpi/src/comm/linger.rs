//! Communicators that are freed while operations on them are under way.
//!
//! Messages and receives in a match table know their communicator by its context id alone, which keeps the way of a
//! message short. So a rank that frees a communicator looks whether its own table has entries of it, and holds it
//! until they are gone: until then the id is not used again.

use super::Comm;
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::VecDeque;

/// The communicators that a process has freed and holds.
#[derive(Default)]
pub(crate) struct Lingering(SpinLock<VecDeque<Arc<Comm>>>);

/// Communicators looked at again whenever one is freed: more than one, so that the last ones go as well.
const LOOKS: usize = 2;

impl Lingering {
    /// Holds a communicator as long as it is in use, and lets go of others that are not any more.
    pub(super) fn hold(&self, comm: Arc<Comm>) {
        let mut held = self.0.lock();
        let looked: Vec<_> = (0..LOOKS).map_while(|_| held.pop_front()).chain([comm]).collect();
        drop(held);
        let (busy, idle): (Vec<_>, Vec<_>) = looked.into_iter().partition(|comm| comm.is_awaited());
        if !busy.is_empty() {
            self.0.lock().extend(busy);
        }
        drop(idle);
    }

    /// Lets go of all.
    pub(crate) fn forget(&self) {
        let held = std::mem::take(&mut *self.0.lock());
        drop(held);
    }
}

impl Comm {
    /// Whether the rank's match table has a receive or a message of this communicator.
    fn is_awaited(&self) -> bool {
        self.process.endpoint().table().concerns(self.context)
    }
}
