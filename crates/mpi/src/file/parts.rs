//! The parts of the ranks of a host in a collective access, and what becomes of them.

use super::meter::{Meter, Metered, end};
use super::open_file::OpenFile;
use super::transfer::{Transfer, status_of};
use crate::error::{Error, ErrorClass, Result, Status};
use crate::instrument::FileAccess;
use crate::memory::{Source, Target};
use crate::request::Request;
use simurgh_core::sync::Arc;
use simurgh_file::{Choice, Hints, Part, Pattern, SharedFile, Together};
use std::ops::Range;

/// A rank's part.
pub(super) struct Contribution {
    pub(super) transfer: Transfer,
    /// By which the access is counted from the time on when all parts are there, if it has to be.
    pub(super) meter: Option<Arc<Meter>>,
    /// The result, if the rank has made the access by itself, or cannot make it.
    pub(super) done: Option<Result<Status>>,
    /// The turn of the rank, if its part comes behind those of others, which are not known yet.
    pub(super) turn: Option<usize>,
    /// The virtual processor on which the rank has left it, whose caches may have the rank's buffer.
    pub(super) worker: usize,
    pub(super) request: Arc<Request>,
}

/// All parts.
pub(super) enum Parts {
    Read(Together<Target>),
    Write(Together<Source>),
}

/// The ranks, which wait for the end of the access or will ask for it.
pub(super) struct Participants(Vec<Participant>);

/// A rank.
struct Participant {
    request: Arc<Request>,
    /// The result, if the rank has made the access by itself, or cannot make it.
    done: Option<Result<Status>>,
    metered: Option<Metered>,
}

/// The bytes that were moved of each part, and why not all were.
pub(super) type Outcome = (Vec<usize>, Result<()>);

/// The parts and the ranks of an access. There are no parts if the ranks do different things.
///
/// Parts of ranks that share a virtual processor follow each other, in the order of processors. So in a loop that is
/// divided among them, each processor begins with those of its own ranks.
pub(super) fn divide(mut all: Vec<Contribution>, hints: &Hints) -> (Result<Parts>, Participants) {
    all.sort_by_key(|contribution| contribution.worker);
    let (mut reads, mut writes, mut participants) = (Vec::new(), Vec::new(), Vec::new());
    for contribution in all {
        let kind = match contribution.transfer {
            Transfer::Read(part) => {
                reads.push(part);
                FileAccess::ReadAll
            }
            Transfer::Write(part) => {
                writes.push(part);
                FileAccess::WriteAll
            }
        };
        participants.push(Participant {
            request: contribution.request,
            done: contribution.done,
            metered: contribution.meter.map(|meter| Metered::begin(meter, kind)),
        });
    }
    let window = |wanted| match wanted {
        Choice::Never => None,
        Choice::Automatic => Some((hints.window, false)),
        Choice::Always => Some((hints.window, true)),
    };
    let parts = match (reads.is_empty(), writes.is_empty()) {
        (true, _) => Ok(Parts::Write(Together::new(writes, window(hints.writes)))),
        (_, true) => Ok(Parts::Read(Together::new(reads, window(hints.reads)))),
        (false, false) => Err(reads_and_writes()),
    };
    (parts, Participants(participants))
}

/// The error of ranks that read in a collective access in which others write.
#[cold]
pub(super) fn reads_and_writes() -> Error {
    let reason = "some ranks of the file read in a collective access, others write";
    Error::new(ErrorClass::Other, reason)
}

impl Parts {
    pub(super) fn writes(&self) -> bool {
        matches!(self, Self::Write(_))
    }

    /// What is done with the file, for messages.
    pub(super) fn action(&self) -> &'static str {
        if self.writes() { "writing" } else { "reading" }
    }

    pub(super) fn units(&self) -> usize {
        match self {
            Self::Read(parts) => parts.units(),
            Self::Write(parts) => parts.units(),
        }
    }

    /// Whether the data of all goes through windows, and each part is not moved by itself.
    pub(super) fn has_windows(&self) -> bool {
        match self {
            Self::Read(parts) => parts.has_windows(),
            Self::Write(parts) => parts.has_windows(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Read(parts) => parts.bytes(),
            Self::Write(parts) => parts.bytes(),
        }
    }

    pub(super) fn reach(&self) -> Range<u64> {
        match self {
            Self::Read(parts) => parts.reach(),
            Self::Write(parts) => parts.reach(),
        }
    }

    pub(super) fn pattern(&self) -> Pattern {
        match self {
            Self::Read(parts) => parts.pattern(),
            Self::Write(parts) => parts.pattern(),
        }
    }

    /// Does a unit of the work.
    pub(super) fn move_unit(&self, file: &SharedFile, unit: usize) {
        match self {
            Self::Read(parts) => parts.read_unit(file, unit),
            Self::Write(parts) => parts.write_unit(file, unit),
        }
    }

    /// The outcome, once all units are done.
    pub(super) fn outcome(&self, open: &OpenFile) -> Outcome {
        let (moved, outcome) = match self {
            Self::Read(parts) => parts.results(),
            Self::Write(parts) => parts.results(),
        };
        (
            moved,
            outcome.map_err(|reason| open.fault(self.action(), &reason)),
        )
    }
}

impl Participants {
    /// The outcome with what ranks have found out by themselves: a fault of one is a fault of all.
    pub(super) fn with_own(&self, outcome: Result<()>) -> Result<()> {
        let own = self
            .0
            .iter()
            .filter_map(|rank| rank.done.as_ref()?.as_ref().err());
        own.fold(outcome, |outcome, error| outcome.and(Err(error.clone())))
    }

    /// Completes the requests of all ranks. A rank that has failed by itself gets its own error.
    pub(super) fn conclude(self, moved: &[usize], outcome: &Result<()>) {
        for (index, rank) in self.0.into_iter().enumerate() {
            let status = status_of(moved.get(index).copied().unwrap_or(0));
            let done = match (rank.done, outcome) {
                (Some(Err(own)), _) => Err(own),
                (_, Err(error)) => Err(error.clone().with_status(status)),
                (Some(done), Ok(())) => done,
                (None, Ok(())) => Ok(status),
            };
            end(rank.metered, &done);
            rank.request.finish_task(done);
        }
    }
}

/// A part without data.
pub(super) fn nothing<M>(part: Part<M>) -> Part<M> {
    Part { bytes: 0, ..part }
}
