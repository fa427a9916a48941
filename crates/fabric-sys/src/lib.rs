//! libfabric: its types as the installed headers declare them, its functions as they are found at run time.
//!
//! * [`Library`]: `libfabric.so.1`, opened when somebody asks for it, so that a program runs where there is none and a
//!   newer one is used where a site has it. Only what creates the first objects is looked up by name.
//! * All else goes through the tables of functions that objects carry: libfabric's headers do so in inline functions,
//!   which [`calls`] has in Rust.
//!
//! The declarations are those of the headers at build time; [`VERSION`] is what is asked of the library, which answers
//! in that version's terms. Structures that a newer library may have made longer are made by the library itself (see
//! [`Library::fi_dupinfo`]) or have room to spare ([`ErrorEntry`]).
//!
//! Depends on `simurgh-library`. `unsafe` by its nature.

pub mod calls;
mod error_entry;
mod library;
mod raw;
mod signals;

pub use error_entry::ErrorEntry;
pub use library::{Library, LoadError, VERSION};
pub use raw::*;
