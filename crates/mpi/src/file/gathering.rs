//! Gatherings: where the ranks of a host leave their parts of a collective access.
//!
//! Each rank numbers its collective accesses to a file, and equal numbers belong together. A rank leaves its part and
//! goes on, or waits for its request. The last rank to come has all parts: short ones it moves itself, longer ones are
//! moved by I/O threads, which take units of the work ([`Together`]) until none is left. The last to finish a unit
//! completes the requests of all ranks.

use super::open_file::OpenFile;
use super::transfer::{Transfer, status_of};
use crate::error::{Error, ErrorClass, Result, Status};
use crate::memory::{Source, Target};
use crate::request::Request;
use simurgh_core::sync::{Arc, AtomicUsize, Ordering, SpinLock};
use simurgh_file::{Hints, Part, SHORT, Storage, Together, submit};
use std::collections::VecDeque;

/// The collective accesses to a file that some ranks of the host have begun and others have not.
pub(super) struct Gatherings {
    ranks: usize,
    open: SpinLock<Open>,
}

#[derive(Default)]
struct Open {
    /// The number of the first one.
    first: u64,
    gatherings: VecDeque<Vec<Contribution>>,
}

/// A rank's part.
pub(super) struct Contribution {
    pub(super) transfer: Transfer,
    /// The result, if the rank has made the access by itself.
    pub(super) done: Option<Result<Status>>,
    pub(super) request: Arc<Request>,
}

/// A collective access of which all parts are there.
struct Work {
    open: Arc<OpenFile>,
    together: Parts,
    requests: Vec<Arc<Request>>,
    done: Vec<Option<Result<Status>>>,
    units: usize,
    next: AtomicUsize,
    left: AtomicUsize,
}

enum Parts {
    Read(Together<Target>),
    Write(Together<Source>),
}

/// The most I/O threads that work on one access.
const WORKERS: usize = 4;

impl Gatherings {
    pub(super) fn new(ranks: usize) -> Self {
        Self {
            ranks,
            open: SpinLock::default(),
        }
    }

    /// Leaves a part at the gathering of this number; returns all parts if it was the last.
    fn arrive(&self, number: u64, contribution: Contribution) -> Option<Vec<Contribution>> {
        let mut open = self.open.lock();
        let place = usize::try_from(number - open.first).expect("as many as fit in memory");
        while open.gatherings.len() <= place {
            open.gatherings.push_back(Vec::new());
        }
        open.gatherings[place].push(contribution);
        if open.gatherings[place].len() < self.ranks {
            return None;
        }
        // Each rank comes in the order of the numbers, so the first gathering is the first that is complete.
        open.first += 1;
        open.gatherings.pop_front()
    }
}

/// Leaves a rank's part; the last rank has all parts moved.
pub(super) fn gather(open: &Arc<OpenFile>, number: u64, contribution: Contribution, hints: &Hints) {
    let Some(all) = open.gatherings.arrive(number, contribution) else {
        return;
    };
    let Some(work) = Work::of(open, all, hints) else {
        return;
    };
    let short = work.bytes() <= SHORT && !open.is_atomic();
    let workers = match work.units {
        _ if short || open.is_atomic() => 1,
        units => units.clamp(1, WORKERS),
    };
    let work = Arc::new(work);
    if short {
        return work.serve();
    }
    for _ in 0..workers {
        let work = Arc::clone(&work);
        submit(move || work.serve());
    }
}

impl Work {
    /// The work of these parts; none if the ranks do different things, which all are told.
    fn of(open: &Arc<OpenFile>, all: Vec<Contribution>, hints: &Hints) -> Option<Self> {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let (mut requests, mut done) = (Vec::new(), Vec::new());
        for contribution in all {
            match contribution.transfer {
                Transfer::Read(part) => reads.push(part),
                Transfer::Write(part) => writes.push(part),
            }
            requests.push(contribution.request);
            done.push(contribution.done);
        }
        let window = |wanted| Some(hints.window).filter(|_| wanted);
        let together = match (reads.is_empty(), writes.is_empty()) {
            (true, _) => Parts::Write(Together::new(writes, window(hints.writes_together))),
            (_, true) => Parts::Read(Together::new(reads, window(hints.reads_together))),
            (false, false) => {
                let reason = "some ranks of the file read in a collective access, others write";
                for request in requests {
                    request.finish_task(Err(Error::new(ErrorClass::Other, reason)));
                }
                return None;
            }
        };
        let units = match &together {
            Parts::Read(parts) => parts.units(),
            Parts::Write(parts) => parts.units(),
        };
        Some(Self {
            open: Arc::clone(open),
            together,
            requests,
            done,
            units,
            next: AtomicUsize::new(0),
            left: AtomicUsize::new(units),
        })
    }

    fn bytes(&self) -> usize {
        match &self.together {
            Parts::Read(parts) => parts.bytes(),
            Parts::Write(parts) => parts.bytes(),
        }
    }

    /// Does units until none is left.
    fn serve(&self) {
        let file = &*self.open.storage;
        if !self.open.is_atomic() {
            return self.take_units(file);
        }
        let (reach, writes) = match &self.together {
            Parts::Read(parts) => (parts.reach(), false),
            Parts::Write(parts) => (parts.reach(), true),
        };
        let action = if writes { "writing" } else { "reading" };
        let done = self.open.exclusively(reach, writes, || self.take_units(file));
        if let Err(reason) = done
            && self.next.load(Ordering::Relaxed) == 0
        {
            self.conclude(&Err(self.open.fault(action, &reason)), &[]);
        }
    }

    fn take_units(&self, file: &dyn Storage) {
        loop {
            // Relaxed: a unit belongs to whoever gets its number.
            let unit = self.next.fetch_add(1, Ordering::Relaxed);
            if unit >= self.units {
                return;
            }
            match &self.together {
                Parts::Read(parts) => parts.read_unit(file, unit),
                Parts::Write(parts) => parts.write_unit(file, unit),
            }
            // AcqRel: whoever finishes the last unit sees what all others have done.
            if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
                self.finish();
            }
        }
    }

    /// Completes the requests of all ranks.
    fn finish(&self) {
        let ((moved, outcome), action) = match &self.together {
            Parts::Read(parts) => (parts.results(), "reading"),
            Parts::Write(parts) => (parts.results(), "writing"),
        };
        let outcome = outcome.map_err(|reason| self.open.fault(action, &reason));
        self.conclude(&outcome, &moved);
    }

    fn conclude(&self, outcome: &Result<()>, moved: &[usize]) {
        for (index, request) in self.requests.iter().enumerate() {
            let status = status_of(moved.get(index).copied().unwrap_or(0));
            request.finish_task(match (&self.done[index], outcome) {
                (_, Err(error)) => Err(error.clone().with_status(status)),
                (Some(done), Ok(())) => done.clone(),
                (None, Ok(())) => Ok(status),
            });
        }
    }
}

/// A part without data.
pub(super) fn nothing<M>(part: Part<M>) -> Part<M> {
    Part { bytes: 0, ..part }
}
