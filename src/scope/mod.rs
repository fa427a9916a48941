//! Nonblocking operations (sections 3.7 and 6.12 of the standard).

mod buffered;
mod collective;
mod future;
mod in_place;
mod neighbor;
mod reduction;
mod request_set;

pub use collective::CollectiveRequest;
pub use request_set::{AnyRequest, RequestSet, ScopeRequest};

use std::cell::Cell;

use simurgh_mpi::Result;
use simurgh_mpi::constants::UNDEFINED;
use simurgh_typed::{BufferMut, Flight, FlightIn, Flights, Mode, in_flight, wait_any};

use crate::activity::Call;
use crate::{Communicator, Destination, Equivalence, Source, Status, Tag, View, ViewMut};

impl Communicator {
    /// Runs `f`, which may start operations, and returns when all of them are complete; see [`Scope`].
    ///
    /// # Errors
    ///
    /// The error of `f`, or else that of the first operation that failed and was not waited for. After an error, or a
    /// panic, of `f`, messages that have not been matched are cancelled; collectives are waited for nevertheless.
    pub fn scope<'env, R>(
        &'env self,
        f: impl for<'scope> FnOnce(&Scope<'scope, 'env>) -> Result<R>,
    ) -> Result<R> {
        let leaving = Cell::default();
        in_flight(self.engine(), |flights| {
            let result = self.attempt(&leaving, || f(&Scope::new(self, flights)))?;
            let _inside = self.enter(Call::Wait, UNDEFINED, UNDEFINED);
            flights.wait_all()?;
            Ok(result)
        })
    }
}

/// The time in which nonblocking operations may be under way; made by [`Communicator::scope`].
///
/// An operation borrows its buffer until the scope ends, where it is waited for, whether its request has been
/// waited for, dropped or leaked. A receive or a collective that is waited for gives its buffer back at once.
///
/// A buffer cannot be used while an operation may still write to it:
///
/// ```compile_fail,E0503
/// # simurgh::run(|world| {
/// let mut value = 0;
/// world.scope(|scope| {
///     let request = scope.irecv(&mut value, 0, 0)?;
///     assert_eq!(value, 0);
///     request.wait()?;
///     Ok(())
/// })
/// # });
/// ```
///
/// nor changed while one may still read it:
///
/// ```compile_fail,E0506
/// # simurgh::run(|world| {
/// let mut value = 0;
/// world.scope(|scope| {
///     let request = scope.isend(&value, 0, 0)?;
///     value = 1;
///     request.wait()
/// })
/// # });
/// ```
///
/// nor while a collective may:
///
/// ```compile_fail,E0506
/// # simurgh::run(|world| {
/// let (mut value, mut sum) = (1, 0);
/// world.scope(|scope| {
///     scope.iall_reduce(&value, &mut sum, &simurgh::Op::sum())?;
///     value = 2;
///     Ok(())
/// })
/// # });
/// ```
///
/// nor go away before the scope ends:
///
/// ```compile_fail,E0597
/// # simurgh::run(|world| {
/// world.scope(|scope| {
///     let mut value = 0;
///     scope.irecv(&mut value, 0, 0)?;
///     Ok(())
/// })
/// # });
/// ```
///
/// and no request leaves the scope:
///
/// ```compile_fail
/// # simurgh::run(|world| {
/// let value = 0;
/// let mut kept = None;
/// world.scope(|scope| {
///     kept = Some(scope.isend(&value, 0, 0)?);
///     Ok(())
/// })
/// # });
/// ```
#[derive(Debug)]
pub struct Scope<'scope, 'env: 'scope> {
    communicator: &'env Communicator,
    flights: &'scope Flights<'scope, 'env>,
}

impl<'scope, 'env> Scope<'scope, 'env> {
    pub(crate) fn new(communicator: &'env Communicator, flights: &'scope Flights<'scope, 'env>) -> Self {
        Self {
            communicator,
            flights,
        }
    }

