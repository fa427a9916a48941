//! Communicators with a virtual topology: how they are made, and where their ranks are placed.
//!
//! The ranks of a new communicator may move among the virtual processors of their host, or be renumbered, so that those
//! who are neighbours in the topology are near each other on the machine ([`simurgh_topology::mapping`]).

mod arguments;
mod cart_sub;
mod create;
mod map;
