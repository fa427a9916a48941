//! How many threads of the process the runtime knows, and how many of those might wake an execution context.
//!
//! # Protocol
//!
//! A thread is counted only while it exists: after its start, and until some time before its end. So where all threads
//! of the process are counted ones, none runs of which the runtime does not know.
//!
//! A count has the number of threads in its lower half, and the number of times that it has changed in its upper half.

use crate::sync::{AtomicU64, AtomicUsize, Ordering};

/// One change of a count.
const CHANGE: u64 = 1 << 32;

/// The counts of a process.
#[derive(Debug)]
pub struct ThreadCounts {
    attached: AtomicU64,
    passive: AtomicU64,
    /// The number of those that may wake execution contexts at the moment.
    wakers: AtomicUsize,
}

impl Default for ThreadCounts {
    fn default() -> Self {
        Self::new()
    }
}

impl ThreadCounts {
    /// There are none.
    #[cfg(not(loom))]
    #[must_use]
    pub const fn new() -> Self {
        Self {
            attached: AtomicU64::new(0),
            passive: AtomicU64::new(0),
            wakers: AtomicUsize::new(0),
        }
    }

    /// There are none.
    #[cfg(loom)]
    #[must_use]
    pub fn new() -> Self {
        Self {
            attached: AtomicU64::new(0),
            passive: AtomicU64::new(0),
            wakers: AtomicUsize::new(0),
        }
    }

    /// Counts one more attached thread, which runs. It counts as a waker first: an attached thread that is no waker
    /// would be taken for a blocked one.
    pub fn attach(&self) {
        self.begin_waking();
        self.attached.fetch_add(CHANGE + 1, Ordering::SeqCst);
    }

    /// Counts one attached thread less, which was running and goes on. It counts as a waker until it is no longer
    /// attached.
    pub fn detach(&self) {
        self.attached.fetch_add(CHANGE - 1, Ordering::SeqCst);
        self.end_waking();
    }

    /// Counts one more thread that wakes nobody by itself, after it has been started.
    pub fn add_passive(&self) {
        self.passive.fetch_add(CHANGE + 1, Ordering::SeqCst);
    }

    /// Counts one of these less, before it ends.
    pub fn remove_passive(&self) {
        self.passive.fetch_add(CHANGE - 1, Ordering::SeqCst);
    }

    /// Counts one waker more.
    pub fn begin_waking(&self) {
        self.wakers.fetch_add(1, Ordering::SeqCst);
    }

    /// Counts one waker less. Returns whether it was the last one.
    pub fn end_waking(&self) -> bool {
        self.wakers.fetch_sub(1, Ordering::SeqCst) == 1
    }

    /// The number of attached threads.
    #[must_use]
    pub fn attached(&self) -> usize {
        number(self.attached.load(Ordering::SeqCst))
    }

    /// The number of threads that wake nobody by themselves.
    #[must_use]
    pub fn passive(&self) -> usize {
        number(self.passive.load(Ordering::SeqCst))
    }

    /// The number of wakers.
    #[must_use]
    pub fn wakers(&self) -> usize {
        self.wakers.load(Ordering::SeqCst)
    }

    /// Whether the process has no threads but attached ones that are blocked, passive ones, and `others`, of which the
    /// caller knows that they wake nobody. `all_threads` tells how many there are.
    ///
    /// The order of the looks matters:
    ///
    /// 1. the threads that the runtime knows are counted;
    /// 2. all threads are counted. A thread that is not counted yet or any more is one too many, and might run;
    /// 3. nobody is a waker. An attached thread that runs is one. If it was woken by a thread that has ended before the
    ///    second look, it has been one since before that end;
    /// 4. none of the counts has changed meanwhile. So all that were counted at first existed at the second look, and
    ///    none of them has ended before it and left its place to a thread that runs. Besides, a thread that detaches
    ///    itself ceases to be a waker only after that, so the third look may have missed it.
    ///
    /// What a thread has done that ended before the second look, or is blocked at the third one, is there to be seen
    /// afterwards.
    pub fn all_wait(&self, others: usize, all_threads: impl FnOnce() -> Option<usize>) -> bool {
        let counts = || [&self.attached, &self.passive].map(|count| count.load(Ordering::SeqCst));
        let before = counts();
        let known = before.map(number).iter().sum::<usize>() + others;
        all_threads() == Some(known) && self.wakers() == 0 && counts() == before
    }
}

fn number(count: u64) -> usize {
    (count % CHANGE) as usize
}
