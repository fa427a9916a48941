//! What the Fortran interface of MPI looks like, derived from the declarations of the C functions.
//!
//! A function that is declared for C has its Fortran procedures at once. What a C prototype does not say comes from
//! rules about names ([`table`]): which integers are logicals, which count from one, how long arrays are. A parameter
//! that no rule covers is a failure, never a procedure that is left out.
//!
//! # Layers
//!
//! Each module imports only from those above it in this table.
//!
//! | module | what it is |
//! |---|---|
//! | `model` | procedures, parameters, kinds, names: what there is to say about the interface |
//! | `table` | rules and exceptions by name: what C prototypes do not say |
//! | `derive` | the model, from the declarations and the table |
//! | `wrappers` | the Rust source of the library's procedures, from the model |
//! | `constants` | the constants, from their declarations |
//! | `fortran` | the sources in Fortran: modules and include file |

pub mod constants;
pub mod derive;
pub mod fortran;
pub mod model;
pub mod table;
pub mod wrappers;

pub use constants::constants;
pub use derive::procedures;
