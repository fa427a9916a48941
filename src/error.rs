//! The errors of a run.

use crate::activity::Wait;
use simurgh_host::PolicyError;
use simurgh_sched::SchedError;
use simurgh_settings::BadValue;

/// The most ranks that a run may have.
pub const RANKS_MAX: usize = 1 << 20;

/// The reason why a run failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A rank panicked.
    #[error("rank {rank} panicked{}: {message}", at(place.as_deref()))]
    Panicked {
        /// The rank in the world.
        rank: usize,
        /// The file, the line and the column; none if the rank has unwound without calling the panic hook.
        place: Option<String>,
        /// The message of the panic.
        message: String,
    },
    /// A rank aborted the run.
    #[error("rank {rank} aborted the run with code {code}")]
    Aborted {
        /// The rank in the world.
        rank: usize,
        /// The code that it passed.
        code: i32,
    },
    /// A rank failed: what [`Builder::try_run`](crate::Builder::try_run) runs has returned an error, or the rank left a
    /// scope or an epoch with one and waited there for ranks that could not come.
    #[error("rank {rank} failed: {message}")]
    Failed {
        /// The rank in the world.
        rank: usize,
        /// The error.
        message: String,
    },
    /// All ranks that have not ended are blocked, and nothing could wake one.
    #[error("deadlock: every rank that has not ended is blocked: {}", list(waits))]
    Deadlock {
        /// The call that each of them waits in.
        waits: Vec<Wait>,
    },
    /// The engine refused to begin or to end a rank.
    #[error("rank {rank}: {error}")]
    Engine {
        /// The rank in the world.
        rank: usize,
        /// The error of the engine.
        error: simurgh_mpi::Error,
    },
    /// A launcher has started this process for one run, which has begun before.
    #[error("a process that a launcher has started takes part in one run, and this is another one")]
    Again,
    /// An environment variable has no valid value.
    #[error(transparent)]
    Setting(#[from] BadValue),
    /// The number of ranks is zero, or larger than supported.
    #[error("{asked} ranks asked for: choose 1 to {RANKS_MAX}")]
    Ranks {
        /// The number that was asked for.
        asked: usize,
    },
    /// There is no scheduling policy where the settings say.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The virtual processors or a rank's stack could not be made.
    #[error(transparent)]
    Scheduler(#[from] SchedError),
}

impl RunError {
    /// The exit status of a job that ends so.
    pub(crate) fn status(&self) -> u8 {
        /// That of a Rust program whose main thread has panicked.
        const PANICKED: u8 = 101;
        match self {
            Self::Panicked { .. } => PANICKED,
            // A parent process sees the lowest byte; it must not be that of success.
            Self::Aborted { code, .. } => code.to_le_bytes()[0].max(1),
            _ => 1,
        }
    }
}

/// The words for a place.
fn at(place: Option<&str>) -> String {
    place.map_or_else(String::new, |place| format!(" at {place}"))
}

/// The number of waits that a message shows; a run may have thousands.
const SHOWN: usize = 16;

fn list(waits: &[Wait]) -> String {
    let mut lines: Vec<String> = waits.iter().take(SHOWN).map(Wait::to_string).collect();
    if waits.len() > SHOWN {
        lines.push(format!("and {} more", waits.len() - SHOWN));
    }
    lines.join("; ")
}
