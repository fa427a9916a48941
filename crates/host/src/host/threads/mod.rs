//! The threads of a process, and which of them belong to the library.

mod futex_waits;

use crate::host::signals;
use simurgh_core::sync::{AtomicU64, Ordering};
use simurgh_net::transport::ofi::HEARTBEAT_THREAD;
use std::path::Path;

/// The name of the thread that listens to the launcher.
pub(super) const LISTENER: &str = "simurgh-control";

/// The name of the first thread of a host, which listens where ranks are threads.
pub(super) const HOST: &str = "simurgh-host";

/// The name of the signal delivery thread.
pub(super) const SIGNAL_DELIVERY: &str = "simurgh-signals";

/// The names of threads that listen to the launcher or watch other hosts, and so those of transports.
const SYSTEM: [&str; 3] = [LISTENER, HEARTBEAT_THREAD, HOST];

/// The number of times that the listening thread has begun to wait, or to handle an event.
static TURNS: AtomicU64 = AtomicU64::new(0);

/// The threads of this process, by number. Some may be missing while others end.
pub(super) fn all() -> impl Iterator<Item = u32> {
    let threads = std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    threads.filter_map(|thread| thread.file_name().to_str()?.parse().ok())
}

/// Whether a thread of this process is there, perhaps about to end.
pub(super) fn is_there(thread: u32) -> bool {
    Path::new(&format!("/proc/self/task/{thread}")).exists()
}

/// The number of threads that the libraries of transports have started. It is found on the listening thread, whose name
/// these threads inherit. The library's own threads also have this name until they run, and are counted as passive
/// threads.
pub(super) fn of_transports() -> usize {
    let is_named = |thread: &u32| is_ours(*thread, &name_of(*thread));
    let ours = 1 + simurgh_core::passive_threads();
    all().filter(is_named).count().saturating_sub(ours)
}

/// Whether a thread belongs to the library, or to a transport, whose threads are named after the thread that starts
/// them.
///
/// The signal delivery thread is known by its number. The threads of ranks that it starts to tell of events are named
/// after it.
fn is_ours(thread: u32, name: &str) -> bool {
    SYSTEM.contains(&name) || signals::delivery_thread() == Some(thread)
}

/// Whether a thread listens to the launcher, watches other hosts, or belongs to a transport.
pub(super) fn listens_or_watches(thread: u32) -> bool {
    SYSTEM.contains(&name_of(thread).as_str())
}

/// The name of a thread of this process; empty if it has ended.
fn name_of(thread: u32) -> String {
    let name = std::fs::read_to_string(format!("/proc/self/task/{thread}/comm")).unwrap_or_default();
    name.trim_end().to_owned()
}

/// Runs `f`, in which the listening thread waits for events.
pub(super) fn listen<R>(f: impl FnOnce() -> R) -> R {
    TURNS.fetch_add(1, Ordering::SeqCst);
    let news = simurgh_core::while_blocked(f);
    TURNS.fetch_add(1, Ordering::SeqCst);
    news
}

/// Whether no thread of this process goes on by itself. Left out are the calling thread, the threads of the library and
/// of transports, and those that `are_left_out`, none of which wake others. All the rest wait for each other, and
/// expect nothing from outside.
pub(super) fn all_wait(are_left_out: impl Fn(u32) -> bool) -> bool {
    let turns = TURNS.load(Ordering::SeqCst);
    let is_listening = !turns.is_multiple_of(2);
    let is_left_out = |thread, name: &str| is_ours(thread, name) || are_left_out(thread);
    is_listening
        && simurgh_core::expectations() == 0
        && futex_waits::all_wait_for_each_other(is_left_out)
        && simurgh_core::expectations() == 0
        && TURNS.load(Ordering::SeqCst) == turns
}
