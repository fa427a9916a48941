//! libfabric: its types as its headers declare them, its functions as they are found at run time.
//!
//! * [`Library`] is `libfabric.so.1`. It is opened when it is first needed, so a program runs without it where it is
//!   not needed, and uses a newer one where a site has it. Only the functions that create the first objects are looked
//!   up by name.
//! * All other functions are called through the tables that objects carry. libfabric's headers do so in inline
//!   functions, which [`calls`] has in Rust.
//!
//! The declarations are those of the headers of [`VERSION`]. That is the version which is asked of the library, and in
//! whose terms it answers. No header is needed to build this crate; a test compares the declarations with them.
//! Structures that a newer library may have made longer are made by the library itself (see [`Library::fi_dupinfo`])
//! or have room to spare ([`ErrorEntry`]).
//!
//! # Layers
//!
//! Each module imports only from those above it in this list:
//!
//! | module | what it is |
//! |---|---|
//! | `raw` | the declarations of the headers |
//! | `error_entry` | the entry of a completion queue for an error, with room to spare |
//! | `signals` | leaving the program's signal handlers alone |
//! | `kernel_symbols` | leaving the names of the kernel's symbols unread |
//! | `library` | the library and the functions that are found by name |
//! | `testing` | what tests share |
//! | `calls` | the inline functions of the headers |
//!
//! Depends on `simurgh-library`. `unsafe` by its nature.

pub mod calls;
mod error_entry;
mod kernel_symbols;
mod library;
mod raw;
mod signals;
#[cfg(test)]
mod testing;

pub use error_entry::ErrorEntry;
pub use library::{Library, LoadError, VERSION};
pub use raw::*;
pub use signals::leave_signals_alone;
