//! Virtual topologies: who is whose neighbour.
//!
//! A communicator carries at most one [`Topology`], made with it and never changed; the ranks of a host share one
//! copy. What the ranks of a new communicator do to be near their neighbours is the business of [`mapping`].

mod arguments;
mod cart;
mod cart_sub;
mod create;
mod dims;
mod dist_graph;
mod edge_list;
mod graph;
mod in_edges;
mod map;
mod mapping;
mod neighborhood;

pub use cart::Cart;
pub use dims::dims_create;
pub use dist_graph::{DistGraph, Neighbors};
pub use edge_list::EdgeList;
pub use graph::Graph;
pub(crate) use in_edges::{InEdge, InEdges};
pub use neighborhood::Degrees;

use crate::comm::Comm;
use crate::error::{Error, ErrorClass, Result};

/// The topology of a communicator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topology {
    /// A grid (`MPI_CART`).
    Cart(Cart),
    /// A graph that every rank knows (`MPI_GRAPH`).
    Graph(Graph),
    /// A graph of which every rank knows its own edges (`MPI_DIST_GRAPH`).
    DistGraph(DistGraph),
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
