//! Neighbourhood collectives.

use super::Collective;
use crate::collective::{Buffers, Call, Task};
use crate::comm::Comm;
use crate::error::Result;
use crate::memory::{Parts, Source, Target};

impl Comm {
    /// Copies to each rank the data of the neighbours from which it receives (`MPI_Neighbor_allgather`,
    /// `MPI_Neighbor_allgatherv`), along each edge into its part of `recv`. Parts for edges from beyond the border of a
    /// grid stay as they are.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Topology`](crate::ErrorClass::Topology) if the communicator has no topology, or its graph is not
    /// symmetric and has no directions. Running it: [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if a rank
    /// sends more than another has room for.
    pub fn neighbor_allgather(&self, send: Source, recv: Parts<Target>) -> Result<Collective<'_>> {
        let in_edges = self.in_edges()?;
        let task = Task::NeighborAllgather { in_edges };
        self.among_neighbors(Call::NEIGHBOR_ALLGATHER, Parts::Even(send), recv, task)
    }

    /// Copies to each rank its part of the data of the neighbours from which it receives (`MPI_Neighbor_alltoall`,
    /// `MPI_Neighbor_alltoallv`, `MPI_Neighbor_alltoallw`): a part for each edge, at both ends. Parts for edges across
    /// the border of a grid mean nothing and stay as they are.
    ///
    /// # Errors
    ///
    /// As [`Comm::neighbor_allgather`].
    pub fn neighbor_alltoall(&self, send: Parts<Source>, recv: Parts<Target>) -> Result<Collective<'_>> {
        let in_edges = self.in_edges()?;
        let task = Task::NeighborAlltoall { in_edges };
        self.among_neighbors(Call::NEIGHBOR_ALLTOALL, send, recv, task)
    }

    fn among_neighbors(
        &self,
        call: Call,
        send: Parts<Source>,
        recv: Parts<Target>,
        task: Task,
    ) -> Result<Collective<'_>> {
        let work = recv.bytes(self.degrees()?.incoming);
        let buffers = Buffers::new(Some(send), Some(recv), work);
        Ok(Collective::new(self, call, buffers, task))
    }
}
