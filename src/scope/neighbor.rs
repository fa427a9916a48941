//! Nonblocking collectives among the neighbours of a topology (section 8.7 of the standard).

use simurgh_mpi::Result;
use simurgh_typed as typed;

use super::{CollectiveRequest, Scope};
use crate::Equivalence;

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Starts to collect what the neighbours send at every rank (`MPI_Ineighbor_allgather`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::neighbor_all_gather`](crate::Communicator::neighbor_all_gather).
    pub fn ineighbor_all_gather<T: Equivalence>(
        &self,
        sent: &'scope [T],
        received: &'scope mut [T],
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        self.start(typed::neighbor_all_gather(self.comm(), sent, received)?)
    }

    /// Starts to collect what the neighbours send at every rank, `counts[e]` values along edge `e`
    /// (`MPI_Ineighbor_allgatherv`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::neighbor_all_gatherv`](crate::Communicator::neighbor_all_gatherv).
    pub fn ineighbor_all_gatherv<T: Equivalence>(
        &self,
        sent: &'scope [T],
        received: &'scope mut [T],
        counts: &[usize],
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        self.start(typed::neighbor_all_gatherv(self.comm(), sent, received, counts)?)
    }

    /// Starts to give each neighbour its part of what every rank sends (`MPI_Ineighbor_alltoall`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::neighbor_all_to_all`](crate::Communicator::neighbor_all_to_all).
    pub fn ineighbor_all_to_all<T: Equivalence>(
        &self,
        sent: &'scope [T],
        received: &'scope mut [T],
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        self.start(typed::neighbor_all_to_all(self.comm(), sent, received)?)
    }

    /// Starts to give each neighbour its part of what every rank sends, `send_counts[e]` values along edge `e` that
    /// leads from the rank and `receive_counts[e]` along edge `e` that leads to it (`MPI_Ineighbor_alltoallv`).
    ///
    /// # Errors
    ///
    /// As [`Communicator::neighbor_all_to_allv`](crate::Communicator::neighbor_all_to_allv).
    pub fn ineighbor_all_to_allv<T: Equivalence>(
        &self,
        sent: &'scope [T],
        send_counts: &[usize],
        received: &'scope mut [T],
        receive_counts: &[usize],
    ) -> Result<CollectiveRequest<'scope, 'env, T>> {
        let (sent, received) = ((sent, send_counts), (received, receive_counts));
        self.start(typed::neighbor_all_to_allv(self.comm(), sent, received)?)
    }
}
