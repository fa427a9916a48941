//! Host processes, as the process that starts them has them: how they are started, bound to processors, given shared
//! memory and a control channel, and set.
//!
//! A *host* is a process in which ranks live: all ranks of a node, or some of them, or one. Hosts are started by
//! `mpiexec` on its own machine, and by an agent on every other node; both use this module.

mod binding;
mod command;
mod member;
mod memory_limit;
mod openmp;
mod process;
mod resources;
mod shared_memory;
mod starter;

pub(crate) use binding::bind;
pub(crate) use member::Member;
pub(crate) use process::Singleton;
pub(crate) use resources::SharedResources;
pub(crate) use shared_memory::SharedMemories;
pub(crate) use starter::{Starter, Streams};
