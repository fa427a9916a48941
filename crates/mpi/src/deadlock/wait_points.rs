//! Objects on which ranks wait for each other, apart from messages and collectives.

use crate::layout::Layout;
use simurgh_core::sync::{Arc, SpinLock};
use std::fmt;
use std::sync::Weak;

/// An object on which ranks wait.
pub(crate) trait WaitPoint: Send + Sync {
    /// A sentence for each rank that waits, such as "rank 3 waits for …"; called when nothing moves any more.
    fn waits(&self, layout: &Layout) -> Vec<String>;
}

/// The objects of a job on which ranks may wait.
#[derive(Default)]
pub(crate) struct WaitPoints(SpinLock<Vec<Weak<dyn WaitPoint>>>);

impl WaitPoints {
    /// Adds an object, for as long as it lives.
    pub(crate) fn add(&self, point: &Arc<dyn WaitPoint>) {
        let mut points = self.0.lock();
        if points.len() == points.capacity() {
            points.retain(|point| point.strong_count() > 0);
        }
        points.push(Arc::downgrade(point));
    }

    /// The sentences of all objects.
    pub(crate) fn waits(&self, layout: &Layout) -> Vec<String> {
        let points: Vec<_> = self.0.lock().iter().filter_map(Weak::upgrade).collect();
        points.iter().flat_map(|point| point.waits(layout)).collect()
    }
}

impl fmt::Debug for WaitPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WaitPoints").finish_non_exhaustive()
    }
}
