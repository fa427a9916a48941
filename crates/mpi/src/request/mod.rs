//! Requests: operations in progress.
//!
//! A request is a [`StatusCell`] for the outcome of an operation, shared by the rank that waits for it and the thread
//! that completes it. Requests of finished operations are kept by their rank and used again
//! ([`crate::Process::release`]), so that steady traffic allocates nothing. A send that is complete when its call
//! returns needs no request of its own: its rank has one that is always complete. An exchange has two entries in match
//! tables; a task of the library and a generalised request have none.

mod call_slots;
mod collective;
mod exchange;
mod generalised;
mod multiple;
mod own_reference;
mod persistent;
mod pool;
mod status_cell;
mod waiter;
mod work;

pub use generalised::Callbacks;
pub use multiple::{
    Outcome, RequestRef, peek_all, peek_any, peek_some, test_all, test_any, test_some, wait_all, wait_any,
    wait_some,
};

pub(crate) use call_slots::{CallSlot, CallSlots};
pub(crate) use collective::Participation;
pub(crate) use exchange::Half;
pub(crate) use persistent::{Direction, Operation};
pub(crate) use pool::RequestPool;
pub(crate) use status_cell::StatusCell;
pub(crate) use waiter::{Callers, Waiter};
pub(crate) use work::Work;

use crate::error::Status;
use crate::error::{Error, ErrorClass, Result};
use crate::instrument::{self, Reason};
use crate::matching::Place;
use exchange::Exchange;
use generalised::Generalised;
use persistent::Persistent;
use simurgh_core::sync::{Arc, ArcCache, AtomicU32, AtomicU64, Ordering};
use simurgh_core::{Purpose, PurposeGuard, yield_now};
use std::sync::OnceLock;
use std::task::Waker;
use work::OwnWork;

/// A nonblocking or persistent operation.
#[derive(Debug)]
pub struct Request {
    status_cell: StatusCell,
    queued: Queued,
    /// The reference for the thread that completes the request, while no operation is under way.
    second: ArcCache<Self>,
    kind: Kind,
}

/// The operation of a request.
#[derive(Debug)]
enum Kind {
    /// A send that runs once.
    Send,
    /// A receive that runs once.
    Receive,
    /// A send and a receive that were started in one call.
    Exchange(Exchange),
    /// A nonblocking collective.
    Collective(Participation),
    /// Something else that the library completes.
    Task(Task),
    /// An operation that is started again and again.
    Persistent(Persistent),
    /// An operation of the program's own.
    Generalised(Generalised),
}

/// Something that the library completes by itself.
#[derive(Debug)]
struct Task {
    /// What a rank is about that waits for it.
    purpose: Purpose,
    /// What the rank can do for it.
    work: OwnWork,
    /// Why it has failed.
    fault: OnceLock<Box<Error>>,
}

/// The process in whose table the operation is queued, and its place there: what cancelling needs.
#[derive(Debug)]
struct Queued {
    process: AtomicU32,
    index: AtomicU32,
    sequence: AtomicU64,
}

/// The sequence number of no entry.
const NOWHERE: u64 = u64::MAX;

impl Queued {
    fn nowhere() -> Self {
        Self {
            process: AtomicU32::new(0),
            index: AtomicU32::new(0),
            sequence: AtomicU64::new(NOWHERE),
        }
    }

    /// Relaxed throughout: only threads of the request's rank write and read the place, and MPI lets only one of them
    /// at a time use the request. The table checks under its lock whether the entry is still there.
    #[inline]
    fn set(&self, process: u32, place: Place) {
        self.process.store(process, Ordering::Relaxed);
        self.index.store(place.index, Ordering::Relaxed);
        self.sequence.store(place.sequence, Ordering::Relaxed);
    }

    #[inline]
    fn forget(&self) {
        self.sequence.store(NOWHERE, Ordering::Relaxed);
    }

    fn get(&self) -> (u32, Place) {
        let index = self.index.load(Ordering::Relaxed);
        let sequence = self.sequence.load(Ordering::Relaxed);
        (self.process.load(Ordering::Relaxed), Place { index, sequence })
    }
}

impl Request {
    fn of_kind(kind: Kind) -> Self {
        Self {
            status_cell: StatusCell::default(),
            queued: Queued::nowhere(),
            second: ArcCache::default(),
            kind,
        }
    }

