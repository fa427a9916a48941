//! The threads of a process, and which of them are none of the program's.

use simurgh_net::transport::ofi::WATCH_THREAD;
use std::fs::DirEntry;

/// The name of the thread that listens to the launcher.
pub(super) const LISTENER: &str = "simurgh-control";

/// The threads of this process.
pub(super) fn count() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

/// The threads that transports have started, on the thread that calls this: they have its name, or one of ours.
pub(super) fn of_transports() -> usize {
    let threads = std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    let is_ours = |thread: &DirEntry| {
        let name = std::fs::read_to_string(thread.path().join("comm")).unwrap_or_default();
        [LISTENER, WATCH_THREAD].contains(&name.trim_end())
    };
    threads.filter(is_ours).count().saturating_sub(1)
}
