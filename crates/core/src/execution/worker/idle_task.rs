//! Idle tasks: work that belongs to no execution context, and that idle workers do in pieces.
//!
//! Work that somebody will wait for, but not yet, is posted to the worker's team. An idle worker does a piece and looks
//! around again; a context that begins to wait does pieces itself. So the work is done without a context of its own, on
//! processors that nobody needs. While all processors are needed it costs nothing.

use std::collections::VecDeque;

use crate::execution::current_worker;
use crate::machine::FloatEnvironment;
use crate::sync::{Arc, SpinLock};

/// Work in pieces.
pub trait IdleTask: Send + Sync {
    /// Does a piece; false if none is left to be begun. It must not suspend or panic. It must not be slow either: a
    /// worker in a piece notices nothing else.
    fn run_piece(self: Arc<Self>) -> bool;

    /// Whether no piece is left to be begun: a hint.
    fn is_exhausted(&self) -> bool;
}

/// The idle tasks of a team, oldest first. Each has the floating-point environment of the context that has posted it,
/// whichever worker does it.
pub(crate) struct IdleTasks(SpinLock<VecDeque<(Arc<dyn IdleTask>, FloatEnvironment)>>);

/// Tasks for which there is room from the beginning.
const ROOM: usize = 64;

impl Default for IdleTasks {
    fn default() -> Self {
        Self(SpinLock::new(VecDeque::with_capacity(ROOM)))
    }
}

impl IdleTasks {
    /// Adds a task, unless it is still here from the last time, and removes older ones of which nothing is left.
    /// Returns by how many tasks the queue has grown, which may be negative.
    fn add(&self, task: Arc<dyn IdleTask>) -> isize {
        let mut queue = self.0.lock();
        let before = queue.len();
        while queue.front().is_some_and(|(task, _)| task.is_exhausted()) {
            // The queue's reference is hardly ever the last. If it is, the task is dropped under the lock, which is
            // harmless.
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

    /// Removes a task, if it still is the first and nothing of it is left. Returns whether it did.
    pub(crate) fn remove_first(&self, task: &Arc<dyn IdleTask>) -> bool {
        let mut queue = self.0.lock();
        // Checked under the lock: the task may have been posted again, which leaves it where it is.
        let over = |(first, _): &(Arc<dyn IdleTask>, _)| Arc::ptr_eq(first, task) && first.is_exhausted();
        let is_over = queue.front().is_some_and(over);
        let removed = if is_over { queue.pop_front() } else { None };
        drop(queue);
        removed.is_some()
    }
}

/// Posts a task to the team of the calling execution context. False, without effect, if that has no team.
pub fn post_idle_task(task: Arc<dyn IdleTask>) -> bool {
    let Some((worker, idle_tasks)) = current_worker().and_then(|worker| Some((worker, worker.idle_tasks()?)))
    else {
        return false;
    };
    let more = idle_tasks.add(task);
    worker.announce(more);
    true
}
