//! Reaping processes that ranks have started and that have lost their parents.

use crate::error::LaunchError;
use rustix::process::{Pid, Signal, WaitOptions};
use simurgh_image::number_in_proc;

/// Most rounds of killing, so that a fork bomb does not keep the launcher for ever.
const ROUNDS: usize = 1000;

/// Makes this process a subreaper: the kernel makes it the parent of every descendant that has lost its own.
///
/// # Errors
///
/// When the kernel refuses.
pub(crate) fn become_subreaper() -> Result<(), LaunchError> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(|error| LaunchError::Supervise(error.into()))
}

/// Kills all children of this process. It inherits their children in turn, and kills those, until none is left.
pub(crate) fn kill_orphans() {
    for _ in 0..ROUNDS {
        let children = children();
        if children.is_empty() {
            return;
        }
        for pid in children {
            let _ = rustix::process::kill_process(pid, Signal::KILL);
            let _ = rustix::process::waitpid(Some(pid), WaitOptions::empty());
        }
    }
}

/// The children of this process.
fn children() -> Vec<Pid> {
    let own = number_in_proc();
    let list = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(pid_of).collect()
}

/// The pid of a process in the pid namespace of this one, from its number in /proc.
fn pid_of(process: &str) -> Option<Pid> {
    let number = match number_in_proc() == std::process::id() {
        true => process.parse().ok(),
        false => {
            // A process has a pid in each namespace from that of /proc down to its own, which may lie deeper than ours.
            let numbers = |process: &str| {
                let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
                let line = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
                Some(line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
            };
            let depth = numbers("self")?.len();
            numbers(process)?.get(depth - 1)?.parse().ok()
        }
    };
    Pid::from_raw(number?)
}
