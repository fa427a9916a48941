//! The programs that a user meets: `mpiexec`, the compiler wrappers `mpicc` and `mpicxx`, and `simurgh`.
//!
//! `mpiexec` reads its command line ([`args`]), finds the programs and asks the image crate whether they can run
//! ([`program`]), describes the job ([`describe`]), starts the hosts ([`hosts`]), and then only waits, introducing hosts
//! to each other and passing on signals ([`supervise`]). All of that is done by a second process, so that the first can
//! be killed ([`process::monitor`]). A program that runs without `mpiexec` may start one, which adopts it
//! ([`mpiexec::singleton`]). `mpiexec` prints nothing but errors, unless it is asked to. The host itself is a few lines
//! (`host/main.rs`) that load `libmpi_abi.so.1`, in which the runtime lives.
//!
//! The library is safe Rust; of the programs only the host has to call C.
//!
//! # Layers
//!
//! The modules stand below in their order. Each imports only from those before it.

#![forbid(unsafe_code)]

/// The agent of a node.
pub mod agent;
/// The command line of `mpiexec`.
pub mod args;
/// Which worlds are connected by communicators.
mod connections;
/// Job descriptions, of command lines and of spawned programs.
mod describe;
/// The reasons why a job cannot be started or go on.
pub mod error;
/// The command through which hosts are started.
pub mod host_wrapper;
/// Host processes: started, bound, given memory, watched.
mod hosts;
/// The files of this installation.
pub mod installation;
/// `mpiexec` itself.
pub mod mpiexec;
/// The nodes of a job: lists, allocations, the mapping of ranks, the commands that reach them.
pub mod nodes;
/// The out-of-band channel: authenticated frames between processes of launchers.
mod oob;
/// PMI-1, PMI-2 and PMIx for programs of other MPIs.
mod pmi;
/// Ports and published names.
mod ports;
/// What the launcher needs of the kernel: signals, waiting, orphans, the monitor process.
pub mod process;
/// Programs: where they are, what they are linked with, whether their ranks are threads or processes.
pub mod program;
/// What `simurgh` prints.
pub mod report;
/// The supervisor of a job, from its first host to its last.
mod supervise;
/// The tree of agents: its messages and connections.
mod tree;
/// The universe: the server by which jobs of several launchers meet, and its clients.
pub mod universe;
/// The compiler wrappers.
pub mod wrapper;

/// The version that every tool prints.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
