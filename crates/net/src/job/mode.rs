//! The mode of ranks: threads or processes.

use serde::{Deserialize, Serialize};

/// The mode of the ranks of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The ranks of a host live in one process, each in a private copy of the program.
    #[default]
    Threads,
    /// Each rank has a process of its own, in which the launcher has started the program itself.
    Processes,
}
