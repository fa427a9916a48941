//! PMI-1 and PMI-2, the protocols of the launchers of MPICH and Intel MPI, and of Slurm's pmi2 plugin.
//!
//! Each process has a connection of its own, and all processes of the job share a key-value space. Requests and answers
//! are [`simurgh_net::pmi::Message`]s, whose words are those of a [`dialect`]. The first request says which of the two
//! the client speaks. The client prefers PMI-1, which all known servers speak, and takes PMI-2 where the server wants
//! it.

mod client;
mod connection;
mod dialect;

pub(super) use client::{Client, DESCRIPTOR, PORT, has_descriptor};
pub(super) use dialect::Dialect;
