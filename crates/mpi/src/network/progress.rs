//! What is going on by itself: messages in pieces, reads and writes of remote memory, and what is to leave this host.
//!
//! Whoever polls takes one after the other, and while he is at one, nobody else sees it. So no packet's handler is held
//! up by data, and several pollers share the work.

use super::Network;
use super::flush::Flush;
use super::pipeline::PipelinedSend;
use super::rdma::{Get, Put};
use crate::host::Host;
use simurgh_core::sync::{AtomicUsize, Ordering, SpinLock};
use std::collections::VecDeque;

/// Something that goes on by itself.
#[derive(Debug)]
pub(super) enum Task {
    Pipeline(PipelinedSend),
    Get(Get),
    Put(Put),
    Flush(Flush),
}

/// What came of a turn.
#[derive(Debug)]
pub(super) enum Step {
    /// The task is over, or goes on where it will be heard of again.
    Done,
    /// There is more to do, and something has been done.
    More(Task),
    /// There is no room just now.
    Blocked(Task),
}

/// The tasks of a host.
#[derive(Default)]
pub(super) struct TaskQueue {
    /// Those that wait and those in somebody's hands.
    count: AtomicUsize,
    waiting: SpinLock<VecDeque<Task>>,
}

impl TaskQueue {
    /// Whether there are any: a hint.
    #[inline]
    pub(super) fn any(&self) -> bool {
        self.count.load(Ordering::Relaxed) > 0
    }

    pub(super) fn add(&self, task: Task) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.waiting.lock().push_back(task);
    }
}

impl Network {
    /// Gives each task a turn; whether anything was done.
    #[inline]
    pub(super) fn run_tasks(&self, local: &Host) -> bool {
        self.tasks.any() && self.run_queue(local)
    }

    #[cold]
    fn run_queue(&self, local: &Host) -> bool {
        let mut any = false;
        let turns = self.tasks.count.load(Ordering::Relaxed);
        for _ in 0..turns {
            let Some(task) = self.tasks.waiting.lock().pop_front() else {
                break;
            };
            let (task, done) = match self.step(local, task) {
                Step::Done => {
                    self.tasks.count.fetch_sub(1, Ordering::Relaxed);
                    any = true;
                    continue;
                }
                Step::More(task) => (task, true),
                Step::Blocked(task) => (task, false),
            };
            any |= done;
            self.tasks.waiting.lock().push_back(task);
        }
        any
    }

    fn step(&self, local: &Host, task: Task) -> Step {
        match task {
            Task::Pipeline(send) => self.send_fragments(local, send),
            Task::Get(get) => self.get(local, get),
            Task::Put(put) => self.put(local, put),
            Task::Flush(flush) => self.flush_host(local, flush),
        }
    }

    /// Does what can be done of a task at once.
    pub(super) fn start_task(&self, local: &Host, task: Task) {
        match self.step(local, task) {
            Step::Done => {}
            Step::More(task) | Step::Blocked(task) => self.tasks.add(task),
        }
    }
}
