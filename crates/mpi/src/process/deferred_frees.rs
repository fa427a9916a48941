//! Communicators that are freed while operations on them are under way.
//!
//! Messages and receives in a match table know their communicator by its context id alone, which keeps the way of a
//! message short. So a rank that frees a communicator looks whether its own table has entries of it, and holds it
//! until they are gone: until then the id is not used again.

use super::Process;
use simurgh_core::sync::{Arc, SpinLock};
use std::any::Any;
use std::collections::VecDeque;

/// The communicators that a process has freed and holds, each with its context id.
#[derive(Default)]
pub(crate) struct DeferredFrees(SpinLock<VecDeque<Held>>);

type Held = (u32, Arc<dyn Any + Send + Sync>);

/// Communicators looked at again whenever one is freed: more than one, so that the last ones go as well.
const LOOKS: usize = 2;

impl DeferredFrees {
    /// Lets go of all.
    pub(super) fn forget(&self) {
        let held = std::mem::take(&mut *self.0.lock());
        drop(held);
    }
}

impl Process {
    /// Holds a communicator that has been freed as long as the process's match table has a receive or a message of it,
    /// and lets go of others that are not in use any more.
    pub(crate) fn defer_free(&self, context: u32, communicator: Arc<dyn Any + Send + Sync>) {
        let freed = (context, communicator);
        let mut held = self.deferred_frees.0.lock();
        let looked: Vec<_> = (0..LOOKS)
            .map_while(|_| held.pop_front())
            .chain([freed])
            .collect();
        drop(held);
        let awaited = |(context, _): &Held| self.endpoint().table().concerns(*context);
        let (busy, idle): (Vec<_>, Vec<_>) = looked.into_iter().partition(awaited);
        if !busy.is_empty() {
            self.deferred_frees.0.lock().extend(busy);
        }
        drop(idle);
    }
}
