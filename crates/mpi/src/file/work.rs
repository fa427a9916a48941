//! The work of a collective access on one host: its ranks' parts are moved together.
//!
//! Short parts are moved by the caller. A caller that would only wait moves longer ones, too, together with idle
//! virtual processors, if nobody else wants its own. Any others are moved by I/O threads, which take units of the work
//! ([`Together`](simurgh_file::Together)) until none is left.

use super::open_file::OpenFile;
use super::parts::{Outcome, Parts};
use super::task::Task;
use simurgh_core::sync::{Arc, AtomicUsize, Ordering, SpinLock};
use simurgh_core::{current_worker, parallel_for};
use simurgh_file::{SHORT, SharedFile, submit};

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

/// The most threads that work on one access.
const WORKERS: usize = 4;

/// Bytes up to which a unit of work is done by a rank that would otherwise wait for it. Meanwhile nobody else can run
/// on its virtual processor.
const MODERATE: usize = 16 << 20;

/// Bytes up to which a rank that would otherwise wait does all units without looking who wants its virtual processor.
pub(super) const IN_ONE_GO: usize = 64 << 20;

/// Whether a caller that would wait had better move so many bytes by itself: nobody else wants its virtual processor,
/// or it has none.
pub(super) fn is_free(bytes: usize) -> bool {
    current_worker().is_none_or(|worker| bytes <= MODERATE && !worker.has_runnable())
}

impl Work {
    /// Has the parts moved, and then `finish` called. `waits` says whether the caller then waits for that.
    pub(super) fn start(
        open: Arc<OpenFile>,
        parts: Parts,
        waits: bool,
        finish: impl FnOnce(Outcome) + Send + 'static,
    ) {
        let units = parts.units();
        let work = Arc::new(Self {
            open,
            parts,
            units,
            next: AtomicUsize::new(0),
            left: AtomicUsize::new(units),
            finish: SpinLock::new(Some(Box::new(finish))),
        });
        let is_atomic = work.open.file.is_atomic();
        let bytes = work.parts.bytes();
        if bytes <= SHORT && !is_atomic {
            return work.serve();
        }
        let (writes, in_turn) = (work.parts.writes(), work.excludes_itself());
        let is_free = waits && !is_atomic && is_free(bytes / units.max(1));
        if is_free && bytes <= IN_ONE_GO {
            return work.serve_with_idle_processors(in_turn);
        }
        let one = is_atomic || in_turn;
        let wanted = if one { 1 } else { units.clamp(1, WORKERS) };
        // A rank among those that write windows of one file gains nothing.
        let takes_part = is_free && (units == 1 || !writes);
        for _ in usize::from(takes_part)..wanted {
            work.submit();
        }
        if takes_part {
            work.take_part();
        }
    }

    /// Whether units would wait for each other in the kernel, which has one writer of a file at a time. Units that put
    /// windows together first do not only write.
    fn excludes_itself(&self) -> bool {
        self.parts.writes() && !self.parts.has_windows() && !self.open.file.storage().has_parallel_writes()
    }

    /// Does all units at once, by the caller and by virtual processors that are idle, or by the caller alone.
    fn serve_with_idle_processors(&self, alone: bool) {
        let file = &self.open.file;
        let work = |unit| self.parts.move_unit(file, unit);
        match alone {
            true => (0..self.units).for_each(work),
            false => parallel_for(self.units, &work),
        }
        self.finish(self.parts.outcome(&self.open));
    }

    fn submit(self: &Arc<Self>) {
        let work = Arc::clone(self);
        submit(move || work.serve());
    }

    /// Does units until none is left, or somebody wants the virtual processor.
    fn take_part(self: &Arc<Self>) {
        while self.take_unit(&self.open.file) {
            if !is_free(0) {
                return self.submit();
            }
        }
    }

    /// Moves the parts, and waits for it.
    pub(super) fn run(open: Arc<OpenFile>, parts: Parts) -> Outcome {
        let task = Task::new();
        let own = task.clone();
        Self::start(open, parts, true, move |outcome| own.finish(outcome));
        task.wait()
    }

    /// Does units until none is left.
    fn serve(&self) {
        let file = &self.open.file;
        if !file.is_atomic() {
            while self.take_unit(file) {}
            return;
        }
        let (reach, writes) = (self.parts.reach(), self.parts.writes());
        let done = file.exclusively(reach, writes, || while self.take_unit(file) {});
        if let Err(reason) = done {
            let fault = self.open.fault(self.parts.action(), &reason);
            self.finish((Vec::new(), Err(fault)));
        }
    }

    /// Does a unit; returns whether there was one.
    fn take_unit(&self, file: &SharedFile) -> bool {
        // Relaxed: a unit belongs to whoever gets its number.
        let unit = self.next.fetch_add(1, Ordering::Relaxed);
        if unit >= self.units {
            return false;
        }
        self.parts.move_unit(file, unit);
        // AcqRel: whoever finishes the last unit sees what all others have done.
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.finish(self.parts.outcome(&self.open));
        }
        true
    }

    fn finish(&self, outcome: Outcome) {
        let finish = self.finish.lock().take();
        if let Some(finish) = finish {
            finish(outcome);
        }
    }
}