    /// The operations, for those that are started elsewhere.
    pub(crate) fn flights(&self) -> &'scope Flights<'scope, 'env> {
        self.flights
    }

    /// The request of an operation that reads its buffer.
    pub(crate) fn outgoing(&self, flight: Flight<'scope>) -> SendRequest<'scope, 'env> {
        SendRequest {
            communicator: self.communicator,
            flight,
        }
    }

    /// The request of an operation that writes its buffer.
    pub(crate) fn incoming<T>(&self, flight: FlightIn<'scope, T>) -> ReceiveRequest<'scope, 'env, T> {
        ReceiveRequest {
            communicator: self.communicator,
            flight,
        }
    }

    /// Starts to send `data` (`MPI_Isend`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::send`].
    pub fn isend<B>(
        &self,
        data: &'scope B,
        dest: impl Into<Destination>,
        tag: i32,
    ) -> Result<SendRequest<'scope, 'env>>
    where
        B: View + ?Sized,
    {
        self.start_send(data, dest.into(), tag, Mode::Standard)
    }

    /// Starts to send `data`; the operation is complete when its receive has begun (`MPI_Issend`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::send`].
    pub fn issend<B>(
        &self,
        data: &'scope B,
        dest: impl Into<Destination>,
        tag: i32,
    ) -> Result<SendRequest<'scope, 'env>>
    where
        B: View + ?Sized,
    {
        self.start_send(data, dest.into(), tag, Mode::Synchronous)
    }

    /// Starts to send `data` to a rank that has called its receive, as [`Communicator::rsend`] (`MPI_Irsend`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::send`].
    pub fn irsend<B>(
        &self,
        data: &'scope B,
        dest: impl Into<Destination>,
        tag: i32,
    ) -> Result<SendRequest<'scope, 'env>>
    where
        B: View + ?Sized,
    {
        self.start_send(data, dest.into(), tag, Mode::Ready)
    }

    fn start_send<B>(
        &self,
        data: &'scope B,
        dest: Destination,
        tag: i32,
        mode: Mode,
    ) -> Result<SendRequest<'scope, 'env>>
    where
        B: View + ?Sized,
    {
        let flight = self.flights.send(data, dest.raw(), tag, mode)?;
        Ok(self.outgoing(flight))
    }

    /// Starts to receive into `data` (`MPI_Irecv`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::recv`]; truncation is reported by the wait.
    pub fn irecv<B>(
        &self,
        data: &'scope mut B,
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<ReceiveRequest<'scope, 'env, B::Item>>
    where
        B: BufferMut + ?Sized,
    {
        let flight = self
            .flights
            .receive(data.values_mut(), source.into().raw(), tag.into().raw()?)?;
        Ok(self.incoming(flight))
    }

    /// Starts to receive into data of any layout (`MPI_Irecv`). The data stays borrowed until the scope ends, also
    /// after the request has been waited for.
    ///
    /// # Errors
    ///
    /// As [`irecv`](Self::irecv).
    pub fn irecv_view<B>(
        &self,
        data: &'scope mut B,
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<AnyRequest<'scope, 'env>>
    where
        B: ViewMut + ?Sized,
    {
        let (source, tag) = (source.into().raw(), tag.into().raw()?);
        let flight = self.flights.receive_view(data, source, tag)?;
        Ok(AnyRequest::receive(self.communicator, flight))
    }

    /// Waits until every operation of the scope so far is complete (`MPI_Waitall`).
    ///
    /// # Errors
    ///
    /// The error of the first operation that failed.
    pub fn wait_all(&self) -> Result<()> {
        let _inside = self.communicator.enter(Call::Wait, UNDEFINED, UNDEFINED);
        self.flights.wait_all()
    }

    /// Waits until one of the receives is complete, and takes it out (`MPI_Waitany`); `None` if there are none.
    ///
    /// # Errors
    ///
    /// The error of the receive.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(4).run(|world| {
    /// let (mine, mut values) = (world.rank(), [0_usize; 4]);
    /// world.scope(|scope| {
    ///     scope.isend(&mine, 0, 0)?;
    ///     if world.rank() == 0 {
    ///         let receives = values.iter_mut().enumerate().map(|(rank, value)| scope.irecv(value, rank, 0));
    ///         let mut receives: Vec<_> = receives.collect::<Result<_, _>>()?;
    ///         while let Some((value, status)) = scope.wait_any(&mut receives)? {
    ///             assert_eq!(Some(value[0]), status.source());
    ///         }
    ///     }
    ///     Ok(())
    /// })
    /// # })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn wait_any<T: Equivalence>(
        &self,
        receives: &mut Vec<ReceiveRequest<'scope, 'env, T>>,
    ) -> Result<Option<(&'scope mut [T], Status)>> {
        let inside = self.communicator.enter(Call::Wait, UNDEFINED, UNDEFINED);
        let position = wait_any(receives.iter().map(|receive| receive.flight.as_ref()));
        drop(inside);
        position
            .map(|position| receives.swap_remove(position).wait())
            .transpose()
    }
}

/// A send, or a write to a file or a window, under way. As a future it is awaited.
#[derive(Debug)]
pub struct SendRequest<'scope, 'env> {
    communicator: &'env Communicator,
    flight: Flight<'scope>,
}

impl SendRequest<'_, '_> {
    /// Waits until the send is complete (`MPI_Wait`).
    ///
    /// # Errors
    ///
    /// The error of the operation.
    pub fn wait(self) -> Result<()> {
        let _inside = self.communicator.enter(Call::Wait, UNDEFINED, UNDEFINED);
        self.flight.wait().map(|_| ())
    }

    /// Whether the send is complete (`MPI_Test`). Lets other ranks run otherwise.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.communicator.check();
        self.flight.is_done()
    }

    /// Cancels the send unless it has been matched, and says whether it has been cancelled (`MPI_Cancel`).
    ///
    /// # Errors
    ///
    /// The error of the operation.
    pub fn cancel(self) -> Result<bool> {
        let _inside = self.communicator.enter(Call::Wait, UNDEFINED, UNDEFINED);
        self.flight.cancel()
    }
}

/// A receive, or a read from a file or a window, under way. As a future it gives what [`wait`](Self::wait) gives.
#[derive(Debug)]
pub struct ReceiveRequest<'scope, 'env, T> {
    communicator: &'env Communicator,
    flight: FlightIn<'scope, T>,
}

impl<'scope, T: Equivalence> ReceiveRequest<'scope, '_, T> {
    /// Waits until the message has arrived, and returns the buffer (`MPI_Wait`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if the message is longer than the buffer.
    pub fn wait(self) -> Result<(&'scope mut [T], Status)> {
        let _inside = self.communicator.enter(Call::Wait, UNDEFINED, UNDEFINED);
        let (values, status) = self.flight.wait()?;
        Ok((values, status.into()))
    }

    /// Whether the message has arrived (`MPI_Test`). Lets other ranks run otherwise.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.communicator.check();
        self.flight.as_ref().is_done()
    }

    /// Cancels the receive unless it has been matched, and says whether it has been cancelled (`MPI_Cancel`).
    ///
    /// # Errors
    ///
    /// As [`wait`](Self::wait), if it was matched.
    pub fn cancel(self) -> Result<bool> {
        let _inside = self.communicator.enter(Call::Wait, UNDEFINED, UNDEFINED);
        self.flight.cancel()
    }
}
