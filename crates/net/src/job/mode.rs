//! How the ranks of a program live.

use serde::{Deserialize, Serialize};

/// How the ranks of a program live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Those of a host in one process, each in a private copy of the program.
    #[default]
    Threads,
    /// Each in a process of its own, in which the launcher has started the program itself.
    Processes,
}
