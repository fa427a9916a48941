//! Multiple completions: waiting for several requests.
//!
//! The calls take the requests as an iterator that can be walked again, with `None` for null requests, so that the
//! caller needs no array of its own. They report the outcome of each request to a closure, by its position. Null and
//! inactive requests count as complete for the calls that wait for all, and as absent for the others.

use super::Request;
use crate::error::Status;
use crate::instrument::{self, Reason};
use simurgh_core::{Completion, PurposeGuard, make_progress, yield_now};
use std::iter::Map;

/// The result of a call that looks for any complete request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// No request is active: there is nothing to wait for (`MPI_UNDEFINED`).
    Inactive,
    /// None of the active requests is complete.
    Pending,
    /// The request at this position is complete.
    Complete(usize, Status),
}

/// A request as the calls on several see it.
#[derive(Clone, Copy, Debug)]
pub enum RequestRef<'a> {
    /// An operation that may be under way.
    Object(&'a Request),
    /// One that is complete with this status, and of which nothing else is left.
    Complete(Status),
}

impl<'a> RequestRef<'a> {
    fn object(self) -> Option<&'a Request> {
        match self {
            Self::Object(request) => Some(request),
            Self::Complete(_) => None,
        }
    }

    fn is_active(self) -> bool {
        self.object().is_none_or(Request::is_active)
    }

    fn is_done(self) -> bool {
        self.object().is_none_or(Request::is_done)
    }

    fn wait(self) -> Status {
        match self {
            Self::Object(request) => request.wait(),
            Self::Complete(status) => status,
        }
    }

    /// The outcome that `look` finds, or that there is.
    fn look(self, look: impl Fn(&Request) -> Option<Status>) -> Option<Status> {
        match self {
            Self::Object(request) => look(request),
            Self::Complete(status) => Some(status),
        }
    }
}

impl<'a> From<&'a Request> for RequestRef<'a> {
    fn from(request: &'a Request) -> Self {
        Self::Object(request)
    }
}

/// Requests as these calls see them.
type Refs<'a, R, I> = Map<I, fn(Option<R>) -> Option<RequestRef<'a>>>;

fn refs<'a, R, I>(requests: I) -> Refs<'a, R, I>
where
    R: Into<RequestRef<'a>>,
    I: Iterator<Item = Option<R>>,
{
    requests.map(|request| request.map(Into::into))
}

/// Up to this many requests are waited for without allocating a list.
const LISTED: usize = 16;

/// Blocks until all requests are complete and reports each. Returns whether all succeeded.
pub fn wait_all<'a, R, I>(requests: I, mut report: impl FnMut(usize, Status)) -> bool
where
    R: Into<RequestRef<'a>>,
    I: Iterator<Item = Option<R>>,
{
    let requests = refs(requests);
    let mut fine = true;
    for (position, request) in requests.enumerate() {
        // One after the other: those that complete meanwhile cost no further suspension.
        let status = request.map_or(Status::EMPTY, RequestRef::wait);
        fine &= status.error.is_success();
        report(position, status);
    }
    fine
}

/// Reports all requests if all are complete; otherwise reports none, lets others run and returns `None`.
pub fn test_all<'a, R, I>(requests: I, report: impl FnMut(usize, Status)) -> Option<bool>
where
    R: Into<RequestRef<'a>>,
    I: Iterator<Item = Option<R>> + Clone,
{
    let requests = refs(requests);
    are_all_done(&requests).then(|| wait_all(requests, report))
}

/// Reports all requests if all are complete, leaving them as they are; otherwise reports none, lets others run and
/// returns `false`.
pub fn peek_all<'a, R, I>(requests: I, mut report: impl FnMut(usize, Status)) -> bool
where
    R: Into<RequestRef<'a>>,
    I: Iterator<Item = Option<R>> + Clone,
{
    let requests = refs(requests);
    if !are_all_done(&requests) {
        return false;
    }
    for (position, request) in requests.enumerate() {
        let outcome = request
            .and_then(|request| request.look(Request::glance))
            .unwrap_or(Status::EMPTY);
        report(position, outcome);
    }
    true
}

/// Whether all requests are complete. If they are not at first, lets others run and looks once more.
fn are_all_done<'a, I>(requests: &I) -> bool
where
    I: Iterator<Item = Option<RequestRef<'a>>> + Clone,
{
    let all_done = || requests.clone().flatten().all(RequestRef::is_done);
    if all_done() {
        return true;
    }
    yield_now();
    all_done()
}

/// Finds the first of the active requests of which `look` gives an outcome, without waiting.
fn poll_any<'a, I>(requests: I, look: impl Fn(&Request) -> Option<Status>) -> Outcome
where
    I: Iterator<Item = Option<RequestRef<'a>>>,
{
    let mut outcome = Outcome::Inactive;
    for (position, request) in requests.enumerate() {
        let Some(request) = request.filter(|request| request.is_active()) else {
            continue;
        };
        match request.look(&look) {
            Some(status) => return Outcome::Complete(position, status),
            None => outcome = Outcome::Pending,
        }
    }
    outcome
}

