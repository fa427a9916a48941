//! Who may wake execution contexts from outside of all virtual processors, as deadlock detection has to know.

use super::current;
use crate::sync::{AtomicUsize, Ordering};

/// Attached threads.
static ATTACHED: AtomicUsize = AtomicUsize::new(0);
/// Those of them that are not blocked in [`park`](super::park), and whatever is expected in [`while_expecting`].
static EXTERNAL_WAKERS: AtomicUsize = AtomicUsize::new(0);
/// What is expected there.
static EXPECTED: AtomicUsize = AtomicUsize::new(0);
/// Threads that wake nobody.
static PASSIVE_THREADS: AtomicUsize = AtomicUsize::new(0);

/// A thread that is not attached and wakes no execution context by itself: it may do what it likes, all others wait for
/// ever all the same. Made before the thread is, and dropped when it has ended.
#[derive(Debug)]
pub struct PassiveThread(());

impl PassiveThread {
    /// One more.
    #[must_use]
    pub fn new() -> Self {
        PASSIVE_THREADS.fetch_add(1, Ordering::SeqCst);
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
        PASSIVE_THREADS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// How many [`PassiveThread`]s there are.
#[must_use]
pub fn passive_threads() -> usize {
    PASSIVE_THREADS.load(Ordering::SeqCst)
}

/// One attached thread more, which runs.
pub(super) fn attach() {
    ATTACHED.fetch_add(1, Ordering::SeqCst);
    EXTERNAL_WAKERS.fetch_add(1, Ordering::SeqCst);
}

/// One less, which was running.
pub(super) fn detach() {
    EXTERNAL_WAKERS.fetch_sub(1, Ordering::SeqCst);
    ATTACHED.fetch_sub(1, Ordering::SeqCst);
}

/// Threads that are attached.
#[must_use]
pub fn attached_count() -> usize {
    ATTACHED.load(Ordering::SeqCst)
}

/// How many may wake execution contexts at the moment that no virtual processor runs: attached threads that are not
/// blocked, and those outside the process of whom something is expected ([`while_expecting`]).
#[must_use]
pub fn external_wakers() -> usize {
    EXTERNAL_WAKERS.load(Ordering::SeqCst)
}

/// How many wait in [`while_expecting`], and how much is expected otherwise ([`begin_expecting`]).
#[must_use]
pub fn expectations() -> usize {
    EXPECTED.load(Ordering::SeqCst)
}

/// Runs `f`, in which the caller waits for something that somebody outside the process has been asked for and is going
/// to send: as long as that is so, nobody waits for ever. It counts until the caller runs again, so that there is no
/// moment at which the caller still waits and nothing is expected.
pub fn while_expecting<R>(f: impl FnOnce() -> R) -> R {
    struct Expected;
    impl Drop for Expected {
        fn drop(&mut self) {
            // Nobody has to be told: the caller runs, and whoever falls asleep after it looks whether all wait.
            EXTERNAL_WAKERS.fetch_sub(1, Ordering::SeqCst);
            EXPECTED.fetch_sub(1, Ordering::SeqCst);
        }
    }
    EXPECTED.fetch_add(1, Ordering::SeqCst);
    EXTERNAL_WAKERS.fetch_add(1, Ordering::SeqCst);
    let _expected = Expected;
    f()
}

/// From now on something is expected that may wake execution contexts, such as the end of a timer: nobody waits for
/// ever, until [`end_expecting`] is called.
pub fn begin_expecting() {
    EXPECTED.fetch_add(1, Ordering::SeqCst);
    note_running();
}

/// What was expected is not any more.
pub fn end_expecting() {
    EXPECTED.fetch_sub(1, Ordering::SeqCst);
    note_blocked();
}

/// Runs `f`, in which the calling attached thread waits for something outside the runtime, such as a descriptor, and
/// afterwards wakes no execution context: it counts as blocked meanwhile, so that deadlocks of the others are
/// recognised.
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

/// One attached thread less can wake others; if it was the last, somebody has to look for a deadlock.
pub(crate) fn note_blocked() {
    if EXTERNAL_WAKERS.fetch_sub(1, Ordering::SeqCst) == 1 {
        crate::worker::notify_teams();
    }
}

/// As [`note_blocked`], by one that looks for a deadlock itself.
pub(crate) fn note_watching() {
    EXTERNAL_WAKERS.fetch_sub(1, Ordering::SeqCst);
}

/// One attached thread more can wake others.
pub(crate) fn note_running() {
    EXTERNAL_WAKERS.fetch_add(1, Ordering::SeqCst);
}
