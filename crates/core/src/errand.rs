//! Work that belongs to no execution context: workers that have nothing else to do take pieces of it.
//!
//! What somebody waits for in the end, but need not wait for yet, is posted to the worker's team. An idle worker does a
//! piece and looks around again; a context that comes to wait does pieces itself. So the work gets done without a
//! context of its own, on processors that nobody needs, and while they are all needed it costs nobody anything.

use std::collections::VecDeque;

use crate::ec::current_worker;
use crate::float_environment::FloatEnvironment;
use crate::sync::{Arc, SpinLock};

/// Work in pieces.
pub trait Errand: Send + Sync {
    /// Does a piece; false if none is left to be begun. It must not suspend or panic, nor be slow: an idle worker in
    /// it hears of nothing else.
    fn run_piece(self: Arc<Self>) -> bool;

    /// Whether no piece is left to be begun. A hint.
    fn is_exhausted(&self) -> bool;
}

/// The errands of a team, oldest first, with the floating-point environment of who has left them there: that is theirs,
/// whoever does them.
pub(crate) struct Errands(SpinLock<VecDeque<(Arc<dyn Errand>, FloatEnvironment)>>);

/// Errands for which there is room from the beginning.
const ROOM: usize = 64;

impl Default for Errands {
    fn default() -> Self {
        Self(SpinLock::new(VecDeque::with_capacity(ROOM)))
    }
}

impl Errands {
    /// Adds an errand, unless it is here still from the last time, and takes away older ones of which nothing is left.
    /// Returns by how many they have become more.
    fn add(&self, errand: Arc<dyn Errand>) -> isize {
        let mut queue = self.0.lock();
        let before = queue.len();
        while queue.front().is_some_and(|(errand, _)| errand.is_exhausted()) {
            // The queue's reference is hardly ever the last; if so, the errand goes under the lock, unhurt.
            queue.pop_front();
        }
        let environment = FloatEnvironment::read();
        match queue.iter_mut().find(|(known, _)| Arc::ptr_eq(known, &errand)) {
            Some(known) => known.1 = environment,
            None => queue.push_back((errand, environment)),
        }
        queue.len() as isize - before as isize
    }

    pub(crate) fn first(&self) -> Option<(Arc<dyn Errand>, FloatEnvironment)> {
        self.0.lock().front().cloned()
    }

    /// Takes an errand away, if it still is the first and nothing of it is left. Whether it was.
    pub(crate) fn remove_first(&self, errand: &Arc<dyn Errand>) -> bool {
        let mut queue = self.0.lock();
        // Asked under the lock: it may have been posted again, which leaves it where it is.
        let over = |(first, _): &(Arc<dyn Errand>, _)| Arc::ptr_eq(first, errand) && first.is_exhausted();
        let is_over = queue.front().is_some_and(over);
        let removed = if is_over { queue.pop_front() } else { None };
        drop(queue);
        removed.is_some()
    }
}

/// Leaves an errand to the team of the calling execution context. False, and nothing is done, if it has none.
pub fn post(errand: Arc<dyn Errand>) -> bool {
    let Some((worker, errands)) = current_worker().and_then(|worker| Some((worker, worker.errands()?)))
    else {
        return false;
    };
    let more = errands.add(errand);
    worker.announce(more);
    true
}
