//! Multiple completions: waiting for and testing several requests.
//!
//! All handles are checked before anything is waited for, so that a wrong one is reported at once. Then the engine
//! walks through the requests by an iterator that looks the handles up again. Nothing is allocated. `MPI_Waitall`
//! checks only those from the first on that has not succeeded: it voids the ones before in the walk that finds them
//! done.

use std::ffi::c_int;

use simurgh_mpi::{self as engine, ErrorClass, ErrorCode, Outcome as Found, RequestRef, Status};
use simurgh_mpi_abi_macros::mpi;

use super::completion::{failure, retire};
use crate::arguments::{ArrayMut, Out, StatusOut, StatusesOut, count_of};
use crate::constants::MPI_UNDEFINED;
use crate::error::{CallError, Outcome, RaisedOn};
use crate::handles::{Rank, RequestEntry, completed_receive_of_handle};
use crate::types::MPI_Request;

/// Fails unless all handles are those of requests.
pub(super) fn check(rank: Rank<'_>, handles: &[MPI_Request]) -> Outcome {
    handles.iter().try_for_each(|&handle| rank.check_request(handle))
}

/// The entry of a handle that has been checked.
fn entry<'a>(rank: Rank<'a>, handle: MPI_Request) -> Option<&'a RequestEntry> {
    rank.request(handle).ok().flatten()
}

/// Voids a checked handle whose request is complete, unless it is persistent.
fn retire_checked(rank: Rank<'_>, handle: &mut MPI_Request) {
    let entry = entry(rank, *handle);
    retire(rank, handle, entry);
}

/// The requests of checked handles, for the engine.
pub(super) fn requests<'a>(
    rank: Rank<'a>,
    handles: &[MPI_Request],
) -> impl Iterator<Item = Option<RequestRef<'a>>> + Clone {
    handles
        .iter()
        .map(move |&handle| match completed_receive_of_handle(handle) {
            Some(status) => Some(RequestRef::Complete(status)),
            None => entry(rank, handle).map(|entry| RequestRef::Object(&entry.request)),
        })
}

/// The report of a call on the operations that have ended.
struct Report {
    statuses: StatusesOut,
    /// The first operation that failed, and its error code.
    failed: Option<(usize, ErrorCode)>,
}

impl Report {
    fn new(statuses: StatusesOut) -> Self {
        Self {
            statuses,
            failed: None,
        }
    }

    /// Voids the handle of operation `index` if the operation has succeeded, and reports it.
    #[inline(always)]
    fn retire_succeeded(&mut self, rank: Rank<'_>, index: usize, handle: &mut MPI_Request) -> bool {
        let status = rank.retire_succeeded(handle);
        status
            .inspect(|status| self.statuses.set(index, status))
            .is_some()
    }

    /// Reports that operation `index` has ended. Its status goes to element `place` of the caller's array.
    fn ended(&mut self, index: usize, place: usize, status: &Status) {
        self.statuses.set(place, status);
        if !status.error.is_success() {
            self.failed.get_or_insert((index, status.error));
        }
    }

    /// The result of the call; `raised_on` finds the object of a request.
    fn outcome(self, raised_on: impl FnOnce(usize) -> Option<RaisedOn>) -> Outcome {
        let Some((first, code)) = self.failed else {
            return Ok(());
        };
        let reason = format!("request {first} failed with {code}; the MPI_ERROR fields tell of each");
        let fault = CallError::new(ErrorClass::InStatus, reason);
        Err(match raised_on(first) {
            Some(object) => fault.on(object),
            None => fault,
        })
    }
}

/// The object on which errors of a checked handle's request are raised.
fn raised_on(rank: Rank<'_>, handle: MPI_Request) -> Option<RaisedOn> {
    entry(rank, handle).map(|entry| entry.raised_on)
}

/// `MPI_Waitall`: waits for all operations.
#[mpi]
fn waitall(
    rank: Rank<'_>,
    count: c_int,
    mut array_of_requests: ArrayMut<MPI_Request>,
    array_of_statuses: StatusesOut,
) -> Outcome {
    let handles = array_of_requests.slice("array_of_requests", count_of("count", count)?)?;
    let mut report = Report::new(array_of_statuses);
    // This does what `engine::wait_all` does, but voids each handle while its entry is in the cache: there may be many.
    let (mut are_checked, mut failed) = (false, None);
    for index in 0..handles.len() {
        if report.retire_succeeded(rank, index, &mut handles[index]) {
            continue;
        }
        if !are_checked {
            check(rank, &handles[index..])?;
            are_checked = true;
        }
        let handle = &mut handles[index];
        let entry = entry(rank, *handle);
        let status = entry.map_or(Status::EMPTY, |entry| entry.request.wait());
        report.ended(index, index, &status);
        if !status.error.is_success() {
            failed = failed.or(entry.map(|entry| entry.raised_on));
        }
        retire(rank, handle, entry);
    }
    report.outcome(|_| failed)
}

/// `MPI_Testall`: whether all operations are complete.
#[mpi]
fn testall(
    rank: Rank<'_>,
    count: c_int,
    mut array_of_requests: ArrayMut<MPI_Request>,
    flag: Out<c_int>,
    array_of_statuses: StatusesOut,
) -> Outcome {
    let handles = array_of_requests.slice("array_of_requests", count_of("count", count)?)?;
    flag.check("flag")?;
    check(rank, handles)?;
    let mut report = Report::new(array_of_statuses);
    let done = engine::test_all(requests(rank, handles), |index, status| {
        report.ended(index, index, &status)
    });
    flag.set("flag", c_int::from(done.is_some()))?;
    if done.is_none() {
        return Ok(());
    }
    let outcome = report.outcome(|first| raised_on(rank, handles[first]));
    handles.iter_mut().for_each(|handle| retire_checked(rank, handle));
    outcome
}

