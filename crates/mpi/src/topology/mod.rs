//! Virtual topologies: who is whose neighbour.
//!
//! A communicator carries at most one [`Topology`], made with it and never changed; the ranks of a host share one
//! copy. What the ranks of a new communicator do to be near their neighbours is the business of `placement`.

mod cart;
mod dims;
mod dist_graph;
mod edge_list;
mod graph;
mod in_edges;

pub use cart::Cart;
pub use dims::dims_create;
pub use dist_graph::{DistGraph, Neighbors};
pub use edge_list::EdgeList;
pub use graph::Graph;
pub(crate) use in_edges::{InEdge, InEdges};

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
