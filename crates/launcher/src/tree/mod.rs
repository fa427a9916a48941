//! The tree of agents: the messages between `mpiexec` and the agents of its nodes, and the connections over which they
//! pass.
//!
//! Each process of the tree starts at most `--tree-width` agents itself. Each of those is the root of a branch: it
//! starts the agents of the other nodes of its branch.

mod branch;
mod command;
mod fragment;
mod loss;
pub(crate) mod message;

pub(crate) use branch::{Branch, HIGH_WATER, duplicate, no_sign_of_life, split};
pub(crate) use command::LaunchCommand;
pub(crate) use fragment::{Reassembly, fragments};
pub(crate) use loss::Loss;
