//! Among the neighbours of a topology.
//!
//! All ranks of the communicator meet, as the calls are collective; data goes along the edges. Each rank fetches what
//! it gets, from the place that the other end of the edge has for it ([`Origins`]).

use super::deliver::deliver;
use super::offers::Offers;
use super::share::Share;
use super::{Call, Collective, Offer, Task};
use crate::comm::Comm;
use crate::error::Result;
use crate::memory::{Parts, Source, Target};
use crate::topology::{Origin, Origins};

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
        let origins = self.origins()?;
        let task = Task::NeighborAllgather { origins };
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
        let origins = self.origins()?;
        let task = Task::NeighborAlltoall { origins };
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
        let offer = Offer::new(Some(send), Some(recv), work);
        Ok(Collective::new(self, call, offer, task))
    }
}

/// Fetches all that the neighbours of the ranks of a share send.
pub(super) fn fetch_whole(offers: Offers<'_>, share: Share, origins: &Origins) -> Result<()> {
    fetch(offers, share, origins, |offer, _| offer.source())
}

/// Fetches the parts that the neighbours of the ranks of a share have for them.
pub(super) fn fetch_part(offers: Offers<'_>, share: Share, origins: &Origins) -> Result<()> {
    fetch(offers, share, origins, |offer, origin| {
        offer.source_part(origin.place as usize)
    })
}

/// Fetches what comes along the edges of the ranks of a share. There are no topologies over two groups.
fn fetch(
    offers: Offers<'_>,
    share: Share,
    origins: &Origins,
    sent: impl Fn(&Offer, Origin) -> Option<Source>,
) -> Result<()> {
    for rank in share.seats(offers.len()) {
        let writer = offers.writer_for(rank);
        for (place, origin) in origins.of(rank).iter().enumerate() {
            let Some(origin) = *origin else { continue };
            let from = origin.rank as usize;
            let target = offers.at(rank).target_part(place);
            let source = sent(offers.at(from), origin);
            deliver(&writer, offers.seating(), source, from, target, rank)?;
        }
    }
    Ok(())
}
