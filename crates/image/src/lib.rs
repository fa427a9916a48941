//! Private copies of an ELF program and its libraries for each rank.
//!
//! [`Program::open`] and [`Program::check`] say whether a program can run so, [`Prepared`] is made once per host
//! process, [`Prepared::instantiate`] once per rank, on the rank's own execution context, and [`Instance::run`] runs
//! it there. [`reserve_tls`] sizes the host executable's reservation of thread-local storage.
//!
//! Layers, bottom up: `elf` reads files, `memory` maps them, `object` is one of them with its place, `link` links them
//! once for all ranks, `master` holds what that gives, `pieces` says what is mapped where, `arena` at which addresses,
//! `load` makes a rank's image of it, `objects` tells the process of it, `shim` is the rank's own part of libc (in C,
//! under shim/). Costs per rank: a mapping for each segment, an addition for each word that points into the image, and
//! the pages in which these lie; nothing that grows with the number of ranks.
//! Depends on no other crate of the workspace. What is private and what is shared: docs and tests/programs.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod arena;
mod check;
mod closure;
mod elf;
mod error;
mod hooks;
mod instance;
mod link;
mod load;
mod maps;
mod master;
mod memory;
mod object;
mod objects;
mod own_process;
mod pieces;
mod prepared;
mod program;
mod reason;
mod reservation;
mod shim;
mod signals;
mod source;
mod tls;

pub use check::{Fit, LibraryUse, MpiLink};
pub use error::ImageError;
pub use hooks::{Hooks, MainThread, ProcessorSet, RankContext};
pub use instance::{Flusher, Instance};
pub use own_process::number_in_proc;
pub use prepared::{Options, Prepared};
pub use program::Program;
pub use reason::Reason;
pub use signals::{Delivery, Signals};
pub use tls::{TlsNeed, reserve_tls};
