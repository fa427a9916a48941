//! The constants of the standard, with the values of its ABI chapter.
//!
//! The header is generated from these declarations, so a program may name any of them, whether or not a function that
//! takes it exists yet. A test compares all of them with the reference header.

#![allow(missing_docs, reason = "the MPI standard says what each one means")]

pub mod addresses;
pub mod errors;
pub mod handles;
pub mod tool;
pub mod values;

pub use addresses::*;
pub use errors::*;
pub use handles::*;
pub use values::*;