    /// The request of a send that has ended with this status.
    #[must_use]
    pub fn ended(status: &Status) -> Arc<Self> {
        let request = Self::of_kind(Kind::Send);
        request.settle(status);
        Arc::new(request)
    }

    /// A request for something that the library completes by itself, when another host or a receiver has answered.
    pub(crate) fn task() -> Arc<Self> {
        Self::task_about(Purpose::Network)
    }

    /// A request for the access to a file.
    pub(crate) fn file_task() -> Arc<Self> {
        Self::task_about(Purpose::Io)
    }

    fn task_about(purpose: Purpose) -> Arc<Self> {
        Arc::new(Self::of_kind(Kind::Task(Task {
            purpose,
            work: OwnWork::default(),
            fault: OnceLock::new(),
        })))
    }

    /// Notes that data of another host is under way for the request, which is a receive.
    pub(super) fn begin_arrival(&self) {
        self.status_cell.begin_arrival();
    }

    /// What a rank is about that waits for the operation, if the library knows that.
    fn purpose(&self) -> Option<Purpose> {
        let sends = match &self.kind {
            Kind::Task(task) => return Some(task.purpose),
            Kind::Send => true,
            Kind::Persistent(persistent) => persistent.operation().direction() == Some(Direction::Send),
            _ => false,
        };
        // A send that is not complete waits for its receiver, in a rendezvous.
        (sends || self.status_cell.is_arriving()).then_some(Purpose::Network)
    }

    /// Completes a [task](Request::task) with its status, or with an error.
    pub(crate) fn finish_task(&self, outcome: Result<Status>) {
        let status = outcome.unwrap_or_else(|error| {
            let status = Status {
                error: error.code(),
                ..error.status().copied().unwrap_or(Status::EMPTY)
            };
            if let Kind::Task(task) = &self.kind {
                task.fault.get_or_init(|| Box::new(error));
            }
            status
        });
        self.end_work();
        self.finish(&status);
    }

    /// The error with which a task has failed.
    fn task_fault(&self) -> Option<&Error> {
        match &self.kind {
            Kind::Task(task) => task.fault.get().map(|fault| &**fault),
            _ => None,
        }
    }

    /// The persistent operation, if this is one.
    fn persistent(&self) -> Option<&Persistent> {
        match &self.kind {
            Kind::Persistent(persistent) => Some(persistent),
            _ => None,
        }
    }

    /// Whether the request outlives its completion and can be started again.
    #[must_use]
    pub fn is_persistent(&self) -> bool {
        self.persistent().is_some()
    }

