//! The functions of the kernel with which the launcher starts, watches and ends processes.

mod exit;
mod file_limit;
pub mod monitor;
mod poll;
mod reaper;
mod signals;

pub(crate) use exit::{exit_code, exit_words};
pub use file_limit::FileLimit;
pub(crate) use poll::PollSet;
pub(crate) use reaper::{become_subreaper, kill_orphans};
pub(crate) use signals::Signals;

use std::time::Duration;

/// The time that processes have to end after a signal, or when they are told to. What is left then is killed.
pub const GRACE: Duration = Duration::from_millis(500);
