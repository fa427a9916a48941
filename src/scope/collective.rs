//! Nonblocking collectives (section 6.12 of the standard).
//!
//! All ranks start the collectives of a communicator in the same order; any number may be under way. What other ranks
//! do wrong is told when a collective is waited for.

use simurgh_mpi::constants::UNDEFINED;
use simurgh_mpi::{Comm, Result};
use simurgh_typed::{self as typed, FlightIn, Prepared};

use super::Scope;
use crate::activity::Call;
use crate::peer::raw_rank;
use crate::{BufferMut, Communicator, Equivalence};

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Starts a barrier; it is complete when all ranks have started it (`MPI_Ibarrier`).
    ///
    /// # Errors
    ///
    /// None.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(3).run(|world| {
    /// world.scope(|scope| {
    ///     let all_are_here = scope.ibarrier()?;
    ///     let mut steps = 0;
    ///     while !all_are_here.is_complete() {
    ///         steps += 1;
    ///     }
    ///     Ok(steps)
    /// })
    /// # })?.into_iter().collect::<Result<Vec<_>, _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn ibarrier(&self) -> Result<CollectiveRequest<'scope, 'env, u8>> {
        self.start(typed::barrier(self.comm())?)
    }

    /// Starts to send the root's `data` to all ranks (`MPI_Ibcast`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::broadcast`].
    pub fn ibroadcast<B: BufferMut + ?Sized>(
        &self,
        data: &'scope mut B,
        root: usize,
    ) -> Result<CollectiveRequest<'scope, 'env, B::Item>> {
        self.start(typed::broadcast(self.comm(), data.values_mut(), raw_rank(root))?)
    }

    /// Starts to collect what each rank sends at the root (`MPI_Igather`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::gather`].
    pub fn igather<T: Equivalence>(
        &self,
        sent: &'scope [T],
        received: &'scope mut [T],
        root: usize,
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        self.start(typed::gather(self.comm(), sent, received, raw_rank(root))?)
    }

    /// Starts to collect what each rank sends at the root, `counts[r]` values from rank `r` (`MPI_Igatherv`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::gatherv`].
    pub fn igatherv<T: Equivalence>(
        &self,
        sent: &'scope [T],
        received: &'scope mut [T],
        counts: &[usize],
        root: usize,
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        let root = raw_rank(root);
        self.start(typed::gatherv(self.comm(), sent, received, counts, root)?)
    }

    /// Starts to collect what each rank sends at every rank (`MPI_Iallgather`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_gather`].
    pub fn iall_gather<T: Equivalence>(
        &self,
        sent: &'scope [T],
        received: &'scope mut [T],
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        self.start(typed::all_gather(self.comm(), sent, received)?)
    }

    /// Starts to collect what each rank sends at every rank, `counts[r]` values from rank `r` (`MPI_Iallgatherv`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_gatherv`].
    pub fn iall_gatherv<T: Equivalence>(
        &self,
        sent: &'scope [T],
        received: &'scope mut [T],
        counts: &[usize],
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        self.start(typed::all_gatherv(self.comm(), sent, received, counts)?)
    }

    /// Starts to give each rank its part of what the root sends (`MPI_Iscatter`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::scatter`].
    pub fn iscatter<T: Equivalence>(
        &self,
        sent: &'scope [T],
        received: &'scope mut [T],
        root: usize,
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        self.start(typed::scatter(self.comm(), sent, received, raw_rank(root))?)
    }

    /// Starts to give each rank its part of what the root sends, `counts[r]` values to rank `r` (`MPI_Iscatterv`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::scatterv`].
    pub fn iscatterv<T: Equivalence>(
        &self,
        sent: &'scope [T],
        counts: &[usize],
        received: &'scope mut [T],
        root: usize,
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        let root = raw_rank(root);
        self.start(typed::scatterv(self.comm(), sent, counts, received, root)?)
    }

    /// Starts to give each rank its part of what every rank sends (`MPI_Ialltoall`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_to_all`].
    pub fn iall_to_all<T: Equivalence>(
        &self,
        sent: &'scope [T],
        received: &'scope mut [T],
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        self.start(typed::all_to_all(self.comm(), sent, received)?)
    }

    /// Starts to give each rank its part of what every rank sends, `send_counts[r]` values to rank `r` and
    /// `receive_counts[r]` from it (`MPI_Ialltoallv`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::all_to_allv`].
    pub fn iall_to_allv<T: Equivalence>(
        &self,
        sent: &'scope [T],
        send_counts: &[usize],
        received: &'scope mut [T],
        receive_counts: &[usize],
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        let (sent, received) = ((sent, send_counts), (received, receive_counts));
        self.start(typed::all_to_allv(self.comm(), sent, received)?)
    }

    /// The communicator of the engine.
    pub(super) fn comm(&self) -> &'env Comm {
        self.communicator.engine()
    }

    pub(super) fn start<T: Equivalence>(
        &self,
        prepared: Prepared<'scope, T>,
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        Ok(CollectiveRequest {
            communicator: self.communicator,
            flight: self.flights.start(prepared)?,
        })
    }
}

/// A collective under way. As a future it gives what [`wait`](Self::wait) gives.
#[derive(Debug)]
pub struct CollectiveRequest<'scope, 'env, T> {
    pub(super) communicator: &'env Communicator,
    pub(super) flight: FlightIn<'scope, T>,
}

impl<'scope, T: Equivalence> CollectiveRequest<'scope, '_, T> {
    /// Waits until the collective is complete for this rank, and returns the buffer into which it has received
    /// (`MPI_Wait`).
    ///
    /// # Errors
    ///
    /// The error of the collective.
    ///
    /// # Panics
    ///
    /// When the function of a reduction has panicked at this rank.
    pub fn wait(self) -> Result<&'scope mut [T]> {
        let _inside = self.communicator.enter(Call::Wait, UNDEFINED, UNDEFINED);
        self.flight.wait().map(|(values, _)| values)
    }

    /// Whether the collective is complete for this rank (`MPI_Test`). Lets other ranks run otherwise.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.communicator.check();
        self.flight.as_ref().is_done()
    }
}
