//! The neighbours of a rank, whatever the kind of the topology.

use super::{InEdges, Topology, lacks};
use crate::comm::Comm;
use crate::error::{Error, Result};
use simurgh_core::sync::Arc;

/// Numbers of edges of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Degrees {
    /// Along which it receives.
    pub incoming: usize,
    /// Along which it sends.
    pub outgoing: usize,
}

impl Comm {
    /// With how many neighbours the caller takes part in collectives of neighbours; those beyond the border of a grid
    /// count.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Comm`](crate::ErrorClass::Comm) for an inter-communicator,
    /// [`ErrorClass::Topology`](crate::ErrorClass::Topology) if the communicator has no topology.
    pub fn degrees(&self) -> Result<Degrees> {
        self.check_intra()?;
        let both = |degree| Degrees {
            incoming: degree,
            outgoing: degree,
        };
        match self.topology() {
            Some(Topology::Cart(cart)) => Ok(both(2 * cart.dims().len())),
            Some(Topology::Graph(graph)) => Ok(both(graph.neighbors(self.rank())?.len())),
            Some(Topology::DistGraph(graph)) => {
                let rank = self.rank() as usize;
                Ok(Degrees {
                    incoming: graph.incoming(rank).ranks.len(),
                    outgoing: graph.outgoing(rank).ranks.len(),
                })
            }
            None => Err(topology_missing()),
        }
    }

    /// Where what the ranks get along their edges comes from; found out when somebody asks for the first time.
    pub(crate) fn in_edges(&self) -> Result<Arc<InEdges>> {
        let topology = self.topology().ok_or_else(topology_missing)?;
        self.shared().in_edges(|| InEdges::new(topology).map(Arc::new))
    }
}

#[cold]
fn topology_missing() -> Error {
    lacks("topology", "MPI_Dist_graph_create_adjacent", None)
}