/// Stores what a call for any of several operations has found; `name` is that of the parameter `index`.
pub(super) fn store_found(found: &Found, name: &str, index: Out<c_int>, status: StatusOut) -> Outcome {
    match found {
        Found::Pending => index.set(name, MPI_UNDEFINED),
        Found::Inactive => {
            status.set(&Status::EMPTY);
            index.set(name, MPI_UNDEFINED)
        }
        Found::Complete(position, found) => {
            status.set(found);
            index.set(name, *position as c_int)
        }
    }
}

/// Stores what `MPI_Waitany` or `MPI_Testany` has found, and retires the request that is complete.
fn store_any(
    rank: Rank<'_>,
    found: Found,
    handles: &mut [MPI_Request],
    indx: Out<c_int>,
    status: StatusOut,
) -> Outcome {
    store_found(&found, "indx", indx, status)?;
    let Found::Complete(index, found) = found else {
        return Ok(());
    };
    let outcome = failure(found, entry(rank, handles[index]));
    retire_checked(rank, &mut handles[index]);
    outcome
}

/// `MPI_Waitany`: waits for one of several operations.
#[mpi]
fn waitany(
    rank: Rank<'_>,
    count: c_int,
    mut array_of_requests: ArrayMut<MPI_Request>,
    indx: Out<c_int>,
    status: StatusOut,
) -> Outcome {
    let handles = array_of_requests.slice("array_of_requests", count_of("count", count)?)?;
    indx.check("indx")?;
    check(rank, handles)?;
    let found = engine::wait_any(requests(rank, handles));
    store_any(rank, found, handles, indx, status)
}

/// `MPI_Testany`: whether one of several operations is complete.
#[mpi]
fn testany(
    rank: Rank<'_>,
    count: c_int,
    mut array_of_requests: ArrayMut<MPI_Request>,
    indx: Out<c_int>,
    flag: Out<c_int>,
    status: StatusOut,
) -> Outcome {
    let handles = array_of_requests.slice("array_of_requests", count_of("count", count)?)?;
    indx.check("indx")?;
    flag.check("flag")?;
    check(rank, handles)?;
    let found = engine::test_any(requests(rank, handles));
    flag.set("flag", c_int::from(found != Found::Pending))?;
    store_any(rank, found, handles, indx, status)
}

/// The operations that a call for some has found complete. Their numbers go to the caller's array of indices.
struct Completed<'a> {
    indices: &'a mut [c_int],
    report: Report,
    count: usize,
}

impl Completed<'_> {
    fn ended(&mut self, index: usize, status: &Status) {
        self.report.ended(index, self.count, status);
        self.indices[self.count] = index as c_int;
        self.count += 1;
    }

    /// The result of the call; `active` says whether there was any operation to wait for.
    fn outcome(
        self,
        rank: Rank<'_>,
        active: bool,
        handles: &mut [MPI_Request],
        outcount: Out<c_int>,
    ) -> Outcome {
        if !active {
            return outcount.set("outcount", MPI_UNDEFINED);
        }
        outcount.set("outcount", self.count as c_int)?;
        let ended = &self.indices[..self.count];
        let outcome = self.report.outcome(|first| raised_on(rank, handles[first]));
        ended
            .iter()
            .for_each(|&index| retire_checked(rank, &mut handles[index as usize]));
        outcome
    }
}

/// `MPI_Waitsome`: waits until some operations are complete.
#[mpi]
fn waitsome(
    rank: Rank<'_>,
    incount: c_int,
    mut array_of_requests: ArrayMut<MPI_Request>,
    outcount: Out<c_int>,
    mut array_of_indices: ArrayMut<c_int>,
    array_of_statuses: StatusesOut,
) -> Outcome {
    let handles = array_of_requests.slice("array_of_requests", count_of("incount", incount)?)?;
    outcount.check("outcount")?;
    check(rank, handles)?;
    let indices = array_of_indices.slice("array_of_indices", handles.len())?;
    let mut some = Completed {
        indices,
        report: Report::new(array_of_statuses),
        count: 0,
    };
    let active = engine::wait_some(requests(rank, handles), |index, status| {
        some.ended(index, &status)
    });
    some.outcome(rank, active.is_some(), handles, outcount)
}

/// `MPI_Testsome`: which operations are complete.
#[mpi]
fn testsome(
    rank: Rank<'_>,
    incount: c_int,
    mut array_of_requests: ArrayMut<MPI_Request>,
    outcount: Out<c_int>,
    mut array_of_indices: ArrayMut<c_int>,
    array_of_statuses: StatusesOut,
) -> Outcome {
    let handles = array_of_requests.slice("array_of_requests", count_of("incount", incount)?)?;
    outcount.check("outcount")?;
    check(rank, handles)?;
    let indices = array_of_indices.slice("array_of_indices", handles.len())?;
    let mut some = Completed {
        indices,
        report: Report::new(array_of_statuses),
        count: 0,
    };
    let active = engine::test_some(requests(rank, handles), |index, status| {
        some.ended(index, &status)
    });
    some.outcome(rank, active.is_some(), handles, outcount)
}
