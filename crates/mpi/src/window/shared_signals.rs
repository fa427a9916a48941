//! Signals in memory that the processes of a node share.
//!
//! Where all ranks of a window live on one node and share memory for its locks, a signal is a count there: one for each
//! pair of ranks of how often the one has posted to the other, and one for each rank of how many have completed their
//! accesses to its memory. A rank that waits looks at the counts for as long as nobody else could use its processor.
//! Then it sleeps, and whoever gives the last signal tells its process by a notice.

use super::Window;
use super::signals::{Signal, Wanted};
use super::sleepers::{Bed, Cause};
use simurgh_core::{SharedCounter, spin_while_idle};

/// The signals to a rank.
#[derive(Clone, Copy)]
pub(super) struct SharedSignals<'a> {
    /// How often each rank has posted.
    posts: &'a [SharedCounter],
    /// How many ranks have completed their accesses.
    completes: &'a SharedCounter,
}

impl<'a> SharedSignals<'a> {
    /// Those of a rank with these counters: one for each rank, and one more.
    pub(super) fn new(counters: &'a [SharedCounter]) -> Option<Self> {
        let (completes, posts) = counters.split_last()?;
        Some(Self { posts, completes })
    }

    /// Counts a signal of a rank. Where the receiver sleeps, if it has to be told.
    #[inline]
    pub(super) fn add(&self, signal: Signal, from: u32) -> Option<Bed> {
        let (counter, bed) = match signal {
            Signal::Post => (&self.posts[from as usize], Bed::Posts),
            Signal::Complete => (self.completes, Bed::Completes),
        };
        counter.add().then_some(bed)
    }

    /// A signal that has not come, by its counter and the count that it needs.
    fn missing(&self, wanted: &Wanted) -> Option<(&'a SharedCounter, u32)> {
        match wanted {
            Wanted::Posts(ranks) => {
                let mut posts = ranks.iter().map(|rank| &self.posts[*rank as usize]);
                posts.find(|post| post.count() == 0).map(|post| (post, 1))
            }
            Wanted::Completes(count) => {
                let goal = *count as u32;
                (self.completes.count() < goal).then_some((self.completes, goal))
            }
        }
    }

    /// Uses up signals, if all are there.
    pub(super) fn take(&self, wanted: &Wanted) -> bool {
        let are_there = self.missing(wanted).is_none();
        if are_there {
            match wanted {
                Wanted::Posts(ranks) => ranks.iter().for_each(|rank| self.posts[*rank as usize].use_up(1)),
                Wanted::Completes(count) => self.completes.use_up(*count as u32),
            }
        }
        are_there
    }

    /// The ranks among these that have not posted.
    pub(super) fn missing_posts(&self, ranks: &[u32]) -> Vec<u32> {
        let mut missing = ranks.to_vec();
        missing.retain(|rank| self.posts[*rank as usize].count() == 0);
        missing
    }

    /// How many ranks have completed their accesses.
    pub(super) fn completes(&self) -> usize {
        self.completes.count() as usize
    }
}

impl Window {
    /// Waits until all signals have come, and uses them up.
    pub(super) fn await_shared(&self, signals: SharedSignals<'_>, wanted: &Wanted) {
        while let Some((counter, goal)) = signals.missing(wanted) {
            if !spin_while_idle(|| counter.count() >= goal) {
                self.sleep(Cause::Signals(wanted.clone()), || counter.sleep(goal));
            }
        }
        signals.take(wanted);
    }
}
