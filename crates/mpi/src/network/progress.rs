//! The progress engine: it handles the packets that have arrived, and goes on with messages in fragments, gets, puts,
//! flushes and transfers of one-sided communication, which are its tasks.
//!
//! The scheduler decides which thread polls (`core/network`, `sched/poller`). That thread gives each task a turn.
//! While it works on a task no other thread sees that task. So data does not hold up the handler of packets, and
//! several threads that poll share the work.

use super::Network;
use super::cooperative::Assist;
use super::dispatch::PacketHandler;
use super::flush::Flush;
use super::one_sided::OneSidedTransfer;
use super::pipeline::PipelinedSend;
use super::rdma::{Get, Put};
use crate::host::Host;
use simurgh_core::sync::{AtomicUsize, Ordering, SpinLock};
use std::collections::VecDeque;

/// An operation that goes on without the rank that has started it.
#[derive(Debug)]
pub(super) enum Task {
    Pipeline(PipelinedSend),
    Get(Get),
    Put(Put),
    Assist(Assist),
    Flush(Flush),
    OneSided(OneSidedTransfer),
}

/// The outcome of a step of a task.
#[derive(Debug)]
pub(super) enum Step {
    /// The task is over, or the transport will report its end.
    Done,
    /// There is more to do, and something has been done.
    More(Task),
    /// The transport has no room now.
    Blocked(Task),
}

/// The tasks of a host.
#[derive(Default)]
pub(super) struct TaskQueue {
    /// Number of tasks, with those on which a thread works.
    count: AtomicUsize,
    waiting: SpinLock<VecDeque<Task>>,
}

impl TaskQueue {
    /// Whether there are tasks. A hint.
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
    /// Makes progress: handles the packets that have arrived and goes on with tasks. False if there was nothing to do,
    /// or another thread polls.
    #[inline]
    pub(crate) fn progress(&self, local: &Host) -> bool {
        let arrived = self.fabric.poll(&PacketHandler { local, network: self });
        let done = self.run_tasks(local);
        arrived || done
    }

    /// Whether packets have arrived or tasks are left.
    #[inline]
    pub(crate) fn has_work(&self) -> bool {
        self.fabric.has_work() || self.tasks.any()
    }

    /// Whether tasks are left.
    pub(crate) fn is_busy(&self) -> bool {
        self.tasks.any()
    }

    /// Whether nothing is under way but packets that other hosts have yet to handle.
    pub(crate) fn is_quiet(&self) -> bool {
        // Packets that have arrived and have not been handled count as sent, not as received.
        !self.fabric.is_backed_up() && !self.tasks.any() && self.transfers.load(Ordering::SeqCst) == 0
    }

    /// Gives each task a step. Whether anything was done.
    #[inline]
    fn run_tasks(&self, local: &Host) -> bool {
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
            Task::Assist(assist) => self.assist(&assist),
            Task::Flush(flush) => self.flush_host(local, flush),
            Task::OneSided(transfer) => self.retry_transfer(local, transfer),
        }
    }

    /// Starts a task: does a step of it, and queues what is left.
    pub(super) fn start_task(&self, local: &Host, task: Task) {
        match self.step(local, task) {
            Step::Done => {}
            Step::More(task) | Step::Blocked(task) => self.tasks.add(task),
        }
    }
}
