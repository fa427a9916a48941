//! Among the neighbours of a topology.
//!
//! All ranks of the communicator meet, as the calls are collective; data goes along the edges. Each rank fetches what
//! it gets, from the place that the other end of the edge has for it ([`InEdges`]).

use super::all_buffers::AllBuffers;
use super::deliver::deliver;
use super::share::Share;
use super::{Buffers, Call, Collective, Task};
use crate::comm::Comm;
use crate::error::Result;
use crate::memory::{Parts, Source, Target};
use crate::topology::{InEdge, InEdges};

impl Comm {
    /// Gives each rank the data of the neighbours that it receives from (`MPI_Neighbor_allgather`,
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

    /// Gives each rank its part of the data of the neighbours that it receives from (`MPI_Neighbor_alltoall`,
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

/// Fetches all that the neighbours of the ranks of a share send.
pub(super) fn fetch_whole(all_buffers: AllBuffers<'_>, share: Share, in_edges: &InEdges) -> Result<()> {
    fetch(all_buffers, share, in_edges, |buffers, _| buffers.source())
}

/// Fetches the parts that the neighbours of the ranks of a share have for them.
pub(super) fn fetch_part(all_buffers: AllBuffers<'_>, share: Share, in_edges: &InEdges) -> Result<()> {
    fetch(all_buffers, share, in_edges, |buffers, in_edge| {
        buffers.source_part(in_edge.out_index as usize)
    })
}

/// Fetches what comes along the edges of the ranks of a share. There are no topologies over two groups.
fn fetch(
    all_buffers: AllBuffers<'_>,
    share: Share,
    in_edges: &InEdges,
    sent: impl Fn(&Buffers, InEdge) -> Option<Source>,
) -> Result<()> {
    for rank in share.seats(all_buffers.len()) {
        let writer = all_buffers.writer_for(rank);
        for (place, in_edge) in in_edges.of(rank).iter().enumerate() {
            let Some(in_edge) = *in_edge else { continue };
            let from = in_edge.rank as usize;
            let target = all_buffers.at(rank).target_part(place);
            let source = sent(all_buffers.at(from), in_edge);
            deliver(&writer, all_buffers.group_sizes(), source, from, target, rank)?;
        }
    }
    Ok(())
}
