//! The topology of a communicator, of any kind.

use crate::{Cart, DistGraph, Graph};

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
