//! Work that a rank does itself rather than wait until somebody else does it.

use super::{Kind, Request};
use simurgh_core::sync::{Arc, SpinLock};
use std::fmt;

/// What completes a task of the library.
pub(crate) trait Work: Send + Sync {
    /// Does what completes a request, unless somebody else has begun to. Returns whether it has done so. It may take as
    /// long as a blocking operation of that kind.
    fn complete(self: Arc<Self>, request: &Request) -> bool;
}

/// The work of a task, until the task is complete.
#[derive(Default)]
pub(super) struct OwnWork(SpinLock<Option<Arc<dyn Work>>>);

impl OwnWork {
    fn replace(&self, work: Option<Arc<dyn Work>>) {
        let before = std::mem::replace(&mut *self.0.lock(), work);
        drop(before);
    }

    fn get(&self) -> Option<Arc<dyn Work>> {
        self.0.lock().clone()
    }
}

impl fmt::Debug for OwnWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let there = self.get().map(|_| "Work");
        there.fmt(f)
    }
}

impl Request {
    fn own_work(&self) -> Option<&OwnWork> {
        match &self.kind {
            Kind::Task(task) => Some(&task.work),
            _ => None,
        }
    }

    /// Says what completes the task, if its rank waits before somebody else has begun.
    pub(crate) fn begin_work(&self, work: Arc<dyn Work>) {
        if let Some(own) = self.own_work() {
            own.replace(Some(work));
        }
    }

    /// Forgets it.
    pub(super) fn end_work(&self) {
        if let Some(own) = self.own_work() {
            own.replace(None);
        }
    }

    /// Completes a task by its work, for a rank that waits for this request alone. Whether it is complete then.
    pub(super) fn complete_by_working(&self) -> bool {
        let work = self.own_work().and_then(OwnWork::get);
        work.is_some_and(|work| work.complete(self)) && self.status_cell.is_done()
    }
}
