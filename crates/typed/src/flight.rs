//! Operations in flight on borrowed memory.
//!
//! The lifetimes are those of `std::thread::scope`. `'scope` is the time in which operations may be under way. It
//! begins after everything of `'env` exists, and ends inside [`in_flight`], which returns only when every operation is
//! complete. No handle outlives it, so a handle may be dropped or leaked at any time.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::task::{Context, Poll};

use simurgh_core::sync::Arc;
use simurgh_datatype::memory::{Source, Target};

use super::operations::{Key, Kind, Operations};
use super::operator::rethrow;
use super::prepared::Lent;
use super::{Equivalence, Mode, Prepared, View, ViewMut, target};
use simurgh_mpi::Comm;
use simurgh_mpi::Result;
use simurgh_mpi::Status;
use simurgh_mpi::{Outcome, Request};

/// The operations of a scope.
#[derive(Debug)]
pub struct Flights<'scope, 'env: 'scope> {
    comm: &'env Comm,
    operations: Operations,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// Runs `f`, which may start operations, and returns when all of them are complete.
///
/// # Errors
///
/// The error of `f`, or else that of the first operation that failed and was not waited for. After an error or a panic,
/// messages that have not been matched are cancelled, and collectives are waited for all the same.
pub fn in_flight<'env, R>(
    comm: &'env Comm,
    f: impl for<'scope> FnOnce(&'scope Flights<'scope, 'env>) -> Result<R>,
) -> Result<R> {
    let flights = Flights {
        comm,
        operations: Operations::new(comm.process()),
        scope: PhantomData,
        env: PhantomData,
    };
    let result = catch_unwind(AssertUnwindSafe(|| f(&flights)));
    if !matches!(result, Ok(Ok(_))) {
        flights.operations.recall();
    }
    let landed = flights.operations.land();
    match result {
        Ok(Ok(value)) => landed.map(|()| value),
        Ok(Err(error)) => Err(error),
        Err(panic) => resume_unwind(panic),
    }
}

impl<'scope> Flights<'scope, '_> {
    /// Starts a send ([`Comm::isend`]).
    ///
    /// # Errors
    ///
    /// As the call of the communicator.
    pub fn send<V: View + ?Sized>(
        &'scope self,
        values: &'scope V,
        dest: i32,
        tag: i32,
        mode: Mode,
    ) -> Result<Flight<'scope>> {
        // SAFETY:
        // - the values are borrowed for `'scope`, within which the operation is completed.
        let values = unsafe { values.source() };
        let started = self.comm.isend(mode, &values, dest, tag)?;
        Ok(self.track(started.into_request(self.comm.process()), Kind::Message))
    }

    /// Starts a buffered send on a communicator of the same process ([`Comm::isend`]).
    ///
    /// # Errors
    ///
    /// As the call of the communicator.
    pub fn send_buffered<V: View + ?Sized>(
        &'scope self,
        comm: &Comm,
        values: &'scope V,
        dest: i32,
        tag: i32,
    ) -> Result<Flight<'scope>> {
        // SAFETY:
        // - as in `send`.
        let values = unsafe { values.source() };
        let started = comm.isend(Mode::Buffered, &values, dest, tag)?;
        Ok(self.track(started.into_request(comm.process()), Kind::Message))
    }

    /// Starts a receive ([`Comm::irecv`]).
    ///
    /// # Errors
    ///
    /// As the call of the communicator.
    pub fn receive<T: Equivalence>(
        &'scope self,
        values: &'scope mut [T],
        from: i32,
        tag: i32,
    ) -> Result<FlightIn<'scope, T>> {
        let data: *mut [T] = values;
        // SAFETY:
        // - the slice is borrowed for `'scope`, within which the operation is completed; until then only
        //   `FlightIn` knows of it, which gives it back after completion.
        let values = unsafe { target(&mut *data) };
        let flight = self.track(self.comm.irecv(&values, from, tag)?, Kind::Message);
        Ok(FlightIn {
            flight,
            data,
            borrow: PhantomData,
        })
    }

    /// Starts a receive into values of any layout, which stay borrowed until the scope ends ([`Comm::irecv`]).
    ///
    /// # Errors
    ///
    /// As the call of the communicator.
    pub fn receive_view<V: ViewMut + ?Sized>(
        &'scope self,
        values: &'scope mut V,
        from: i32,
        tag: i32,
    ) -> Result<Flight<'scope>> {
        // SAFETY:
        // - as in `receive`; nobody gets the values back before `'scope` ends.
        let values = unsafe { values.target() };
        Ok(self.track(self.comm.irecv(&values, from, tag)?, Kind::Message))
    }

    /// Starts a collective.
    ///
    /// # Errors
    ///
    /// As the collective.
    pub fn start<T: Equivalence>(&'scope self, prepared: Prepared<'scope, T>) -> Result<FlightIn<'scope, T>> {
        let (request, Lent { received, panicked }) = prepared.start()?;
        Ok(FlightIn {
            flight: self.track(request, Kind::Collective(panicked)),
            data: received,
            borrow: PhantomData,
        })
    }

    /// Starts an operation that writes to the values, and cannot be cancelled.
    pub(super) fn fill<T: Equivalence>(
        &'scope self,
        values: &'scope mut [T],
        start: impl FnOnce(&Target) -> Result<Arc<Request>>,
    ) -> Result<FlightIn<'scope, T>> {
        let data: *mut [T] = values;
        // SAFETY:
        // - as in `receive`.
        let request = start(&unsafe { target(&mut *data) })?;
        Ok(FlightIn {
            flight: self.track(request, Kind::Collective(None)),
            data,
            borrow: PhantomData,
        })
    }

    /// Starts an operation that reads the values, and cannot be cancelled.
    pub(super) fn drain<V: View + ?Sized>(
        &'scope self,
        values: &'scope V,
        start: impl FnOnce(&Source) -> Result<Arc<Request>>,
    ) -> Result<Flight<'scope>> {
        // SAFETY:
        // - as in `send`.
        let request = start(&unsafe { values.source() })?;
        Ok(self.track(request, Kind::Collective(None)))
    }

    fn track(&'scope self, request: Arc<Request>, kind: Kind) -> Flight<'scope> {
        Flight {
            operations: &self.operations,
            key: Some(self.operations.insert(request, kind)),
        }
    }

    /// Waits for everything that is under way.
    ///
    /// # Errors
    ///
    /// The error of the first operation that failed.
    pub fn wait_all(&self) -> Result<()> {
        self.operations.land()
    }
}

