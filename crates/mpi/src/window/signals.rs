//! What other ranks have told a rank: that they have posted, and that they have completed their accesses.
//!
//! Costs: a signal to a rank that does not sleep is one atomic operation in a cache line that only signals use, if it
//! is a completion or the only post. Further posts, and ranks that sleep, are in a list with a lock.

use super::seats::Seats;
use crate::request::Request;
use simurgh_core::spin_while_idle;
use simurgh_core::sync::{Arc, AtomicU32, AtomicU64, Ordering, SpinLock, fence};

/// The signals that a rank has got and not used up.
#[derive(Default)]
pub(super) struct Signals {
    news: News,
    inner: SpinLock<Inner>,
}

/// What signals change without the lock, and ranks look at while they wait.
#[derive(Default)]
#[repr(align(128))]
struct News {
    /// The rank of a post, plus 1; 0 if there is none, or if all are in the list.
    post: AtomicU64,
    /// How many ranks have completed their accesses in the current exposure epoch.
    completes: AtomicU32,
    /// How many posts have come into the list, for those that look whether there are more.
    listed: AtomicU32,
    /// How many threads of the rank sleep.
    sleepers: AtomicU32,
}

#[derive(Default)]
struct Inner {
    /// The ranks with posts in the list, ascending, and how often each has posted.
    posts: Vec<(u32, u32)>,
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
    Posts(Seats),
    /// So many completions.
    Completes(usize),
}

/// A signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    Post,
    Complete,
}

impl News {
    fn word(rank: u32) -> u64 {
        u64::from(rank) + 1
    }

    /// Keeps a post, if there is no other one. Whether it is kept.
    fn keep_post(&self, rank: u32) -> bool {
        // SeqCst orders it before the look at the sleepers. Whoever takes it sees what was done before.
        self.post
            .compare_exchange(0, Self::word(rank), Ordering::SeqCst, Ordering::Relaxed)
            .is_ok()
    }

    fn has_post(&self, rank: u32) -> bool {
        // Relaxed: a look; whoever takes it sees what was done before.
        self.post.load(Ordering::Relaxed) == Self::word(rank)
    }

    /// Takes a post of a rank. Only threads of the rank itself do so, one at a time.
    fn take_post(&self, rank: u32) -> bool {
        let is_there = self.has_post(rank);
        // Acquire pairs with the SeqCst in `keep_post`.
        is_there && self.post.swap(0, Ordering::Acquire) != 0
    }

    /// Takes completions, if there are so many.
    fn take_completes(&self, count: u32) -> bool {
        // Acquire pairs with the SeqCst in `Signals::signal`.
        let are_there = self.completes.load(Ordering::Acquire) >= count;
        if are_there {
            // Relaxed: they have been seen.
            self.completes.fetch_sub(count, Ordering::Relaxed);
        }
        are_there
    }
}

impl Inner {
    /// Where the posts of a rank are, or would be.
    fn place(&self, rank: u32) -> Result<usize, usize> {
        self.posts.binary_search_by_key(&rank, |(posted, _)| *posted)
    }

    fn list_post(&mut self, rank: u32) {
        match self.place(rank) {
            Ok(place) => self.posts[place].1 += 1,
            Err(place) => self.posts.insert(place, (rank, 1)),
        }
    }

    fn has_post(&self, news: &News, rank: u32) -> bool {
        self.place(rank).is_ok() || news.has_post(rank)
    }

    /// Whether all signals are there.
    fn has(&self, news: &News, wanted: &Wanted) -> bool {
        match wanted {
            Wanted::Posts(ranks) => ranks.iter().all(|rank| self.has_post(news, *rank)),
            // Relaxed: whoever takes them sees what was done before.
            Wanted::Completes(count) => news.completes.load(Ordering::Relaxed) as usize >= *count,
        }
    }

    /// Uses up signals, if all are there.
    fn take(&mut self, news: &News, wanted: &Wanted) -> bool {
        match wanted {
            Wanted::Completes(count) => news.take_completes(*count as u32),
            Wanted::Posts(ranks) => {
                let are_there = self.has(news, wanted);
                if are_there {
                    ranks.iter().for_each(|rank| self.take_post(news, *rank));
                }
                are_there
            }
        }
    }

    /// Takes a post of a rank that has posted.
    fn take_post(&mut self, news: &News, rank: u32) {
        match self.place(rank) {
            Err(_) => drop(news.take_post(rank)),
            Ok(place) if self.posts[place].1 == 1 => drop(self.posts.remove(place)),
            Ok(place) => self.posts[place].1 -= 1,
        }
    }
}

