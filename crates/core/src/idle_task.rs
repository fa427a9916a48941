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
pub trait IdleTask: Send + Sync {
    /// Does a piece; false if none is left to be begun. It must not suspend or panic, nor be slow: an idle worker in
    /// it hears of nothing else.
    fn run_piece(self: Arc<Self>) -> bool;

    /// Whether no piece is left to be begun. A hint.
    fn is_exhausted(&self) -> bool;
}

/// The idle_tasks of a team, oldest first, with the floating-point environment of who has left them there: that is theirs,
/// whoever does them.
pub(crate) struct IdleTasks(SpinLock<VecDeque<(Arc<dyn IdleTask>, FloatEnvironment)>>);

/// IdleTasks for which there is room from the beginning.
const ROOM: usize = 64;

impl Default for IdleTasks {
    fn default() -> Self {
        Self(SpinLock::new(VecDeque::with_capacity(ROOM)))
    }
}

impl IdleTasks {
    /// Adds an task, unless it is here still from the last time, and takes away older ones of which nothing is left.
    /// Returns by how many they have become more.
    fn add(&self, task: Arc<dyn IdleTask>) -> isize {
        let mut queue = self.0.lock();
        let before = queue.len();
        while queue.front().is_some_and(|(task, _)| task.is_exhausted()) {
            // The queue's reference is hardly ever the last; if so, the task goes under the lock, unhurt.
            queue.pop_front();
        }
        let environment = FloatEnvironment::read();
        match queue.iter_mut().find(|(known, _)| Arc::ptr_eq(known, &task)) {
            Some(known) => known.1 = environment,
            None => queue.push_back((task, environment)),
        }
        queue.len() as isize - before as isize
    }

    pub(crate) fn first(&self) -> Option<(Arc<dyn IdleTask>, FloatEnvironment)> {
        self.0.lock().front().cloned()
    }

    /// Takes an task away, if it still is the first and nothing of it is left. Whether it was.
    pub(crate) fn remove_first(&self, task: &Arc<dyn IdleTask>) -> bool {
        let mut queue = self.0.lock();
        // Asked under the lock: it may have been posted again, which leaves it where it is.
        let over = |(first, _): &(Arc<dyn IdleTask>, _)| Arc::ptr_eq(first, task) && first.is_exhausted();
        let is_over = queue.front().is_some_and(over);
        let removed = if is_over { queue.pop_front() } else { None };
        drop(queue);
        removed.is_some()
    }
}

/// Leaves an task to the team of the calling execution context. False, and nothing is done, if it has none.
pub fn post_idle_task(task: Arc<dyn IdleTask>) -> bool {
    let Some((worker, idle_tasks)) = current_worker().and_then(|worker| Some((worker, worker.idle_tasks()?)))
    else {
        return false;
    };
    let more = idle_tasks.add(task);
    worker.announce(more);
    true
}
