//! PMI-1 and PMI-2, by which the launchers of MPICH and Intel MPI, and Slurm's pmi2, serve their processes.
//!
//! Each process has a connection of its own, and a space of keys and values that all processes of the job share.
//! Requests and answers are [`simurgh_net::pmi::Message`]s, whose words are those of a [`dialect`]. The first request
//! says which of the two the client speaks; we prefer PMI-1, which all servers known to us speak, and take PMI-2 where
//! the server wants it.

mod client;
mod connection;
mod dialect;

pub(super) use client::{Client, DESCRIPTOR, PORT, has_descriptor};
pub(super) use dialect::Dialect;