impl Signals {
    /// A signal of a rank has come.
    pub(super) fn signal(&self, signal: Signal, from: u32) {
        let news = &self.news;
        match signal {
            // SeqCst orders it before the look at the sleepers.
            Signal::Complete => drop(news.completes.fetch_add(1, Ordering::SeqCst)),
            Signal::Post if news.keep_post(from) => {}
            Signal::Post => {
                self.inner.lock().list_post(from);
                // SeqCst as above.
                news.listed.fetch_add(1, Ordering::SeqCst);
            }
        }
        // SeqCst pairs with the fence in `take_or_wait`: this sees the sleeper, or that one sees the signal.
        if news.sleepers.load(Ordering::SeqCst) != 0 {
            self.wake();
        }
    }

    /// Wakes the threads for which all signals are there.
    #[cold]
    fn wake(&self) {
        loop {
            let mut inner = self.inner.lock();
            let is_ready = |waiting: &Waiting| inner.has(&self.news, &waiting.wanted);
            let Some(place) = inner.waiting.iter().position(is_ready) else {
                return;
            };
            let waiting = inner.waiting.swap_remove(place);
            drop(inner);
            self.news.sleepers.fetch_sub(1, Ordering::Relaxed);
            waiting.request.finish(&crate::error::Status::EMPTY);
        }
    }

    /// Uses up signals, if all are there.
    pub(super) fn take(&self, wanted: &Wanted) -> bool {
        match wanted {
            Wanted::Completes(count) => self.news.take_completes(*count as u32),
            Wanted::Posts(ranks) => match &**ranks {
                [rank] if self.news.take_post(*rank) => true,
                _ => self.inner.lock().take(&self.news, wanted),
            },
        }
    }

    /// [`Signals::take`], which looks again whenever more have come, for as long as nobody else could use the
    /// processor.
    pub(super) fn take_while_idle(&self, wanted: &Wanted) -> bool {
        let news = &self.news;
        // Relaxed: looks, which are followed by one at the signals themselves.
        let state = || match wanted {
            Wanted::Completes(_) => (0, news.completes.load(Ordering::Relaxed)),
            Wanted::Posts(_) => (
                news.post.load(Ordering::Relaxed),
                news.listed.load(Ordering::Relaxed),
            ),
        };
        loop {
            let before = state();
            if self.take(wanted) {
                return true;
            }
            if !spin_while_idle(|| state() != before) {
                return false;
            }
        }
    }

    /// Uses up signals, or notes that the rank waits for them: the request is completed when they are there. Whether
    /// they are there.
    pub(super) fn take_or_wait(&self, wanted: &Wanted, request: &Arc<Request>) -> bool {
        let mut inner = self.inner.lock();
        self.news.sleepers.fetch_add(1, Ordering::Relaxed);
        // Pairs with the look at the sleepers in `signal`.
        fence(Ordering::SeqCst);
        if inner.take(&self.news, wanted) {
            self.news.sleepers.fetch_sub(1, Ordering::Relaxed);
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
        let inner = self.inner.lock();
        inner
            .waiting
            .iter()
            .map(|waiting| waiting.wanted.clone())
            .collect()
    }

    /// The ranks among these that have not posted.
    pub(super) fn missing_posts(&self, ranks: &[u32]) -> Vec<u32> {
        let inner = self.inner.lock();
        let mut missing = ranks.to_vec();
        missing.retain(|rank| !inner.has_post(&self.news, *rank));
        missing
    }

    /// How many ranks have completed their accesses.
    pub(super) fn completes(&self) -> usize {
        // Relaxed: for a report.
        self.news.completes.load(Ordering::Relaxed) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posts_of_several_ranks_and_of_one_several_times_are_kept() {
        let signals = Signals::default();
        for rank in [5, 3, 5, 4, 3] {
            signals.signal(Signal::Post, rank);
        }
        assert_eq!(signals.missing_posts(&[3, 4, 5, 6]), [6]);
        let posts = |ranks: &[u32]| Wanted::Posts(ranks.iter().copied().collect());
        assert!(!signals.take(&posts(&[3, 6])));
        assert!(signals.take(&posts(&[3, 4, 5])) && signals.take(&posts(&[5])) && signals.take(&posts(&[3])));
        assert_eq!(signals.missing_posts(&[3, 4, 5]), [3, 4, 5]);
    }

    #[test]
    fn completions_are_used_up_by_their_number() {
        let signals = Signals::default();
        assert!(!signals.take(&Wanted::Completes(1)) && signals.take(&Wanted::Completes(0)));
        (0..3).for_each(|rank| signals.signal(Signal::Complete, rank));
        assert!(signals.take(&Wanted::Completes(2)) && !signals.take(&Wanted::Completes(2)));
        assert_eq!(signals.completes(), 1);
    }
}
