//! The threads of a process, and which of them are none of the program's.

use std::fs::DirEntry;

/// The name of the thread that listens to the launcher.
pub(super) const LISTENER: &str = "simurgh-control";

/// The threads of this process.
pub(super) fn count() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

/// The threads that libraries of transports have started, on the thread that listens, which calls this: they have its
/// name.
pub(super) fn of_transports() -> usize {
    let threads = std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    let is_theirs = |thread: &DirEntry| {
        let name = std::fs::read_to_string(thread.path().join("comm")).unwrap_or_default();
        name.trim_end() == LISTENER
    };
    threads.filter(is_theirs).count().saturating_sub(1)
}
