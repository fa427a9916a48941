//! The tests of the engine, in one program, which builds in a fraction of the time that one for each file takes.
//!
//! `./x test` runs each module in a process of its own.
#![allow(missing_docs, reason = "a test")]

mod collectives;
mod common;
mod communicators;
mod deadlock;
mod duplicates;
mod files;
mod generalised;
mod hosts;
mod hosts_collectives;
mod hosts_communicators;
mod intercommunicators;
mod intra_host;
mod many_communicators;
mod meetings;
mod nonblocking_collectives;
mod partitioned;
mod point2point;
mod probes;
mod requests;
mod sessions;
mod splits;
mod threads;
mod topologies;
mod universe;
mod windows;
