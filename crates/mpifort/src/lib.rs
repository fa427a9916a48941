//! The Fortran interface over the standard ABI: `libmpifort_abi.so.1`, for the include file `mpif.h` and the modules
//! `mpi` and `mpi_f08`.
//!
//! All procedures are written once, in C's calling conventions, and serve all compilers: a module holds interfaces,
//! types and constants. Each procedure converts its arguments and calls the C function `MPI_…`, so the library works
//! over any implementation of the standard ABI, and a tool that wraps the C functions sees the calls of Fortran
//! programs. The procedures are generated (`generator`); what they share is here.
//!
//! The library is private to each rank, as all libraries of a program are: the variables whose addresses have a meaning
//! (`MPI_BOTTOM`, `MPI_IN_PLACE`, …) are the rank's own. So it keeps little data that has to be written or relocated,
//! and has no thread-local storage, threads or constructors. `std` would bring all of that, and libgcc's unwinder. The
//! shared library does without: `build.rs` compiles it apart from the rest, with `panic=abort`. The tests compile the
//! crate as any other.
//!
//! # Layers
//!
//! Each module imports only from those above it in this table.
//!
//! | module | what it is |
//! |---|---|
//! | `c` | the functions of the C library |
//! | `freestanding` | what a shared library without `std` has to have |
//! | `foreign` | the C functions, handles and constants, and the conversion of handles |
//! | `sentinel` | the variables whose addresses have a meaning |
//! | `memory` | memory from the C library for a call |
//! | `error` | the error code of a call, and errors of this library |
//! | `text` | strings |
//! | `index` | indices that count from one |
//! | `peers` | how many processes an array of a collective call is for |
//! | `section` | choice buffers: addresses and descriptors, and sections that are not contiguous |
//! | `handles` | arrays of handles |
//! | `start` | what the C library is told about Fortran when MPI starts |
//! | `attribute` | attributes, whichever language sets and gets them |
//! | `callback` | procedures of the program that MPI calls |
//! | `spawn` | the commands of processes to be started |
//! | `irregular` | procedures that are written by hand |
//! | `procedures` | all procedures, and their names |

#![cfg_attr(panic = "abort", no_std)]

mod attribute;
mod c;
mod callback;
mod error;
mod foreign;
#[cfg(panic = "abort")]
mod freestanding;
mod handles;
mod index;
mod irregular;
mod memory;
mod peers;
mod procedures;
mod section;
mod sentinel;
mod spawn;
mod start;
mod text;

#[cfg(test)]
extern crate mpi_abi as _;
