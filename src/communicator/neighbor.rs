//! Collective calls among the neighbours of a topology (section 8.6 of the standard).
//!
//! All ranks of the communicator make the same call, and data goes along the edges. A slice with a part for each edge
//! has the parts one after the other: in a graph in the order in which the rank has named its edges; in a grid
//! dimension by dimension, first the neighbour at the lower coordinate, then the one at the higher. The parts of
//! neighbours beyond the border of a grid are present, but mean nothing, and stay as they are.

use simurgh_mpi::Result;
use simurgh_mpi::constants::UNDEFINED;
use simurgh_typed as typed;

use super::Communicator;
use crate::Equivalence;
use crate::activity::Call;

impl Communicator {
    /// Collects what the neighbours send at every rank (`MPI_Neighbor_allgather`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Topology`](crate::ErrorClass::Topology) if the communicator has no topology;
    /// [`ErrorClass::Count`](crate::ErrorClass::Count) if `received` cannot be cut into a part for each edge;
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if a neighbour sends more than fits into a part.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(4).run(|world| {
    /// let line = world.cart_create(&[4], &[false], false)?.expect("four ranks are in the line");
    /// let mut around = [9, 9];
    /// line.neighbor_all_gather(&[line.rank()], &mut around)?;
    /// assert_eq!(around, [[9, 1], [0, 2], [1, 3], [2, 9]][line.rank()]);
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn neighbor_all_gather<T: Equivalence>(&self, sent: &[T], received: &mut [T]) -> Result<()> {
        let _inside = self.enter(Call::NeighborAllGather, UNDEFINED, UNDEFINED);
        typed::neighbor_all_gather(&self.comm, sent, received)?.run()
    }

    /// Collects what the neighbours send at every rank, `counts[e]` values along edge `e` (`MPI_Neighbor_allgatherv`).
    ///
    /// # Errors
    ///
    /// As [`neighbor_all_gather`](Self::neighbor_all_gather); [`ErrorClass::Count`](crate::ErrorClass::Count) if there
    /// is not a count for each edge, or they add up to more than `received` has room for.
    pub fn neighbor_all_gatherv<T: Equivalence>(
        &self,
        sent: &[T],
        received: &mut [T],
        counts: &[usize],
    ) -> Result<()> {
        let _inside = self.enter(Call::NeighborAllGather, UNDEFINED, UNDEFINED);
        typed::neighbor_all_gatherv(&self.comm, sent, received, counts)?.run()
    }

    /// Gives each neighbour its part of what every rank sends (`MPI_Neighbor_alltoall`). In a ring of one or two ranks,
    /// where both neighbours are the same rank, what is sent up is received from below.
    ///
    /// # Errors
    ///
    /// As [`neighbor_all_gather`](Self::neighbor_all_gather), for both slices.
    pub fn neighbor_all_to_all<T: Equivalence>(&self, sent: &[T], received: &mut [T]) -> Result<()> {
        let _inside = self.enter(Call::NeighborAllToAll, UNDEFINED, UNDEFINED);
        typed::neighbor_all_to_all(&self.comm, sent, received)?.run()
    }

    /// Gives each neighbour its part of what every rank sends, `send_counts[e]` values along edge `e` that leads from
    /// the rank and `receive_counts[e]` along edge `e` that leads to it (`MPI_Neighbor_alltoallv`).
    ///
    /// # Errors
    ///
    /// As [`neighbor_all_gatherv`](Self::neighbor_all_gatherv), for both slices.
    pub fn neighbor_all_to_allv<T: Equivalence>(
        &self,
        sent: &[T],
        send_counts: &[usize],
        received: &mut [T],
        receive_counts: &[usize],
    ) -> Result<()> {
        let _inside = self.enter(Call::NeighborAllToAll, UNDEFINED, UNDEFINED);
        typed::neighbor_all_to_allv(&self.comm, (sent, send_counts), (received, receive_counts))?.run()
    }
}
