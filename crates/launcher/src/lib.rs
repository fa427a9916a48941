//! The programs that a user meets: `mpiexec`, the compiler wrappers `mpicc` and `mpicxx`, and `simurgh`.
//!
//! `mpiexec` reads its command line ([`args`]), finds the programs ([`program`]), asks the image crate whether they
//! can run ([`fit`]), writes the job description and starts the hosts with it ([`start`]), and then only waits,
//! introducing hosts to each other and passing on signals ([`supervise`]). All of that is done by a second process, so
//! that the first can be killed ([`front`]). A program that runs without `mpiexec` may start one, which takes it
//! over ([`takeover`]). It prints nothing of its own but errors, unless it is asked to. The host itself is a few lines
//! (`host/main.rs`) that load `libmpi_abi.so.1`, in which the runtime lives.
//!
//! The library is safe Rust; of the programs only the host has to call C.

#![forbid(unsafe_code)]

pub mod agent;
pub mod args;
mod binding;
pub mod check;
pub mod collectives;
mod describe;
mod environment;
pub mod error;
pub mod file_limit;
pub mod fit;
pub mod front;
pub mod info;
pub mod installation;
mod memories;
mod mode;
pub mod nodes;
mod openmp;
pub mod pmix;
pub mod prefix;
pub mod preload;
pub mod program;
mod shares;
mod spawn;
pub mod start;
pub mod supervise;
pub mod takeover;
mod unique;
pub mod universe;
pub mod wrapper;

/// The version that every tool prints.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
