//! The threads of a process, and which of them are none of the program's.

mod futex_waits;

use simurgh_core::sync::{AtomicU64, Ordering};
use simurgh_net::transport::ofi::HEARTBEAT_THREAD;

/// The name of the thread that listens to the launcher.
pub(super) const LISTENER: &str = "simurgh-control";

/// The name of the first thread of a host, which does that where ranks are threads.
pub(super) const HOST: &str = "simurgh-host";

/// The name of the thread that passes signals on.
pub(super) const SIGNAL_DELIVERY: &str = "simurgh-signals";

/// How often the thread that listens has begun to do so, or to act on what it has heard.
static TURNS: AtomicU64 = AtomicU64::new(0);

/// The threads of this process, by number.
pub(super) fn all() -> impl Iterator<Item = u32> {
    let threads = std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    threads.filter_map(|thread| thread.file_name().to_str()?.parse().ok())
}

/// How many there are.
pub(super) fn count() -> usize {
    all().count()
}

/// The threads that libraries of transports have started, on the thread that listens, which calls this: they have its
/// name. So has a thread of ours until it runs, of which each is known as a bystander.
pub(super) fn of_transports() -> usize {
    let is_named = |thread: &u32| {
        let name = std::fs::read_to_string(format!("/proc/self/task/{thread}/comm")).unwrap_or_default();
        is_ours(name.trim_end())
    };
    let ours = 1 + simurgh_core::passive_threads();
    all().filter(is_named).count().saturating_sub(ours)
}

/// Whether a thread of this name is ours, or a transport's, which is named as the thread that has started it.
fn is_ours(name: &str) -> bool {
    [LISTENER, HEARTBEAT_THREAD, HOST, SIGNAL_DELIVERY].contains(&name)
}

/// Runs `f`, in which the thread that listens waits for news.
pub(super) fn listen<R>(f: impl FnOnce() -> R) -> R {
    TURNS.fetch_add(1, Ordering::SeqCst);
    let news = simurgh_core::while_blocked(f);
    TURNS.fetch_add(1, Ordering::SeqCst);
    news
}

/// Whether no thread of this process goes on by itself but the calling one, and those that wake nobody: ours and the
/// transports', by their names, and others that `are_left_out`. All the rest wait for each other, and nobody outside
/// has been asked for anything.
pub(super) fn all_wait(are_left_out: impl Fn(u32) -> bool) -> bool {
    let turns = TURNS.load(Ordering::SeqCst);
    let is_listening = !turns.is_multiple_of(2);
    let is_left_out = |thread, name: &str| is_ours(name) || are_left_out(thread);
    is_listening
        && simurgh_core::expectations() == 0
        && futex_waits::all_wait_for_each_other(is_left_out)
        && simurgh_core::expectations() == 0
        && TURNS.load(Ordering::SeqCst) == turns
}