/// Waits until one of the operations is complete, and gives its position; `None` if there are no operations.
pub fn wait_any<'a, 'scope: 'a>(flights: impl Iterator<Item = &'a Flight<'scope>>) -> Option<usize> {
    match requests_of(flights) {
        Ok(requests) => position(simurgh_mpi::wait_any(
            requests.iter().map(|request| Some(&**request)),
        )),
        Err(ended) => Some(ended),
    }
}

/// The position of an operation that is complete, if there is one. If there is none, other ranks get a chance to run.
pub fn test_any<'a, 'scope: 'a>(flights: impl Iterator<Item = &'a Flight<'scope>>) -> Option<usize> {
    match requests_of(flights) {
        Ok(requests) => position(simurgh_mpi::peek_any(
            requests.iter().map(|request| Some(&**request)),
        )),
        Err(ended) => Some(ended),
    }
}

/// The requests of operations that may be under way; otherwise the position of one that has been waited for.
fn requests_of<'a, 'scope: 'a>(
    flights: impl Iterator<Item = &'a Flight<'scope>>,
) -> std::result::Result<Vec<Arc<Request>>, usize> {
    let requests = flights.map(|flight| flight.operations.request(flight.key()));
    requests
        .enumerate()
        .map(|(position, request)| request.ok_or(position))
        .collect()
}

fn position(outcome: Outcome) -> Option<usize> {
    match outcome {
        Outcome::Complete(position, _) => Some(position),
        Outcome::Inactive | Outcome::Pending => None,
    }
}

/// An operation in flight.
#[derive(Debug)]
pub struct Flight<'scope> {
    operations: &'scope Operations,
    /// None when a future has given the outcome.
    key: Option<Key>,
}

