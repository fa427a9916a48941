//! External wakers: those that may wake execution contexts from outside of all virtual processors.
//!
//! Deadlock detection has to know of them, since nobody waits for ever while there is one. Each count is changed before
//! what it counts can have an effect.

use super::{current, worker};
use crate::machine::kernel_threads;
use crate::sync::{AtomicU64, AtomicUsize, Ordering};

/// The number of attached threads, in the lower half, and the number of times that it has changed, in the upper half.
static ATTACHED: AtomicU64 = AtomicU64::new(0);
/// One change.
const CHANGE: u64 = 1 << 32;
/// The number of attached threads that are not blocked in [`park`](super::park), and of expected wake-ups.
static EXTERNAL_WAKERS: AtomicUsize = AtomicUsize::new(0);
/// The number of expected wake-ups ([`begin_expecting`], [`while_expecting`]).
static EXPECTED: AtomicUsize = AtomicUsize::new(0);
/// The number of [`PassiveThread`]s.
static PASSIVE_THREADS: AtomicUsize = AtomicUsize::new(0);

/// A thread that is not attached and wakes no execution context by itself. It does not count as an external waker.
///
/// Make the value before the thread, and drop it when the thread has ended.
#[derive(Debug)]
pub struct PassiveThread(());

impl PassiveThread {
    /// Counts one more passive thread.
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

/// The number of [`PassiveThread`]s.
#[must_use]
pub fn passive_threads() -> usize {
    PASSIVE_THREADS.load(Ordering::SeqCst)
}

/// Counts one more attached thread, which runs. It counts as a waker first: an attached thread that is no waker would
/// be taken for a blocked one.
pub(super) fn attach() {
    EXTERNAL_WAKERS.fetch_add(1, Ordering::SeqCst);
    ATTACHED.fetch_add(CHANGE + 1, Ordering::SeqCst);
}

/// Counts one attached thread less, which was running and goes on. It counts as a waker until it is no longer attached.
pub(super) fn detach() {
    ATTACHED.fetch_add(CHANGE - 1, Ordering::SeqCst);
    EXTERNAL_WAKERS.fetch_sub(1, Ordering::SeqCst);
}

/// The number of attached threads.
#[must_use]
pub fn attached_count() -> usize {
    number(ATTACHED.load(Ordering::SeqCst))
}

fn number(attached: u64) -> usize {
    (attached % CHANGE) as usize
}

/// Whether the process has no threads but attached ones that are blocked, [`PassiveThread`]s, and `others`, of which
/// the caller knows that they wake nobody.
///
/// The order of the looks matters:
///
/// 1. the attached threads are counted;
/// 2. all threads are counted. A thread that is not attached yet or any more is one too many, and might run;
/// 3. nobody is a waker. An attached thread that runs is one. If it was woken by a thread that has ended before the
///    second look, it has been one since before that end;
/// 4. no thread has attached or detached itself meanwhile. One that detaches itself ceases to be a waker only after
///    that, so the third look may have missed it.
///
/// What a thread has done that ended before the second look, or is blocked at the third one, is there to be seen
/// afterwards.
#[must_use]
pub fn all_threads_wait(others: usize) -> bool {
    let attached = ATTACHED.load(Ordering::SeqCst);
    let known = number(attached) + passive_threads() + others;
    kernel_threads() == Some(known) && external_wakers() == 0 && ATTACHED.load(Ordering::SeqCst) == attached
}

/// The number of those that may wake execution contexts at the moment, besides virtual processors: attached threads
/// that are not blocked, and expected wake-ups.
#[must_use]
pub fn external_wakers() -> usize {
    EXTERNAL_WAKERS.load(Ordering::SeqCst)
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
            EXTERNAL_WAKERS.fetch_sub(1, Ordering::SeqCst);
            EXPECTED.fetch_sub(1, Ordering::SeqCst);
        }
    }
    EXPECTED.fetch_add(1, Ordering::SeqCst);
    EXTERNAL_WAKERS.fetch_add(1, Ordering::SeqCst);
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
    if EXTERNAL_WAKERS.fetch_sub(1, Ordering::SeqCst) == 1 {
        worker::notify_teams();
    }
}

/// As [`note_blocked`], by a caller that looks for a deadlock itself.
pub(crate) fn note_watching() {
    EXTERNAL_WAKERS.fetch_sub(1, Ordering::SeqCst);
}

/// Counts one external waker more.
pub(crate) fn note_running() {
    EXTERNAL_WAKERS.fetch_add(1, Ordering::SeqCst);
}