    /// Whether an operation is under way or done and not yet waited for; `false` for a persistent request at rest.
    #[inline]
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.persistent().is_none_or(Persistent::is_active)
    }

    /// Whether waiting would return at once.
    #[inline]
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.status_cell.is_done() || !self.is_active()
    }

    /// Whether this is a send or a receive that runs once and has ended without an error, so that its status is all
    /// that is left of it.
    #[inline]
    #[must_use]
    pub fn has_succeeded(&self) -> bool {
        matches!(self.kind, Kind::Send | Kind::Receive) && self.status_cell.has_succeeded()
    }

    /// The status of a request that has [succeeded](Request::has_succeeded).
    #[inline]
    #[must_use]
    pub fn outcome(&self) -> Status {
        self.status_cell.status()
    }

    /// Whether the request can be used for another operation once it is done.
    fn is_reusable(&self) -> bool {
        !matches!(self.kind, Kind::Persistent(_) | Kind::Generalised(_))
    }

    /// The outcome if there is one; the request stays as it is (`MPI_Request_get_status`). Yields if there is none.
    #[must_use]
    pub fn peek(&self) -> Option<Status> {
        if !self.is_done() {
            yield_now();
        }
        self.glance()
    }

    /// The outcome if there is one; the request stays as it is.
    fn glance(&self) -> Option<Status> {
        if !self.is_active() {
            return Some(Status::EMPTY);
        }
        self.status_cell.is_done().then(|| match &self.kind {
            Kind::Generalised(generalised) => generalised.query(),
            _ => self.status_cell.status(),
        })
    }

    /// Blocks until the operation is complete. The status tells whether it failed ([`Status::into_result`]).
    #[inline]
    pub fn wait(&self) -> Status {
        if !self.is_active() {
            return Status::EMPTY;
        }
        if !self.status_cell.is_done() {
            self.wait_long();
        }
        self.consume()
    }

    /// As [`Request::wait`] for an operation that only the library knows, by a caller that has looked for long already.
    pub(crate) fn wait_asleep(&self) {
        let _purpose = self.purpose().map(PurposeGuard::begin);
        instrument::blocking(Reason::Request, || self.status_cell.completion().wait_asleep());
        self.consume();
    }

    fn wait_long(&self) {
        if !self.complete_by_helping() && !self.complete_by_working() {
            let _purpose = self.purpose().map(PurposeGuard::begin);
            self.await_program(|| {
                instrument::blocking(Reason::Request, || self.status_cell.completion().wait())
            });
        }
    }

    /// The outcome if the operation is complete; otherwise has `waker` woken when it is. It is called by whoever
    /// completes the operation, in the middle of a call: it must not block.
    pub fn poll(&self, waker: &Waker) -> Option<Status> {
        if !self.is_active() {
            return Some(Status::EMPTY);
        }
        let is_done = self.complete_by_helping() || self.status_cell.completion().poll(waker);
        is_done.then(|| self.consume())
    }

    /// The outcome if the operation is complete; otherwise lets others run.
    #[inline]
    pub fn test(&self) -> Option<Status> {
        let status = self.take_outcome();
        if status.is_none() {
            yield_now();
            return self.take_outcome();
        }
        status
    }

    /// The outcome if there is one; a persistent request is at rest then.
    #[inline]
    fn take_outcome(&self) -> Option<Status> {
        if !self.is_active() {
            return Some(Status::EMPTY);
        }
        self.status_cell.is_done().then(|| self.consume())
    }

    /// The outcome of an operation that is complete; a persistent request is at rest then, a generalised one freed.
    #[inline]
    fn consume(&self) -> Status {
        match &self.kind {
            Kind::Persistent(persistent) => persistent.rest(),
            Kind::Generalised(generalised) => return generalised.consume(),
            Kind::Send | Kind::Receive | Kind::Exchange(_) | Kind::Collective(_) | Kind::Task(_) => {}
        }
        self.status_cell.status()
    }

    /// Which way the message of an operation goes that is about to be cancelled; none for a generalised request, whose
    /// program has been asked to cancel it.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Request`] for a persistent request at rest, and for an operation that cannot be cancelled; the
    /// error of the program's cancel function.
    pub(crate) fn begin_cancel(&self) -> Result<Option<Direction>> {
        if !self.is_active() {
            return Err(Error::new(
                ErrorClass::Request,
                "only an active request can be cancelled; start it first",
            ));
        }
        let direction = match &self.kind {
            Kind::Generalised(generalised) => {
                generalised.cancel(self.status_cell.is_done())?;
                return Ok(None);
            }
            Kind::Send => Some(Direction::Send),
            Kind::Receive => Some(Direction::Receive),
            Kind::Exchange(_) | Kind::Collective(_) | Kind::Task(_) => None,
            Kind::Persistent(persistent) => persistent.operation().direction(),
        };
        direction.map(Some).ok_or_else(cannot_be_cancelled)
    }

    /// The process in whose table the operation waits, and its place there.
    pub(crate) fn queued(&self) -> (u32, Place) {
        self.queued.get()
    }

    /// Notes where the operation waits.
    #[inline]
    pub(crate) fn queued_at(&self, process: u32, place: Place) {
        self.queued.set(process, place);
    }

    /// Completes an operation that only its own rank knows.
    #[inline]
    pub(crate) fn settle(&self, status: &Status) {
        self.status_cell.settle(status);
    }

    /// Completes the operation.
    #[inline]
    pub(crate) fn finish(&self, status: &Status) {
        self.status_cell.finish(status);
    }

    /// Starts a persistent operation.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Request`] if the request is not persistent or is active already; otherwise what the operation
    /// reports.
    pub fn start(self: &Arc<Self>) -> Result<()> {
        let Some(persistent) = self.persistent() else {
            return Err(Error::new(
                ErrorClass::Request,
                "only a persistent request can be started",
            ));
        };
        persistent.activate()?;
        self.queued.forget();
        self.status_cell.reset();
        let started = persistent.operation().start(self);
        if started.is_err() {
            persistent.rest();
        }
        started
    }
}

#[cold]
fn cannot_be_cancelled() -> Error {
    Error::new(
        ErrorClass::Request,
        "only a send, a receive or a generalised request can be cancelled; wait for this one",
    )
}
