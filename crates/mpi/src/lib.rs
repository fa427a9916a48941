//! The MPI engine of Simurgh: what the calls of the standard do, whoever calls them.
//!
//! All ranks of a host are in one process. A [`Job`] is what they share, a [`Process`] is one of them, a [`Comm`]
//! is a communicator as one of them sees it, a [`Request`] an operation in progress. The C interface
//! (`simurgh-mpi-abi`) and the Rust interface (the root crate) check and convert arguments and call what is here.
//! Blocking calls suspend the execution context through `simurgh-core`, never the kernel thread. May depend on
//! core, sched and net; safe Rust, except for the [`memory`] module, which touches the users' buffers.

#![deny(unsafe_code)]

#[cfg(test)]
extern crate self as simurgh_mpi;

#[cfg(test)]
#[allow(unsafe_code, reason = "buffers of tests")]
#[path = "../tests/common/mod.rs"]
mod common;

pub mod attribute;
mod buffered;
pub mod check;
pub mod collective;
mod comm;
pub mod constants;
mod context;
pub mod datatype;
mod deadlock;
mod endpoint;
mod errhandler;
mod error;
pub mod external32;
mod group;
mod hardware;
mod info;
mod job;
mod layout;
pub mod limits;
mod matching;
mod members;
pub mod memory;
pub mod op;
mod point2point;
mod portable;
mod process;
mod remote;
mod request;
mod selection;
mod session;
mod status;
pub mod tool;
mod topology;
mod universe;

pub use buffered::{BufferSpace, SendBuffer};
pub use collective::{Collective, Role, Rooted};
pub use comm::{Comm, CommShared, SplitType};
pub use deadlock::{Operation, Parts, Unfinished, Unmatched};
pub use errhandler::ErrorHandler;
pub use error::{Error, ErrorClass, ErrorCode, ErrorCodes, Result};
pub use group::{Comparison, Group, RankRange};
pub use hardware::Hardware;
pub use info::Info;
pub use job::{Abort, Job};
pub use layout::{Layout, Newcomer};
pub use point2point::{Message, Mode, Receipt, Started};
pub use process::{Launch, Phase, Process, ThreadLevel};
pub use remote::{NetworkStats, Remote, packets};
pub use request::{
    Callbacks, Outcome, Request, peek_all, peek_any, peek_some, test_all, test_any, test_some, wait_all,
    wait_any, wait_some,
};
pub use session::{ProcessSet, Session, SessionId};
pub use status::Status;
pub use topology::{Cart, Degrees, DistGraph, EdgeList, Graph, Neighbors, Topology, dims_create};
pub use universe::{Launcher, Spawned};
