//! The MPI 5.0 standard C ABI of Simurgh: `libmpi_abi.so.1`.
//!
//! No logic lives here: a function checks its arguments, turns handles into objects of the engine (`simurgh-mpi`),
//! calls it and turns the result back. Each is declared once (see [`functions`]); exports, large-count twins, error
//! handling and the C header follow from the declaration. May depend on every other crate but the launcher.
//!
//! * [`types`], [`constants`]: what the standard's ABI fixes.
//! * [`boundary`]: the parameter types, where C pointers become something safe code can use.
//! * `tables`: the objects of a rank by handle. `call`: what surrounds every call.

pub mod boundary;
mod call;
mod callback;
pub mod constants;
pub mod fault;
pub mod functions;
mod host;
mod singleton;
mod tables;
mod tool;
pub mod types;
