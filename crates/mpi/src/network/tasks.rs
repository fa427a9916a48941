//! What is going on by itself: messages in pieces, reads and writes of remote memory, and what is to leave this host.
//!
//! Whoever polls takes one after the other, and while he is at one, nobody else sees it. So no packet's handler is held
//! up by data, and several pollers share the work.

use super::Remote;
use super::drain::Draining;
use super::stream::Stream;
use super::transfer::{Reading, Writing};
use crate::host::Host;
use simurgh_core::sync::{AtomicUsize, Ordering, SpinLock};
use std::collections::VecDeque;

/// Something that goes on by itself.
#[derive(Debug)]
pub(super) enum Task {
    Stream(Stream),
    Read(Reading),
    Write(Writing),
    Drain(Draining),
}

/// What came of a turn.
#[derive(Debug)]
pub(super) enum Turn {
    /// The task is over, or goes on where it will be heard of again.
    Over,
    /// There is more to do, and something has been done.
    More(Task),
    /// There is no room just now.
    Stuck(Task),
}

/// The tasks of a host.
#[derive(Default)]
pub(super) struct Tasks {
    /// Those that wait and those in somebody's hands.
    count: AtomicUsize,
    waiting: SpinLock<VecDeque<Task>>,
}

impl Tasks {
    /// Whether there are any: a hint.
    #[inline]
    pub(super) fn are_there(&self) -> bool {
        self.count.load(Ordering::Relaxed) > 0
    }

    pub(super) fn add(&self, task: Task) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.waiting.lock().push_back(task);
    }
}

impl Remote {
    /// Gives each task a turn; whether anything was done.
    #[inline]
    pub(super) fn go_on(&self, local: &Host) -> bool {
        self.tasks.are_there() && self.give_turns(local)
    }

    #[cold]
    fn give_turns(&self, local: &Host) -> bool {
        let mut any = false;
        let turns = self.tasks.count.load(Ordering::Relaxed);
        for _ in 0..turns {
            let Some(task) = self.tasks.waiting.lock().pop_front() else {
                break;
            };
            let (task, done) = match self.turn(local, task) {
                Turn::Over => {
                    self.tasks.count.fetch_sub(1, Ordering::Relaxed);
                    any = true;
                    continue;
                }
                Turn::More(task) => (task, true),
                Turn::Stuck(task) => (task, false),
            };
            any |= done;
            self.tasks.waiting.lock().push_back(task);
        }
        any
    }

    fn turn(&self, local: &Host, task: Task) -> Turn {
        match task {
            Task::Stream(stream) => self.send_pieces(local, stream),
            Task::Read(reading) => self.read(local, reading),
            Task::Write(writing) => self.write(local, writing),
            Task::Drain(draining) => self.drain_one(local, draining),
        }
    }

    /// Does what can be done of a task at once.
    pub(super) fn begin(&self, local: &Host, task: Task) {
        match self.turn(local, task) {
            Turn::Over => {}
            Turn::More(task) | Turn::Stuck(task) => self.tasks.add(task),
        }
    }
}
