//! Operations in flight on borrowed memory.
//!
//! The lifetimes are those of `std::thread::scope`: `'scope` is the time in which operations may be under
//! way; it begins after everything of `'env` exists and ends inside [`in_flight`], which no handle survives
//! and which returns only when every operation is complete. So a handle may be dropped or leaked at any time.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use simurgh_core::sync::Arc;

use super::{Equivalence, Mode, source, target};
use crate::comm::Comm;
use crate::error::Result;
use crate::process::Process;
use crate::request::{Outcome, Request, wait_any};
use crate::status::Status;

/// The operations of a scope.
#[derive(Debug)]
pub struct Flights<'scope, 'env: 'scope> {
    comm: &'env Comm,
    board: Board,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// What is under way.
#[derive(Debug)]
struct Board {
    process: Arc<Process>,
    requests: RefCell<Requests>,
}

/// Requests by number; numbers that are free are used again.
#[derive(Debug, Default)]
struct Requests {
    slots: Vec<Option<Arc<Request>>>,
    free: Vec<usize>,
}

impl Requests {
    fn insert(&mut self, request: Arc<Request>) -> usize {
        if let Some(number) = self.free.pop() {
            self.slots[number] = Some(request);
            return number;
        }
        self.slots.push(Some(request));
        self.slots.len() - 1
    }

    fn take(&mut self, number: usize) -> Option<Arc<Request>> {
        let request = self.slots[number].take();
        if request.is_some() {
            self.free.push(number);
        }
        request
    }
}

/// Runs `f`, which may start operations, and returns when all of them are complete.
///
/// # Errors
///
/// The error of `f`, or else that of the first operation that failed and was not waited for. After an error
/// or a panic, operations that nobody has matched are cancelled.
pub fn in_flight<'env, R>(
    comm: &'env Comm,
    f: impl for<'scope> FnOnce(&'scope Flights<'scope, 'env>) -> Result<R>,
) -> Result<R> {
    let board = Board {
        process: Arc::clone(comm.process()),
        requests: RefCell::default(),
    };
    let flights = Flights {
        comm,
        board,
        scope: PhantomData,
        env: PhantomData,
    };
    let result = catch_unwind(AssertUnwindSafe(|| f(&flights)));
    if !matches!(result, Ok(Ok(_))) {
        flights.board.recall();
    }
    let landed = flights.board.land();
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
    pub fn send<T: Equivalence>(
        &'scope self,
        values: &'scope [T],
        dest: i32,
        tag: i32,
        mode: Mode,
    ) -> Result<Flight<'scope>> {
        // SAFETY:
        // - the slice is borrowed for `'scope`, within which the operation is completed.
        let values = unsafe { source(values) };
        let started = self.comm.isend(mode, &values, dest, tag)?;
        Ok(self.track(started.into_request(self.comm.process())))
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
        let flight = self.track(self.comm.irecv(&values, from, tag)?);
        Ok(FlightIn {
            flight,
            data,
            borrow: PhantomData,
        })
    }

    fn track(&'scope self, request: Arc<Request>) -> Flight<'scope> {
        let number = self.board.requests.borrow_mut().insert(request);
        Flight {
            board: &self.board,
            number,
        }
    }

    /// Waits until one of the operations is complete and gives its position; `None` if there are none.
    pub fn wait_any<'a>(&self, flights: impl Iterator<Item = &'a Flight<'scope>> + Clone) -> Option<usize>
    where
        'scope: 'a,
    {
        let requests = self.board.requests.borrow();
        match wait_any(flights.map(|flight| requests.slots[flight.number].as_deref())) {
            Outcome::Complete(position, _) => Some(position),
            Outcome::Inactive | Outcome::Pending => None,
        }
    }

    /// Waits for everything that is under way.
    ///
    /// # Errors
    ///
    /// That of the first operation that failed.
    pub fn wait_all(&self) -> Result<()> {
        self.board.land()
    }
}

impl Board {
    /// Waits for everything that is under way; the error is that of the first operation that failed.
    fn land(&self) -> Result<()> {
        let mut result = Ok(());
        let count = self.requests.borrow().slots.len();
        for number in 0..count {
            if let Some(status) = self.finish(number) {
                let end = status.into_result().map(|_| ());
                result = result.and(end);
            }
        }
        result
    }

    /// Takes back what nobody has matched.
    fn recall(&self) {
        for request in self.requests.borrow().slots.iter().flatten() {
            let cancelled = request.cancel(&self.process);
            debug_assert!(cancelled.is_ok(), "requests of a scope are active");
        }
    }

    /// Waits for one operation.
    fn finish(&self, number: usize) -> Option<Status> {
        let request = self.requests.borrow().slots[number].clone()?;
        // The slot keeps its reference until the operation is complete.
        let status = request.wait();
        drop(request);
        if let Some(request) = self.requests.borrow_mut().take(number) {
            self.process.release(request);
        }
        Some(status)
    }
}

/// An operation in flight.
#[derive(Debug)]
pub struct Flight<'scope> {
    board: &'scope Board,
    number: usize,
}

impl Flight<'_> {
    /// Waits until the operation is complete.
    ///
    /// # Errors
    ///
    /// That of the operation.
    pub fn wait(self) -> Result<Status> {
        self.board
            .finish(self.number)
            .unwrap_or(Status::EMPTY)
            .into_result()
    }

    /// Whether the operation is complete; lets others run if not.
    #[must_use]
    pub fn is_done(&self) -> bool {
        let request = self.board.requests.borrow().slots[self.number].clone();
        request.is_none_or(|request| request.peek().is_some())
    }

    /// Takes the operation back, unless somebody has matched it; returns whether it could be taken back.
    ///
    /// # Errors
    ///
    /// That of the operation, if it was matched and failed.
    pub fn cancel(self) -> Result<bool> {
        if let Some(request) = &self.board.requests.borrow().slots[self.number] {
            request.cancel(&self.board.process)?;
        }
        self.wait().map(|status| status.cancelled)
    }
}

/// A receive in flight.
#[derive(Debug)]
pub struct FlightIn<'scope, T> {
    flight: Flight<'scope>,
    data: *mut [T],
    borrow: PhantomData<&'scope mut [T]>,
}

impl<'scope, T: Equivalence> FlightIn<'scope, T> {
    /// Waits until the message is there, and gives the memory back with it.
    ///
    /// # Errors
    ///
    /// That of the operation.
    pub fn wait(self) -> Result<(&'scope mut [T], Status)> {
        let status = self.flight.wait()?;
        // SAFETY:
        // - the operation is complete, and `self`, which is used up, was the only one to know of the slice
        //   that was borrowed for `'scope`.
        Ok((unsafe { &mut *self.data }, status))
    }

    /// The operation.
    #[must_use]
    pub fn flight(&self) -> &Flight<'scope> {
        &self.flight
    }

    /// [`Flight::cancel`].
    ///
    /// # Errors
    ///
    /// That of the operation, if it was matched and failed.
    pub fn cancel(self) -> Result<bool> {
        self.flight.cancel()
    }
}
