//! Processes that ranks have started and that have lost their parents.

use rustix::process::{Pid, Signal, WaitOptions};

/// A fork bomb must not keep the launcher for ever.
const ROUNDS: usize = 1000;

/// Kills what ranks have started, and what that has started, until nothing is left.
pub(crate) fn kill() {
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

/// The launcher's children.
fn children() -> Vec<Pid> {
    let own = rustix::process::getpid().as_raw_nonzero();
    let list = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
    list.split_whitespace()
        .filter_map(|pid| Pid::from_raw(pid.parse().ok()?))
        .collect()
}
