//! External wakers: those that may wake execution contexts from outside of all virtual processors.
//!
//! Deadlock detection has to know of them, since nobody waits for ever while there is one. Each count is changed before
//! what it counts can have an effect.

use super::thread_counts::ThreadCounts;
use super::{current, worker};
use crate::machine::kernel_threads;
use crate::sync::{AtomicUsize, Ordering};

/// The threads of the process. Its wakers are attached threads that are not blocked in [`park`](super::park), and
/// expected wake-ups.
static THREADS: ThreadCounts = ThreadCounts::new();
/// The number of expected wake-ups ([`begin_expecting`], [`while_expecting`]).
static EXPECTED: AtomicUsize = AtomicUsize::new(0);

/// A thread that is not attached and wakes no execution context by itself. It does not count as an external waker.
///
/// Make the value when the thread exists: in the thread itself, or after its start. Drop it before the thread ends.
/// Otherwise a thread that runs might be taken for this one while this one does not exist.
#[derive(Debug)]
pub struct PassiveThread(());

impl PassiveThread {
    /// Counts one more passive thread.
    #[must_use]
    pub fn new() -> Self {
        THREADS.add_passive();
        Self(())
    }
}

impl Default for PassiveThread {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for PassiveThread {
    fn drop(&mut self) {
        THREADS.remove_passive();
    }
}

/// The number of [`PassiveThread`]s.
#[must_use]
pub fn passive_threads() -> usize {
    THREADS.passive()
}

/// Counts one more attached thread, which runs.
pub(super) fn attach() {
    THREADS.attach();
}

/// Counts one attached thread less, which was running and goes on.
pub(super) fn detach() {
    THREADS.detach();
}

/// The number of attached threads.
#[must_use]
pub fn attached_count() -> usize {
    THREADS.attached()
}

/// Whether the process has no threads but attached ones that are blocked, [`PassiveThread`]s, and `others`, of which
/// the caller knows that they wake nobody.
#[must_use]
pub fn all_threads_wait(others: usize) -> bool {
    THREADS.all_wait(others, kernel_threads)
}

/// The number of those that may wake execution contexts at the moment, besides virtual processors: attached threads
/// that are not blocked, and expected wake-ups.
#[must_use]
pub fn external_wakers() -> usize {
    THREADS.wakers()
}

/// The number of expected wake-ups: callers in [`while_expecting`], and calls of [`begin_expecting`] that have not been
/// ended.
#[must_use]
pub fn expectations() -> usize {
    EXPECTED.load(Ordering::SeqCst)
}

/// Runs `f`, in which the caller waits for something that somebody outside the process is going to send.
///
/// Nobody counts as waiting for ever meanwhile. The wake-up is expected until the caller runs again, so there is no
/// moment at which the caller still waits and nothing is expected.
pub fn while_expecting<R>(f: impl FnOnce() -> R) -> R {
    struct Expected;
    impl Drop for Expected {
        fn drop(&mut self) {
            // Nobody has to be told: the caller runs, and whoever falls asleep after it checks whether all wait.
            THREADS.end_waking();
            EXPECTED.fetch_sub(1, Ordering::SeqCst);
        }
    }
    EXPECTED.fetch_add(1, Ordering::SeqCst);
    THREADS.begin_waking();
    let _expected = Expected;
    f()
}

/// Expects something that may wake execution contexts, such as the end of a timer. Nobody counts as waiting for ever
/// until [`end_expecting`] is called.
pub fn begin_expecting() {
    EXPECTED.fetch_add(1, Ordering::SeqCst);
    note_running();
}

/// Ends what one call of [`begin_expecting`] has begun.
pub fn end_expecting() {
    EXPECTED.fetch_sub(1, Ordering::SeqCst);
    note_blocked();
}

/// Runs `f`, in which the calling attached thread waits for something outside the runtime, such as a descriptor, and
/// after which it wakes no execution context.
///
/// The thread counts as blocked meanwhile, so that deadlocks of the others are recognised.
pub fn while_blocked<R>(f: impl FnOnce() -> R) -> R {
    let attached = current().is_attached();
    if attached {
        note_blocked();
    }
    let result = f();
    if attached {
        note_running();
    }
    result
}

/// Counts one external waker less. After the last one, a worker of each team has to look for a deadlock.
pub(crate) fn note_blocked() {
    if THREADS.end_waking() {
        worker::notify_teams();
    }
}

/// As [`note_blocked`], by a caller that looks for a deadlock itself.
pub(crate) fn note_watching() {
    THREADS.end_waking();
}

/// Counts one external waker more.
pub(crate) fn note_running() {
    THREADS.begin_waking();
}