impl Flight<'_> {
    /// Waits until the operation is complete.
    ///
    /// # Errors
    ///
    /// The error of the operation.
    ///
    /// # Panics
    ///
    /// If a function of the user has panicked at this rank.
    pub fn wait(self) -> Result<Status> {
        self.finish()
    }

    fn finish(&self) -> Result<Status> {
        let Some(ended) = self.operations.finish(self.key()) else {
            return Ok(Status::EMPTY);
        };
        rethrow(ended.panicked().as_ref());
        ended.result
    }

    /// The outcome of the operation if it is complete; otherwise its waker is woken when it is.
    ///
    /// # Panics
    ///
    /// As [`wait`](Self::wait); if the outcome has been given before, as all other methods then.
    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<Status>> {
        if !self.operations.poll(self.key(), context.waker()) {
            return Poll::Pending;
        }
        let result = self.finish();
        self.key = None;
        Poll::Ready(result)
    }

    fn key(&self) -> Key {
        self.key.expect("the operation has been awaited already")
    }

    /// Whether the operation is complete. If it is not, other ranks get a chance to run.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.operations.is_done(self.key())
    }

    /// Whether the operation is complete; other ranks get no chance to run.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        let request = self.operations.request(self.key());
        request.is_none_or(|request| request.is_done())
    }

    /// Cancels the operation unless it has been matched. Returns whether it was cancelled.
    ///
    /// # Errors
    ///
    /// The error of the operation, if it was matched and failed.
    pub fn cancel(self) -> Result<bool> {
        self.operations.cancel(self.key())?;
        self.wait().map(|status| status.cancelled)
    }
}

/// A receive, or a collective, in flight.
#[derive(Debug)]
pub struct FlightIn<'scope, T> {
    flight: Flight<'scope>,
    data: *mut [T],
    borrow: PhantomData<&'scope mut [T]>,
}

impl<'scope, T: Equivalence> FlightIn<'scope, T> {
    /// Waits until the data is there, and gives the memory back with it.
    ///
    /// # Errors
    ///
    /// The error of the operation.
    ///
    /// # Panics
    ///
    /// As [`Flight::wait`].
    pub fn wait(self) -> Result<(&'scope mut [T], Status)> {
        let status = self.flight.wait()?;
        // SAFETY:
        // - the operation is complete, and `self`, which is used up, was the only one to know of the slice
        //   that was borrowed for `'scope`.
        Ok((unsafe { &mut *self.data }, status))
    }

    /// The memory with its data if the operation is complete, as [`Flight::poll`].
    ///
    /// # Panics
    ///
    /// As [`Flight::poll`].
    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<(&'scope mut [T], Status)>> {
        self.flight.poll(context).map(|ended| {
            let status = ended?;
            // SAFETY:
            // - as in `wait`: the flight gives its outcome once, and refuses to be waited for afterwards.
            Ok((unsafe { &mut *self.data }, status))
        })
    }

    /// The operation alone. Its memory stays borrowed until the scope ends.
    #[must_use]
    pub fn into_flight(self) -> Flight<'scope> {
        self.flight
    }

    /// Cancels the operation unless it has been matched, as [`Flight::cancel`].
    ///
    /// # Errors
    ///
    /// The error of the operation, if it was matched and failed.
    pub fn cancel(self) -> Result<bool> {
        self.flight.cancel()
    }
}

impl AsRef<Self> for Flight<'_> {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl<'scope, T> AsRef<Flight<'scope>> for FlightIn<'scope, T> {
    fn as_ref(&self) -> &Flight<'scope> {
        &self.flight
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alone::alone;
    use crate::broadcast;

    #[test]
    fn memory_is_given_back_with_what_has_come() {
        let values = alone(|comm| {
            let (mine, mut theirs, mut own) = ([1_u32, 2, 3], [0; 3], [7; 2]);
            in_flight(comm, |flights| {
                let receive = flights.receive(&mut theirs, 0, 0)?;
                let send = flights.send(&mine, 0, 0, Mode::Synchronous)?;
                let (values, status) = receive.wait()?;
                values[0] += mine[1];
                assert_eq!(status.bytes, 12);
                send.wait()?;
                let (own, _) = flights.start(broadcast(comm, &mut own[..], 0)?)?.wait()?;
                own[0] = 8;
                Ok(())
            })?;
            Ok((theirs, own))
        });
        assert_eq!(values, Ok(([3, 2, 3], [8, 7])));
    }

    #[test]
    fn operations_whose_handles_are_gone_end_with_the_scope() {
        let values = alone(|comm| {
            let (mine, mut first, mut second) = (vec![5_u8; 1000], vec![0; 1000], [1_u8]);
            in_flight(comm, |flights| {
                let _receive = flights.receive(&mut first, 0, 1)?;
                let _send = flights.send(&mine, 0, 1, Mode::Standard)?;
                Ok(())
            })?;
            // Nobody sends what this one waits for. An error of the scope cancels it.
            let ended = in_flight(comm, |flights| {
                let _receive = flights.receive(&mut second, 0, 2)?;
                flights.send(&mine, 7, 1, Mode::Standard).map(drop)
            });
            second[0] += 1;
            Ok((first == mine, ended.is_err(), second[0]))
        });
        assert_eq!(values, Ok((true, true, 2)));
    }
}
