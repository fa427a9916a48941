//! The declarations of the MPI C ABI: what one `#[mpi]` function stands for, and where the declarations are.
//!
//! The attribute itself (`simurgh-mpi-abi-macros`), the generator of the C headers and that of the Fortran interface
//! all read the declarations through this crate, so they agree on names, widths and parameters.
//!
//! # Layers
//!
//! Each module imports only from those above it in this table.
//!
//! | module | what it is |
//! |---|---|
//! | [`declaration`] | options, C names, widths of the placeholder types, and the functions of a declaration |
//! | [`collect`] | all declarations and constants of the interface, read from its sources |

pub mod collect;
pub mod declaration;

pub use collect::{Constant, Declared, Value, parse};
pub use declaration::{Exported, Options, Width, declared, exported, parameters, returns_outcome};
