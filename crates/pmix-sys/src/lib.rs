//! PMIx, by which Slurm, PRRTE and Open MPI's launcher serve their processes: the functions of its library that a
//! process of a job needs, found at run time, and their types; and a [`Server`] for the processes of a node.
//!
//! The interface has been the same since version 2 of the library, whose soname is `libpmix.so.2` up to version 6. It
//! is declared by hand, since little of it is needed. Only a test, which compares the declarations, needs the headers.
//!
//! # Layers
//!
//! Each module imports only from those above it in this list:
//!
//! | module | what it is |
//! |---|---|
//! | `raw` | types and constants |
//! | `library` | the functions of the library, found at run time |
//! | `server` | a server for the processes of a node |
//!
//! Depends on `simurgh-library`. `unsafe` by its nature.

mod library;
mod raw;
mod server;

pub use library::{
    Abort, Commit, ErrorString, EventHandler, FenceNb, Finalize, Get, Handled, Init, Library, LoadError,
    OpDone, Put, RegisterEventHandler, Registered,
};
pub use raw::*;
pub use server::{Event, Job, Listener, Process, RemoteNodes, Reply, Server, ServerError};
