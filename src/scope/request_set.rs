//! Sets of requests.

use std::fmt;

use simurgh_mpi::Result;
use simurgh_mpi::constants::UNDEFINED;
use simurgh_typed::{self as typed, Flight};

use super::{CollectiveRequest, ReceiveRequest, SendRequest};
use crate::activity::{Call, Inside};
use crate::{Communicator, Equivalence, Status};

/// The requests of a scope: what a [`RequestSet`] consists of.
pub trait ScopeRequest: sealed::Sealed {
    /// What the request gives when it is waited for.
    type Output;

    #[doc(hidden)]
    fn communicator(&self) -> &Communicator;

    #[doc(hidden)]
    fn flight(&self) -> &Flight<'_>;

    #[doc(hidden)]
    fn finish(self) -> Result<Self::Output>;
}

mod sealed {
    /// Other types are no requests.
    pub trait Sealed {}
}

/// Requests of a [`Scope`](crate::Scope) that are waited for together (`MPI_Waitany` and its relatives).
///
/// A request is known by the number that [`push`](Self::push) has given. One that is complete leaves the set.
///
/// ```
/// # simurgh::Builder::new().ranks(4).run(|world| {
/// use simurgh::RequestSet;
///
/// let (mine, mut values) = (world.rank(), vec![0; world.size()]);
/// world.scope(|scope| {
///     scope.isend(&mine, 0, 0)?;
///     if world.rank() == 0 {
///         let receives = values.iter_mut().enumerate().map(|(rank, value)| scope.irecv(value, rank, 0));
///         let mut receives: RequestSet<_> = receives.collect::<Result<_, _>>()?;
///         while let Some((number, received)) = receives.wait_any() {
///             let (values, _) = received?;
///             assert_eq!(values[0], number);
///         }
///     }
///     Ok(())
/// })
/// # })?.into_iter().collect::<Result<(), _>>().unwrap();
/// # Ok::<(), simurgh::RunError>(())
/// ```
///
/// Sends, receives and collectives are in one set as [`AnyRequest`]s:
///
/// ```
/// # simurgh::Builder::new().ranks(2).run(|world| {
/// use simurgh::{AnyRequest, RequestSet};
///
/// let (mine, mut theirs, mut sum) = ([world.rank()], 0.0, 0);
/// let other = 1 - world.rank();
/// world.scope(|scope| {
///     let mut set = RequestSet::<AnyRequest>::new();
///     set.push(scope.isend(&0.5, other, 0)?.into());
///     set.push(scope.irecv(&mut theirs, other, 0)?.into());
///     set.push(scope.iall_reduce(&mine[0], &mut sum, &simurgh::Op::sum())?.into());
///     let statuses = set.wait_all()?;
///     assert_eq!(statuses[1].map(|status| status.bytes()), Some(8));
///     Ok(())
/// })?;
/// assert_eq!((theirs, sum), (0.5, 1));
/// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
/// # Ok::<(), simurgh::RunError>(())
/// ```
#[derive(Debug)]
pub struct RequestSet<R> {
    /// The requests with their numbers, in the order in which they were added.
    requests: Vec<(usize, R)>,
    /// The number of the next request.
    next: usize,
}

impl<R> Default for RequestSet<R> {
    fn default() -> Self {
        Self {
            requests: Vec::new(),
            next: 0,
        }
    }
}

impl<R: ScopeRequest> RequestSet<R> {
    /// A set without requests.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a request, and returns its number: requests are counted from 0.
    pub fn push(&mut self, request: R) -> usize {
        let number = self.next;
        self.requests.push((number, request));
        self.next += 1;
        number
    }

    /// The number of requests that have not been waited for.
    #[must_use]
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// Whether all requests have been waited for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// Waits until one of the requests is complete, and gives its number and its outcome (`MPI_Waitany`); `None` if
    /// there are none.
    pub fn wait_any(&mut self) -> Option<(usize, Result<R::Output>)> {
        let inside = self.enter();
        let position = typed::wait_any(self.flights());
        drop(inside);
        position.map(|position| self.finish(position))
    }

    /// The number and the outcome of a request that is complete, if there is one (`MPI_Testany`). Lets other ranks run
    /// otherwise.
    pub fn test_any(&mut self) -> Option<(usize, Result<R::Output>)> {
        let inside = self.enter();
        let position = typed::test_any(self.flights());
        drop(inside);
        position.map(|position| self.finish(position))
    }

    /// Waits until one of the requests is complete, and gives all that are (`MPI_Waitsome`); none if there are none.
    pub fn wait_some(&mut self) -> Vec<(usize, Result<R::Output>)> {
        let inside = self.enter();
        let _ = typed::wait_any(self.flights());
        drop(inside);
        let (ended, left) = std::mem::take(&mut self.requests)
            .into_iter()
            .partition(|(_, request)| request.flight().has_ended());
        self.requests = left;
        let ended: Vec<(usize, R)> = ended;
        ended
            .into_iter()
            .map(|(number, request)| (number, request.finish()))
            .collect()
    }

