//! Multiple completions: waiting for several requests.
//!
//! The calls take the requests as an iterator that can be walked again, with `None` for null requests, so that the
//! caller needs no array of its own. They report the outcome of each request to a closure, by its position. Null and
//! inactive requests count as complete for the calls that wait for all, and as absent for the others.

use super::Request;
use crate::error::Status;
use crate::instrument::{self, Reason};
use simurgh_core::{Completion, PurposeGuard, make_progress, yield_now};

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

/// Up to this many requests are waited for without allocating a list.
const LISTED: usize = 16;

/// Blocks until all requests are complete and reports each. Returns whether all succeeded.
pub fn wait_all<'a, I>(requests: I, mut report: impl FnMut(usize, Status)) -> bool
where
    I: Iterator<Item = Option<&'a Request>>,
{
    let mut fine = true;
    for (position, request) in requests.enumerate() {
        // One after the other: those that complete meanwhile cost no further suspension.
        let status = request.map_or(Status::EMPTY, Request::wait);
        fine &= status.error.is_success();
        report(position, status);
    }
    fine
}

/// Reports all requests if all are complete; otherwise reports none, lets others run and returns `None`.
pub fn test_all<'a, I>(requests: I, report: impl FnMut(usize, Status)) -> Option<bool>
where
    I: Iterator<Item = Option<&'a Request>> + Clone,
{
    are_all_done(&requests).then(|| wait_all(requests, report))
}

/// Reports all requests if all are complete, leaving them as they are; otherwise reports none, lets others run and
/// returns `false`.
pub fn peek_all<'a, I>(requests: I, mut report: impl FnMut(usize, Status)) -> bool
where
    I: Iterator<Item = Option<&'a Request>> + Clone,
{
    if !are_all_done(&requests) {
        return false;
    }
    for (position, request) in requests.enumerate() {
        let outcome = request.and_then(Request::glance).unwrap_or(Status::EMPTY);
        report(position, outcome);
    }
    true
}

/// Whether all requests are complete. If they are not at first, lets others run and looks once more.
fn are_all_done<'a, I>(requests: &I) -> bool
where
    I: Iterator<Item = Option<&'a Request>> + Clone,
{
    let all_done = || requests.clone().flatten().all(Request::is_done);
    if all_done() {
        return true;
    }
    yield_now();
    all_done()
}

/// Finds the first of the active requests of which `look` gives an outcome, without waiting.
fn poll_any<'a, I>(requests: I, look: impl Fn(&Request) -> Option<Status>) -> Outcome
where
    I: Iterator<Item = Option<&'a Request>>,
{
    let mut outcome = Outcome::Inactive;
    for (position, request) in requests.enumerate() {
        let Some(request) = request.filter(|request| request.is_active()) else {
            continue;
        };
        match look(request) {
            Some(status) => return Outcome::Complete(position, status),
            None => outcome = Outcome::Pending,
        }
    }
    outcome
}

/// Blocks until one of the active requests is complete. Never [`Outcome::Pending`].
pub fn wait_any<'a, I>(requests: I) -> Outcome
where
    I: Iterator<Item = Option<&'a Request>> + Clone,
{
    loop {
        match poll_any(requests.clone(), Request::take_outcome) {
            Outcome::Pending => wait_for_one(requests.clone()),
            outcome => return outcome,
        }
    }
}

/// A complete one of the active requests, if there is one; otherwise lets others run.
pub fn test_any<'a, I>(requests: I) -> Outcome
where
    I: Iterator<Item = Option<&'a Request>> + Clone,
{
    look_twice(requests, Request::take_outcome)
}

/// As [`test_any`], but leaves the request as it is.
pub fn peek_any<'a, I>(requests: I) -> Outcome
where
    I: Iterator<Item = Option<&'a Request>> + Clone,
{
    look_twice(requests, Request::glance)
}

/// Looks for an outcome, lets others run if there is none, and looks once more.
fn look_twice<'a, I>(requests: I, look: impl Fn(&Request) -> Option<Status>) -> Outcome
where
    I: Iterator<Item = Option<&'a Request>> + Clone,
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
    I: Iterator<Item = Option<&'a Request>> + Clone,
{
    if requests.clone().flatten().any(Request::complete_by_helping) {
        return;
    }
    let active = requests.flatten().filter(|request| request.is_active());
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
    I: Iterator<Item = Option<&'a Request>>,
{
    let mut complete = None;
    let mut is_delivered = false;
    for (position, request) in requests.enumerate() {
        let Some(request) = request.filter(|request| request.is_active()) else {
            continue;
        };
        let complete = complete.get_or_insert(0);
        let outcome = look(request).or_else(|| {
            (!std::mem::replace(&mut is_delivered, true)).then(make_progress)?;
            look(request)
        });
        if let Some(status) = outcome {
            *complete += 1;
            report(position, status);
        }
    }
    complete
}

/// Blocks until at least one of the active requests is complete, and reports all that are. `None` if none is active.
pub fn wait_some<'a, I>(requests: I, mut report: impl FnMut(usize, Status)) -> Option<usize>
where
    I: Iterator<Item = Option<&'a Request>> + Clone,
{
    loop {
        match poll_some(requests.clone(), Request::take_outcome, &mut report) {
            Some(0) => wait_for_one(requests.clone()),
            complete => return complete,
        }
    }
}

/// Reports the requests that are complete; lets others run if there are none. `None` if none is active.
pub fn test_some<'a, I>(requests: I, mut report: impl FnMut(usize, Status)) -> Option<usize>
where
    I: Iterator<Item = Option<&'a Request>> + Clone,
{
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
pub fn peek_some<'a, I>(requests: I, mut report: impl FnMut(usize, Status)) -> Option<usize>
where
    I: Iterator<Item = Option<&'a Request>> + Clone,
{
    if !requests.clone().flatten().all(Request::is_done) {
        yield_now();
    }
    poll_some(requests, Request::glance, &mut report)
}
