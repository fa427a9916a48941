//! The MPI engine of Simurgh: what the calls of the standard do, whoever calls them.
//!
//! All ranks of a host are in one process. A [`Job`] is what they share, a [`Process`] is one of them, a [`Comm`]
//! is a communicator as one of them sees it, a [`Request`] an operation in progress. The C interface
//! (`simurgh-mpi-abi`) and the Rust interface (the root crate) check and convert arguments and call what is here.
//! Blocking calls suspend the execution context through `simurgh-core`, never the kernel thread. May depend on core,
//! sched, settings, net, base, datatype, topology, matching and instrument; safe Rust, except where users' memory is
//! lent to a transport (`network/exposed.rs`) or to a receiver (`endpoint/reference.rs`), where a rank and its
//! counterpart take turns with the reference by which a request is completed (`request/own_reference.rs`), and where
//! the first thread of a rank owns its locks (`endpoint/rank_owner.rs`).
//!
//! # Layers
//!
//! Each module imports only from those above it in this table.
//!
//! | module | what it is |
//! |---|---|
//! | [`limits`] | the limits of the engine |
//! | `layer_state` | room for what a layer keeps with an object of a layer below it |
//! | `errhandler` | error handlers |
//! | [`check`] | what is checked in a job, and the checks of tags and counts |
//! | `layout` | which processes live on which host |
//! | `hardware` | where the processes of a host run |
//! | `members` | the members of a communicator: its groups, seats and hosts |
//! | `context` | context ids, which keep the messages of one communicator apart from those of another |
//! | `selection` | algorithm selection for collectives |
//! | `worlds` | the launcher, and the worlds with which a host is connected |
//! | `request` | requests, and the completion of operations |
//! | `buffered` | the buffers that are attached for buffered sends |
//! | `deadlock` | deadlock reports: what waits for what |
//! | `partitioned` | partitioned communication on one host: channels, and how sends and receives are paired |
//! | `endpoint` | the endpoint of a rank: its posted receives, its unexpected messages, its waiting calls |
//! | `host` | a host of a job: the endpoints of its ranks, and where all others are |
//! | `network` | the protocols between hosts: eager and rendezvous, credits, progress |
//! | `job` | a job, as one of its hosts sees it |
//! | `process` | a rank: its requests, its settings, the state of its use of MPI |
//! | `session` | sessions and process sets |
//! | [`collective`] | collectives as ranks do them: where they meet, and the algorithms within and between hosts |
//! | `comm` | communicators, and how they are made |
//! | `point2point` | sends, receives and probes on a communicator |
//! | `collective_calls` | the collective operations of a communicator |
//! | `file` | files: opening, views, accesses of one rank and of all |
//! | `placement` | communicators with a topology, and where their ranks are placed |
//! | `window` | windows: one-sided communication and its synchronisation |
//! | `universe` | dynamic processes: spawn, connect and accept, join, disconnect |
//! | `world_model` | the world model: initialisation and finalization |

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
mod file;
mod hardware;
mod host;
mod job;
mod layer_state;
mod layout;
pub mod limits;
mod members;
mod network;
mod partitioned;
mod placement;
mod point2point;
mod process;
mod request;
mod selection;
mod session;
mod universe;
mod window;
mod world_model;
mod worlds;

pub use simurgh_base::{
    Comparison, Error, ErrorClass, ErrorCode, ErrorCodes, Group, Info, RankRange, Result, SessionId, Status,
    attribute, constants,
};
use simurgh_base::{error, group, info, portable};
pub use simurgh_datatype as datatype;
pub use simurgh_datatype::{external32, memory, op};
use simurgh_instrument as instrument;
use simurgh_matching as matching;

pub use buffered::{BufferSpace, SendBuffer};
pub use collective_calls::{Collective, Role, Rooted};
pub use comm::{Comm, CommShared, Degrees, SplitType};
pub use deadlock::{Operation, Parts, Remark, Unfinished, Unmatched};
pub use errhandler::ErrorHandler;
pub use file::{AccessStatistics, Amode, File, FileStatistics, Positioning, Split, Whence, file_statistics};
pub use hardware::Hardware;
pub use job::{Abort, Job};
pub use layout::{HostRecord, Layout};
pub use network::{Network, NetworkStats, packets};
pub use point2point::{CompletedSend, Irecv, Message, Mode, Started};
pub use process::{Launch, Phase, Process, Queues, ThreadLevel};
pub use request::{
    Callbacks, Outcome, Request, RequestRef, peek_all, peek_any, peek_some, test_all, test_any, test_some,
    wait_all, wait_any, wait_some,
};
pub use session::{ProcessSet, Session};
pub use simurgh_file as storage;
pub use simurgh_instrument::WindowTraffic;
pub use simurgh_topology::{Cart, DistGraph, EdgeList, Graph, Neighbors, Topology, dims_create};
pub use universe::Spawned;
pub use window::{Flavor, LockKind, Place, Window, assertion, window_statistics};
pub use worlds::Launcher;
