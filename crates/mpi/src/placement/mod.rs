//! Making communicators with a virtual topology, and the placement of their ranks.
//!
//! The ranks of a new communicator may move among the virtual processors of their host, or be renumbered, so that
//! neighbours in the topology are near each other on the machine ([`simurgh_topology::mapping`]).

mod arguments;
mod cart_sub;
mod create;
mod map;
