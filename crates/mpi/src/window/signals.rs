//! What other ranks have told a rank: that they have posted, and that they have completed their accesses.

use crate::request::Request;
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::HashMap;

/// The signals that a rank has got and not used up.
#[derive(Default)]
pub(super) struct Signals(SpinLock<Inner>);

#[derive(Default)]
struct Inner {
    /// How often each rank has posted.
    posts: HashMap<u32, u32>,
    /// How many ranks have completed their accesses in the current exposure epoch.
    completes: usize,
    /// One thread may wait in `MPI_Win_start` and another one in `MPI_Win_wait`.
    waiting: Vec<Waiting>,
}

/// A thread of the rank itself, which waits.
struct Waiting {
    request: Arc<Request>,
    wanted: Wanted,
}

/// The signals for which a rank waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Posts of these ranks.
    Posts(Vec<u32>),
    /// So many completions.
    Completes(usize),
}

/// A signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    Post,
    Complete,
}

impl Inner {
    /// Whether all signals are there.
    fn has(&self, wanted: &Wanted) -> bool {
        match wanted {
            Wanted::Posts(ranks) => ranks.iter().all(|rank| self.posts.contains_key(rank)),
            Wanted::Completes(count) => self.completes >= *count,
        }
    }

    fn use_up(&mut self, wanted: &Wanted) {
        match wanted {
            Wanted::Posts(ranks) => ranks.iter().for_each(|rank| {
                if let Some(times) = self.posts.get_mut(rank) {
                    *times -= 1;
                    if *times == 0 {
                        self.posts.remove(rank);
                    }
                }
            }),
            Wanted::Completes(count) => self.completes -= count,
        }
    }
}

impl Signals {
    /// A signal of a rank has come.
    pub(super) fn signal(&self, signal: Signal, from: u32) {
        let mut inner = self.0.lock();
        match signal {
            Signal::Post => *inner.posts.entry(from).or_default() += 1,
            Signal::Complete => inner.completes += 1,
        }
        let ready = inner
            .waiting
            .iter()
            .position(|waiting| inner.has(&waiting.wanted));
        // A signal is for one of them.
        let waiting = ready.map(|place| inner.waiting.swap_remove(place));
        drop(inner);
        if let Some(waiting) = waiting {
            waiting.request.finish(&crate::error::Status::EMPTY);
        }
    }

    /// Uses up signals, if all are there.
    pub(super) fn take(&self, wanted: &Wanted) -> bool {
        let mut inner = self.0.lock();
        let there = inner.has(wanted);
        if there {
            inner.use_up(wanted);
        }
        there
    }

    /// Uses up signals, or notes that the rank waits for them: the request is completed when they are there. Whether
    /// they are there.
    pub(super) fn take_or_wait(&self, wanted: &Wanted, request: &Arc<Request>) -> bool {
        let mut inner = self.0.lock();
        if inner.has(wanted) {
            inner.use_up(wanted);
            return true;
        }
        inner.waiting.push(Waiting {
            request: Arc::clone(request),
            wanted: wanted.clone(),
        });
        false
    }

    /// What threads of the rank wait for.
    pub(super) fn awaited(&self) -> Vec<Wanted> {
        let inner = self.0.lock();
        inner
            .waiting
            .iter()
            .map(|waiting| waiting.wanted.clone())
            .collect()
    }

    /// The ranks among these that have not posted.
    pub(super) fn missing_posts(&self, ranks: &[u32]) -> Vec<u32> {
        let inner = self.0.lock();
        let mut missing = ranks.to_vec();
        missing.retain(|rank| !inner.posts.contains_key(rank));
        missing
    }

    /// How many ranks have completed their accesses.
    pub(super) fn completes(&self) -> usize {
        self.0.lock().completes
    }
}
