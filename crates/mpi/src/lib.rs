//! The MPI engine of Simurgh: what the calls of the standard do, whoever calls them.
//!
//! All ranks of a host are in one process. A [`Job`] is what they share, a [`Process`] is one of them, a [`Comm`]
//! is a communicator as one of them sees it, a [`Request`] an operation in progress. The C interface
//! (`simurgh-mpi-abi`) and the Rust interface (the root crate) check and convert arguments and call what is here.
//! Blocking calls suspend the execution context through `simurgh-core`, never the kernel thread. May depend on core,
//! sched, net, base and datatype; safe Rust, except where users' memory is lent to a transport (`remote/exposed.rs`).

#![deny(unsafe_code)]

#[cfg(test)]
extern crate self as simurgh_mpi;

#[cfg(test)]
#[allow(unsafe_code, reason = "buffers of tests")]
#[path = "../tests/common/mod.rs"]
mod common;

mod buffered;
pub mod check;
pub mod collective;
mod collective_calls;
mod comm;
mod context;
mod deadlock;
mod endpoint;
mod errhandler;
mod hardware;
mod host;
mod instrument;
mod job;
mod layout;
pub mod limits;
mod matching;
mod members;
mod network;
mod partitioned;
mod placement;
mod point2point;
mod process;
mod request;
mod selection;
mod session;
mod slots;
pub mod tool;
mod topology;
mod universe;
mod world;
mod worlds;

pub use simurgh_base::{
    Comparison, Error, ErrorClass, ErrorCode, ErrorCodes, Group, Info, RankRange, Result, SessionId, Status,
    attribute, constants,
};
use simurgh_base::{error, error as status, group, info, portable};
pub use simurgh_datatype as datatype;
pub use simurgh_datatype::{external32, memory, op};

pub use buffered::{BufferSpace, SendBuffer};
pub use collective_calls::{Collective, Role, Rooted};
pub use comm::{Comm, CommShared, Degrees, SplitType};
pub use deadlock::{Operation, Parts, Unfinished, Unmatched};
pub use errhandler::ErrorHandler;
pub use hardware::Hardware;
pub use job::{Abort, Job};
pub use layout::{Layout, Newcomer};
pub use network::{NetworkStats, Remote, packets};
pub use point2point::{Message, Mode, Receipt, Started};
pub use process::{Launch, Phase, Process, ThreadLevel};
pub use request::{
    Callbacks, Outcome, Request, peek_all, peek_any, peek_some, test_all, test_any, test_some, wait_all,
    wait_any, wait_some,
};
pub use session::{ProcessSet, Session};
pub use topology::{Cart, DistGraph, EdgeList, Graph, Neighbors, Topology, dims_create};
pub use universe::Spawned;
pub use worlds::Launcher;
