//! Processes that ranks have started and that have lost their parents.

use rustix::process::{Pid, Signal, WaitOptions};
use simurgh_image::number_in_proc;

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
    let own = number_in_proc();
    let list = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(number_here).collect()
}

/// The number that a process, by its number in /proc, has in this process's pid namespace.
fn number_here(process: &str) -> Option<Pid> {
    let number = match number_in_proc() == std::process::id() {
        true => process.parse().ok(),
        false => {
            // Each has a number in every namespace from that of /proc to its own, which may lie further inside.
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
