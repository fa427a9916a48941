//! Why a run failed.

use crate::activity::Wait;
use simurgh_sched::SchedError;
use simurgh_settings::BadValue;

/// Most ranks of a run.
pub const RANKS_MAX: usize = 1 << 20;

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A rank panicked; the panic hook has shown where.
    #[error("rank {rank} panicked: {message}")]
    Panicked {
        /// The rank in the world.
        rank: usize,
        /// What it said.
        message: String,
    },
    /// A rank ended the run.
    #[error("rank {rank} aborted the run with code {code}")]
    Aborted {
        /// The rank in the world.
        rank: usize,
        /// The code it gave.
        code: i32,
    },
    /// All ranks that have not ended are blocked, and nothing could wake one.
    #[error("deadlock: every rank that has not ended is blocked: {}", list(waits))]
    Deadlock {
        /// Who waits where.
        waits: Vec<Wait>,
    },
    /// The engine refused to begin or to end a rank.
    #[error("rank {rank}: {error}")]
    Engine {
        /// The rank in the world.
        rank: usize,
        /// What the engine says.
        error: simurgh_mpi::Error,
    },
    /// An environment variable has no usable value.
    #[error(transparent)]
    Setting(#[from] BadValue),
    /// No ranks, or more than are supported.
    #[error("{asked} ranks asked for: choose 1 to {RANKS_MAX}")]
    Ranks {
        /// Number asked for.
        asked: usize,
    },
    /// The virtual processors or a rank's stack could not be made.
    #[error(transparent)]
    Scheduler(#[from] SchedError),
}

/// Waits shown in a message; a run may have thousands.
const SHOWN: usize = 16;

fn list(waits: &[Wait]) -> String {
    let mut lines: Vec<String> = waits.iter().take(SHOWN).map(Wait::to_string).collect();
    if waits.len() > SHOWN {
        lines.push(format!("and {} more", waits.len() - SHOWN));
    }
    lines.join("; ")
}
