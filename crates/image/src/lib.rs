//! Private copies of an ELF program and its libraries for each rank.
//!
//! [`Program::open`] and [`Program::check`] say whether a program can run so, [`Prepared`] is made once per host
//! process, [`Prepared::instantiate`] once per rank, on the rank's own execution context, and [`Instance::run`] runs
//! it there. [`reserve_tls`] sizes the host executable's reservation of thread-local storage.
//!
//! Layers, bottom up: `elf` reads files, `memory` maps them, `template` makes master copies, `load` a rank's copies,
//! `shim` is the rank's own part of libc (in C, under shim/). Costs per rank: one memfd per object, written only
//! where the dynamic loader reads; one dlopen; four to eight mmaps per object; two to five private pages per object.
//! Depends on no other crate of the workspace. What is private and what is shared: docs and tests/programs.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod check;
mod closure;
mod elf;
mod error;
mod hooks;
mod instance;
mod load;
mod maps;
mod memory;
mod own_process;
mod prepared;
mod program;
mod reason;
mod reservation;
mod shim;
mod source;
mod template;
mod tls;

pub use check::{Fit, LibraryUse, MpiLink};
pub use error::ImageError;
pub use hooks::{Hooks, MainThread, ProcessorSet, RankContext};
pub use instance::{Flusher, Instance};
pub use own_process::number_in_proc;
pub use prepared::{Options, Prepared};
pub use program::Program;
pub use reason::Reason;
pub use tls::{TlsNeed, reserve_tls};
