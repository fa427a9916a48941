//! The mode of ranks: threads of a host, closures of a native program, or processes.

use serde::{Deserialize, Serialize};

/// The mode of the ranks of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The ranks of a host live in one process, each in a private copy of the program.
    #[default]
    Threads,
    /// The ranks of a host live in one process, in which the launcher has started the program itself: a Rust program,
    /// whose ranks are closures.
    Native,
    /// Each rank has a process of its own, in which the launcher has started the program itself.
    Processes,
}

impl Mode {
    /// Whether the launcher starts the program itself, and not the host's executable.
    #[must_use]
    pub fn starts_program(self) -> bool {
        self != Self::Threads
    }

    /// Whether a process may have several ranks.
    #[must_use]
    pub fn shares_process(self) -> bool {
        self != Self::Processes
    }
}