    /// Waits until all requests are complete, and gives their outcomes in the order of their numbers (`MPI_Waitall`).
    ///
    /// # Errors
    ///
    /// The error of the first request that failed.
    pub fn wait_all(self) -> Result<Vec<R::Output>> {
        // All are waited for, whatever becomes of the first ones.
        let outcomes: Vec<_> = self
            .requests
            .into_iter()
            .map(|(_, request)| request.finish())
            .collect();
        outcomes.into_iter().collect()
    }

    fn flights(&self) -> impl Iterator<Item = &Flight<'_>> {
        self.requests.iter().map(|(_, request)| request.flight())
    }

    fn finish(&mut self, position: usize) -> (usize, Result<R::Output>) {
        let (number, request) = self.requests.remove(position);
        (number, request.finish())
    }

    /// Enters the wait for the requests, if there are any.
    fn enter(&self) -> Option<Inside<'_>> {
        let (_, request) = self.requests.first()?;
        Some(request.communicator().enter(Call::Wait, UNDEFINED, UNDEFINED))
    }
}

impl<R: ScopeRequest> Extend<R> for RequestSet<R> {
    fn extend<I: IntoIterator<Item = R>>(&mut self, requests: I) {
        for request in requests {
            self.push(request);
        }
    }
}

impl<R: ScopeRequest> FromIterator<R> for RequestSet<R> {
    fn from_iter<I: IntoIterator<Item = R>>(requests: I) -> Self {
        let mut set = Self::new();
        set.extend(requests);
        set
    }
}

macro_rules! requests {
    ($($name:ident<$scope:lifetime $(, $type:ident)?> => $output:ty,)*) => {$(
        impl<$scope $(, $type: Equivalence)?> sealed::Sealed for $name<$scope, '_ $(, $type)?> {}

        impl<$scope $(, $type: Equivalence)?> ScopeRequest for $name<$scope, '_ $(, $type)?> {
            type Output = $output;

            fn communicator(&self) -> &Communicator {
                self.communicator
            }

            fn flight(&self) -> &Flight<'_> {
                self.flight.as_ref()
            }

            fn finish(self) -> Result<Self::Output> {
                self.wait()
            }
        }
    )*};
}

requests! {
    SendRequest<'scope> => (),
    ReceiveRequest<'scope, T> => (&'scope mut [T], Status),
    CollectiveRequest<'scope, T> => &'scope mut [T],
    AnyRequest<'scope> => Option<Status>,
}

/// A request of any kind. Its buffer stays borrowed until the scope ends. It gives the status of a receive.
pub struct AnyRequest<'scope, 'env> {
    communicator: &'env Communicator,
    flight: Flight<'scope>,
    is_receive: bool,
}

impl<'scope, 'env> AnyRequest<'scope, 'env> {
    /// The request of a receive whose data nobody gets back before the scope ends.
    pub(super) fn receive(communicator: &'env Communicator, flight: Flight<'scope>) -> Self {
        Self {
            communicator,
            flight,
            is_receive: true,
        }
    }

    /// Waits until the operation is complete (`MPI_Wait`). Gives the status of a receive.
    ///
    /// # Errors
    ///
    /// The error of the operation.
    pub fn wait(self) -> Result<Option<Status>> {
        let _inside = self.communicator.enter(Call::Wait, UNDEFINED, UNDEFINED);
        let status = self.flight.wait()?;
        Ok(self.is_receive.then(|| status.into()))
    }
}

impl<'scope, 'env> From<SendRequest<'scope, 'env>> for AnyRequest<'scope, 'env> {
    fn from(request: SendRequest<'scope, 'env>) -> Self {
        Self {
            communicator: request.communicator,
            flight: request.flight,
            is_receive: false,
        }
    }
}

impl<'scope, 'env, T: Equivalence> From<ReceiveRequest<'scope, 'env, T>> for AnyRequest<'scope, 'env> {
    fn from(request: ReceiveRequest<'scope, 'env, T>) -> Self {
        Self {
            communicator: request.communicator,
            flight: request.flight.into_flight(),
            is_receive: true,
        }
    }
}

impl<'scope, 'env, T: Equivalence> From<CollectiveRequest<'scope, 'env, T>> for AnyRequest<'scope, 'env> {
    fn from(request: CollectiveRequest<'scope, 'env, T>) -> Self {
        Self {
            communicator: request.communicator,
            flight: request.flight.into_flight(),
            is_receive: false,
        }
    }
}

impl fmt::Debug for AnyRequest<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnyRequest").field(&self.flight).finish()
    }
}