/// Blocks until one of the active requests is complete. Never [`Outcome::Pending`].
pub fn wait_any<'a, R, I>(requests: I) -> Outcome
where
    R: Into<RequestRef<'a>>,
    I: Iterator<Item = Option<R>> + Clone,
{
    let requests = refs(requests);
    loop {
        match poll_any(requests.clone(), Request::take_outcome) {
            Outcome::Pending => wait_for_one(requests.clone()),
            outcome => return outcome,
        }
    }
}

/// A complete one of the active requests, if there is one; otherwise lets others run.
pub fn test_any<'a, R, I>(requests: I) -> Outcome
where
    R: Into<RequestRef<'a>>,
    I: Iterator<Item = Option<R>> + Clone,
{
    let requests = refs(requests);
    look_twice(requests, Request::take_outcome)
}

/// As [`test_any`], but leaves the request as it is.
pub fn peek_any<'a, R, I>(requests: I) -> Outcome
where
    R: Into<RequestRef<'a>>,
    I: Iterator<Item = Option<R>> + Clone,
{
    let requests = refs(requests);
    look_twice(requests, Request::glance)
}

/// Looks for an outcome, lets others run if there is none, and looks once more.
fn look_twice<'a, I>(requests: I, look: impl Fn(&Request) -> Option<Status>) -> Outcome
where
    I: Iterator<Item = Option<RequestRef<'a>>> + Clone,
{
    match poll_any(requests.clone(), &look) {
        Outcome::Pending => {
            yield_now();
            poll_any(requests, look)
        }
        outcome => outcome,
    }
}

/// Suspends the caller until one of the requests, of which at least one is active, is complete.
fn wait_for_one<'a, I>(requests: I)
where
    I: Iterator<Item = Option<RequestRef<'a>>> + Clone,
{
    let objects = requests.flatten().filter_map(RequestRef::object);
    if objects.clone().any(Request::complete_by_helping) {
        return;
    }
    let active = objects.filter(|request| request.is_active());
    let _purpose = active.clone().find_map(Request::purpose).map(PurposeGuard::begin);
    match active.clone().find(|request| request.is_generalised()) {
        Some(request) => request.await_program(|| suspend_for_one(active)),
        None => suspend_for_one(active),
    }
}

/// Suspends the caller until one of these active requests is complete.
fn suspend_for_one<'a>(active: impl Iterator<Item = &'a Request>) {
    let mut pending = active.map(|request| request.status_cell.completion());
    let Some(first) = pending.next() else { return };
    let mut few = [first; LISTED];
    let mut count = 1;
    while count < LISTED {
        let Some(completion) = pending.next() else {
            instrument::blocking(Reason::Request, || simurgh_core::wait_any(&few[..count]));
            return;
        };
        few[count] = completion;
        count += 1;
    }
    let all: Vec<&Completion> = few.into_iter().chain(pending).collect();
    instrument::blocking(Reason::Request, || simurgh_core::wait_any(&all));
}

/// Reports the requests of which `look` gives an outcome now; `None` if no request is active, otherwise their number.
/// Before it leaves one out it delivers what has come, once.
fn poll_some<'a, I>(
    requests: I,
    look: impl Fn(&Request) -> Option<Status>,
    report: &mut impl FnMut(usize, Status),
) -> Option<usize>
where
    I: Iterator<Item = Option<RequestRef<'a>>>,
{
    let mut complete = None;
    let mut is_delivered = false;
    for (position, request) in requests.enumerate() {
        let Some(request) = request.filter(|request| request.is_active()) else {
            continue;
        };
        let complete = complete.get_or_insert(0);
        let outcome = request.look(&look).or_else(|| {
            (!std::mem::replace(&mut is_delivered, true)).then(make_progress)?;
            request.look(&look)
        });
        if let Some(status) = outcome {
            *complete += 1;
            report(position, status);
        }
    }
    complete
}

/// Blocks until at least one of the active requests is complete, and reports all that are. `None` if none is active.
pub fn wait_some<'a, R, I>(requests: I, mut report: impl FnMut(usize, Status)) -> Option<usize>
where
    R: Into<RequestRef<'a>>,
    I: Iterator<Item = Option<R>> + Clone,
{
    let requests = refs(requests);
    loop {
        match poll_some(requests.clone(), Request::take_outcome, &mut report) {
            Some(0) => wait_for_one(requests.clone()),
            complete => return complete,
        }
    }
}

/// Reports the requests that are complete; lets others run if there are none. `None` if none is active.
pub fn test_some<'a, R, I>(requests: I, mut report: impl FnMut(usize, Status)) -> Option<usize>
where
    R: Into<RequestRef<'a>>,
    I: Iterator<Item = Option<R>> + Clone,
{
    let requests = refs(requests);
    match poll_some(requests.clone(), Request::take_outcome, &mut report) {
        Some(0) => {
            yield_now();
            poll_some(requests, Request::take_outcome, &mut report)
        }
        complete => complete,
    }
}

/// Reports the requests that are complete, and leaves them as they are; lets others run if there are any that are not,
/// since a program that calls until all are complete finds some of them each time. `None` if none is active.
pub fn peek_some<'a, R, I>(requests: I, mut report: impl FnMut(usize, Status)) -> Option<usize>
where
    R: Into<RequestRef<'a>>,
    I: Iterator<Item = Option<R>> + Clone,
{
    let requests = refs(requests);
    if !requests.clone().flatten().all(RequestRef::is_done) {
        yield_now();
    }
    poll_some(requests, Request::glance, &mut report)
}
