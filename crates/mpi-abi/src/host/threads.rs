//! The threads of a process, and which of them are none of the program's.

use simurgh_net::transport::ofi::WATCH_THREAD;
use std::fs::DirEntry;

/// The name of the thread that listens to the launcher.
pub(super) const LISTENER: &str = "simurgh-control";

/// The threads of this process.
pub(super) fn count() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

/// The threads that libraries of transports have started, on the thread that listens, which calls this: they have its
/// name. So has a thread of ours until it runs, of which each is known as a bystander.
pub(super) fn of_transports() -> usize {
    let threads = std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    let is_named = |thread: &DirEntry| {
        let name = std::fs::read_to_string(thread.path().join("comm")).unwrap_or_default();
        [LISTENER, WATCH_THREAD].contains(&name.trim_end())
    };
    let ours = 1 + simurgh_core::bystanders();
    threads.filter(is_named).count().saturating_sub(ours)
}
