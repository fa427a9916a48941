//! Private copies of an ELF program and its libraries for each rank.
//!
//! [`Program::open`] and [`Program::check`] find out whether a program can run so. [`Prepared`] is made once per host
//! process, [`Prepared::instantiate`] is called once per rank on the rank's own execution context, and
//! [`Instance::run`] runs the program there. [`reserve_tls`] sizes the host executable's reservation of thread-local
//! storage.
//!
//! # Layers
//!
//! Each module imports only from those above it in this list:
//!
//! | module | what it is |
//! |---|---|
//! | `elf` | the contents of ELF files |
//! | `own_malloc` | programs that bring their own `malloc` |
//! | `link_map` | the dynamic loader's record of an object |
//! | `ranges` | a range of addresses for each rank |
//! | `memory` | files in memory and mappings of files |
//! | `own_process` | the number of this process in `/proc` |
//! | `source` | a file of an object, mapped for reading |
//! | `reason` | why a program cannot run in threads mode |
//! | `tls` | the layout of thread-local storage |
//! | `error` | [`ImageError`] |
//! | `reservation` | the host's reservation of thread-local storage |
//! | `closure` | the libraries that a program uses |
//! | `program` | [`Program`], the executable of ranks |
//! | `fortran` | the run-times of Fortran in objects |
//! | `own_fortran` | those of a process that is a rank by itself |
//! | `object` | an object with its place in the image |
//! | `pieces` | the mappings of which an image consists |
//! | `master` | the file with the data that all images begin with |
//! | `link` | linking a program with its libraries, once for all ranks |
//! | `shim` | the file of the shim, the rank's own part of libc (in C, under shim/) |
//! | `check` | whether a program's ranks can live in one process |
//! | `linked_program` | a linked program: what all its images share |
//! | `assembly` | making a linked program of objects |
//! | `arena` | the addresses at which images lie |
//! | `object_code` | constructors and destructors, as the shim calls them |
//! | `load` | mapping an image, and changing what is different in each |
//! | `objects` | telling the process of the objects in images |
//! | `dl` | `dlopen` and its relatives for a rank, and libraries that it loads while it runs |
//! | `maps` | `/proc/self/maps` as a rank is to see it |
//! | `hooks` | [`Hooks`], the functions of the host that the shim calls |
//! | `signals` | [`Signals`], telling a rank of signals |
//! | `instance` | [`Instance`], a rank's program ready to run |
//! | `prepared` | [`Prepared`], a program ready to be instantiated |
//!
//! Costs per rank: a mapping for each segment, an addition for each word that points into the image, and the pages in
//! which these lie; nothing that grows with the number of ranks. Depends on no other crate of the workspace. What is
//! private and what is shared: docs and tests/programs.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod arena;
mod assembly;
mod check;
mod closure;
mod dl;
mod elf;
mod error;
mod fortran;
mod hooks;
mod instance;
mod link;
mod link_map;
mod linked_program;
mod load;
mod maps;
mod master;
mod memory;
mod object;
mod object_code;
mod objects;
mod own_fortran;
mod own_malloc;
mod own_process;
mod pieces;
mod prepared;
mod program;
mod ranges;
mod reason;
mod reservation;
mod shim;
mod signals;
mod source;
mod tls;

pub use check::{Fit, LibraryUse, MpiLink};
pub use error::ImageError;
pub use hooks::{Hooks, MainThread, ProcessorSet, RankContext};
pub use instance::{Flusher, ImageState, Instance};
pub use load::FilePart;
pub use objects::AllocatorFunctions;
pub use own_fortran::{flush_own_fortran, is_own_crash_handler};
pub use own_process::number_in_proc;
pub use prepared::{Options, Prepared};
pub use program::{NATIVE_KIND, NATIVE_OWNER, Program};
pub use ranges::ImageRanges;
pub use reason::Reason;
pub use reservation::reserve_tls;
pub use signals::{Delivery, Signals};
pub use tls::TlsNeed;
