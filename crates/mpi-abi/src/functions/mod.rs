//! The functions of the C interface, by chapter of the standard.
//!
//! Each checks its arguments, turns handles into objects, calls the engine and turns the result back; what the
//! operation does is the engine's business. See [`simurgh_mpi_abi_macros::mpi`] for what a declaration means.

pub mod environment;
pub mod status;
