//! The virtual topology of a communicator, and the neighbours of a rank in it.

use super::Comm;
use crate::error::{Error, ErrorClass, Result};
use simurgh_core::sync::Arc;
use simurgh_topology::{Cart, DistGraph, Graph, InEdges, Topology};

/// Numbers of edges of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Degrees {
    /// Along which it receives.
    pub incoming: usize,
    /// Along which it sends.
    pub outgoing: usize,
}

impl Comm {
    /// The grid of the communicator.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Topology`] if it has no topology or another.
    pub fn cart(&self) -> Result<&Cart> {
        match self.topology() {
            Some(Topology::Cart(cart)) => Ok(cart),
            other => Err(lacks("Cartesian topology", "MPI_Cart_create", other)),
        }
    }

    /// The graph of the communicator.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Topology`] if it has no topology or another.
    pub fn graph(&self) -> Result<&Graph> {
        match self.topology() {
            Some(Topology::Graph(graph)) => Ok(graph),
            other => Err(lacks("graph topology", "MPI_Graph_create", other)),
        }
    }

    /// The distributed graph of the communicator.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Topology`] if it has no topology or another.
    pub fn dist_graph(&self) -> Result<&DistGraph> {
        match self.topology() {
            Some(Topology::DistGraph(graph)) => Ok(graph),
            other => Err(lacks(
                "distributed graph topology",
                "MPI_Dist_graph_create",
                other,
            )),
        }
    }

    /// With how many neighbours the caller takes part in collectives of neighbours; those beyond the border of a grid
    /// count.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Comm`] for an inter-communicator,
    /// [`ErrorClass::Topology`] if the communicator has no topology.
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

#[cold]
fn lacks(what: &str, call: &str, has: Option<&Topology>) -> Error {
    let has = match has {
        None => "no topology",
        Some(Topology::Cart(_)) => "a Cartesian topology",
        Some(Topology::Graph(_)) => "a graph topology",
        Some(Topology::DistGraph(_)) => "a distributed graph topology",
    };
    Error::new(
        ErrorClass::Topology,
        format!("the communicator has {has}, but the call needs a {what}: pass one made by {call}"),
    )
}
