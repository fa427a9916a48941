//! The work of a collective access on one host: its ranks' parts are moved together.
//!
//! Short parts are moved by the caller. Longer ones are moved by I/O threads, which take units of the work
//! ([`Together`](simurgh_file::Together)) until none is left.

use super::open_file::OpenFile;
use super::parts::{Outcome, Parts};
use super::task::Task;
use simurgh_core::sync::{Arc, AtomicUsize, Ordering, SpinLock};
use simurgh_file::{SHORT, Storage, submit};

/// A collective access of which all parts are there.
pub(super) struct Work {
    open: Arc<OpenFile>,
    parts: Parts,
    units: usize,
    next: AtomicUsize,
    left: AtomicUsize,
    /// What is done with the outcome, by whoever finishes the last unit.
    finish: SpinLock<Option<Finish>>,
}

/// What is done with an outcome.
type Finish = Box<dyn FnOnce(Outcome) + Send>;

/// The most I/O threads that work on one access.
const WORKERS: usize = 4;

impl Work {
    /// Has the parts moved, and then `finish` called.
    pub(super) fn start(open: Arc<OpenFile>, parts: Parts, finish: impl FnOnce(Outcome) + Send + 'static) {
        let units = parts.units();
        let work = Arc::new(Self {
            open,
            parts,
            units,
            next: AtomicUsize::new(0),
            left: AtomicUsize::new(units),
            finish: SpinLock::new(Some(Box::new(finish))),
        });
        let is_atomic = work.open.is_atomic();
        if work.parts.bytes() <= SHORT && !is_atomic {
            return work.serve();
        }
        let workers = if is_atomic { 1 } else { units.clamp(1, WORKERS) };
        for _ in 0..workers {
            let work = Arc::clone(&work);
            submit(move || work.serve());
        }
    }

    /// Moves the parts, and waits for it.
    pub(super) fn run(open: Arc<OpenFile>, parts: Parts) -> Outcome {
        let task = Task::new();
        let own = task.clone();
        Self::start(open, parts, move |outcome| own.finish(outcome));
        task.wait()
    }

    /// Does units until none is left.
    fn serve(&self) {
        let file = &*self.open.storage;
        if !self.open.is_atomic() {
            return self.take_units(file);
        }
        let (reach, writes) = (self.parts.reach(), self.parts.writes());
        let done = self.open.exclusively(reach, writes, || self.take_units(file));
        if let Err(reason) = done {
            let fault = self.open.fault(self.parts.action(), &reason);
            self.finish((Vec::new(), Err(fault)));
        }
    }

    fn take_units(&self, file: &dyn Storage) {
        loop {
            // Relaxed: a unit belongs to whoever gets its number.
            let unit = self.next.fetch_add(1, Ordering::Relaxed);
            if unit >= self.units {
                return;
            }
            self.parts.move_unit(file, unit);
            // AcqRel: whoever finishes the last unit sees what all others have done.
            if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
                self.finish(self.parts.outcome(&self.open));
            }
        }
    }

    fn finish(&self, outcome: Outcome) {
        let finish = self.finish.lock().take();
        if let Some(finish) = finish {
            finish(outcome);
        }
    }
}
