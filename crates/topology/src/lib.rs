//! Virtual topologies (chapter 8 of the standard), and which rank best lives where on a machine.
//!
//! Plain values and graph algorithms: nothing here knows a communicator or sends a message. May depend on base and
//! sched.
//!
//! # Layers
//!
//! * `cart`: grids.
//! * `graph`: graphs that every rank knows.
//! * `edge_list`: edges as one rank contributes them.
//! * `dist_graph`: graphs of which every rank knows its own edges.
//! * `dims`: the extents of balanced grids.
//! * `topology`: a topology of any kind.
//! * `in_edges`: both ends of all edges, for neighbourhood collectives.
//! * `mapping`: which rank lives where on a machine, so that those that exchange much are near each other.

#![forbid(unsafe_code)]

mod cart;
mod dims;
mod dist_graph;
mod edge_list;
mod graph;
mod in_edges;
pub mod mapping;
mod topology;

pub use cart::Cart;
pub use dims::dims_create;
pub use dist_graph::{DistGraph, Neighbors};
pub use edge_list::EdgeList;
pub use graph::Graph;
pub use in_edges::{InEdge, InEdges};
pub use topology::Topology;
