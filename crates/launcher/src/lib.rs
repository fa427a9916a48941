//! The programs that a user meets: `mpiexec`, the compiler wrappers `mpicc`, `mpicxx` and `mpifort`, and `simurgh`.
//!
//! `mpiexec` reads its command line ([`args`]), finds the programs and asks the image crate whether they can run
//! ([`program`]), describes the job (`describe`), starts the hosts (`hosts`), and then only waits, wiring hosts up to
//! each other and passing on signals (`supervise`). All of that is done by a second process, so that the first can be
//! killed ([`process::monitor`]). A program that runs without `mpiexec` may start one, which adopts it
//! ([`mpiexec::singleton`]). `mpiexec` prints nothing but errors, unless it is asked to. The host itself is a few lines
//! (`host/main.rs`) that load `libmpi_abi.so.1`, in which the runtime lives.
//!
//! The library is safe Rust; of the programs only the host has to call C.
//!
//! # Layers
//!
//! Each module imports only from those above it in this table.
//!
//! | module | what it is |
//! |---|---|
//! | `error` | why a job cannot be started or supervised |
//! | `process` | what the launcher needs of the kernel: signals, waiting, orphans, the monitor process |
//! | `oob` | the out-of-band channel: authenticated frames between processes of launchers |
//! | `installation` | the files of this installation |
//! | `program` | programs: where they are, what they are linked with, whether their ranks are threads or processes |
//! | `pmi` | PMI-1, PMI-2 and PMIx for programs of other MPIs |
//! | `nodes` | the nodes of a job: lists, allocations, the mapping of ranks, the commands that reach them |
//! | `host_wrapper` | the command through which hosts are started |
//! | `args` | the command line of `mpiexec` |
//! | `describe` | job descriptions, of command lines and of spawned programs |
//! | `hosts` | host processes: started, bound, given memory, watched |
//! | `tree` | the tree of agents: its messages and connections |
//! | `agent` | the agent of a node |
//! | `connections` | which worlds are connected by communicators |
//! | `ports` | ports and published names |
//! | `universe` | the server by which jobs of several launchers meet, and its clients |
//! | `supervise` | the supervisor of a job, from its first host to its last |
//! | `mpiexec` | `mpiexec` itself |
//! | `report` | what `simurgh` prints |
//! | `wrapper` | the compiler wrappers |

#![forbid(unsafe_code)]

pub mod agent;
pub mod args;
mod connections;
mod describe;
pub mod error;
pub mod host_wrapper;
mod hosts;
pub mod installation;
pub mod mpiexec;
pub mod nodes;
mod oob;
mod pmi;
mod ports;
pub mod process;
pub mod program;
pub mod report;
mod supervise;
mod tree;
pub mod universe;
pub mod wrapper;

/// The version that every tool prints.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
