//! The MPI 5.0 standard C ABI of Simurgh: `libmpi_abi.so.1`.
//!
//! A function of the C interface checks its arguments, turns handles into objects of the engine (`simurgh-mpi`), calls
//! the engine and turns the result back; it holds no logic of MPI. Each function is declared once (see [`functions`]).
//! The exported symbols, the large-count twins, the error handling and the C header follow from the declaration. The
//! crate may depend on every other crate but the launcher. The process in which ranks live is `simurgh-host`.
//!
//! # Layers
//!
//! Each module imports only from those above it in this table.
//!
//! | module | what it is |
//! |---|---|
//! | [`types`] | the types of the standard's ABI |
//! | [`error`] | a failed call, and the object that its error is raised on |
//! | `callback` | pointers to functions of the program |
//! | [`constants`] | the constants of the standard's ABI |
//! | [`arguments`] | argument conversion: parameter types that make C pointers usable for safe code |
//! | `start` | the entry of the host's executable |
//! | `singleton` | singleton init, and the process of the calling thread |
//! | `handles` | the handle tables of a rank: the objects behind the handles of the program |
//! | `tool` | what all calls of the tool information interface share, and the delivery of its events |
//! | `call` | the entry of every other call, and error dispatch |
//! | [`functions`] | the functions themselves, by chapter of the standard |

pub mod arguments;
mod call;
mod callback;
pub mod constants;
pub mod error;
pub mod functions;
mod handles;
mod singleton;
mod start;
mod tool;
pub mod types;
