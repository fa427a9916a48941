//! Offers of a core: what a thread that polls does so that it keeps the core from nobody, and what it learns from that.
//!
//! A thread that polls while another one wants its core yields now and then. How long that takes tells who has run
//! meanwhile:
//!
//! * Nobody: the call takes as long as any system call.
//! * For some microseconds, one that waits as this one does, and most likely for this one. The kernel has put both on
//!   one core, and needs some ten milliseconds to notice that another one is free. So the thread asks to be moved.
//! * Until the kernel has taken the core away from it: one that computes, or that polls and yields to nobody. To yield
//!   costs a time slice then, in which the message may have come. The thread asks to be moved, once. If that does not
//!   help, it does not yield again for a while: it polls, and sleeps if that takes long. A thread that sleeps gets its
//!   core back as soon as it is woken.

use std::time::Duration;

use super::worker::nanoseconds;
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// A yield that takes longer has let somebody run.
const ALONE: Duration = Duration::from_micros(1);
/// A yield that takes longer has let somebody compute.
const SLICE: Duration = Duration::from_micros(200);
/// For so long nothing is yielded to somebody who computes, at first and at most: twice as long each time that the next
/// yield lets somebody compute as well.
const REFUSAL: Duration = Duration::from_millis(2);
const REFUSAL_MOST: Duration = Duration::from_millis(64);
/// So many yields in a row that let somebody run mean that the core is shared.
const SHARED: u32 = 32;
/// The least time between two moves.
const MOVE_PERIOD: Duration = Duration::from_millis(5);

/// The offers of a thread's core. Used by one thread at a time.
#[derive(Debug, Default)]
pub(super) struct CoreSharing {
    /// Yields in a row that let somebody run.
    shared: AtomicU32,
    /// Nothing is yielded before this time.
    refuses_until: AtomicU64,
    /// Yields in a row that let somebody compute.
    refusals: AtomicU32,
    /// The thread is not moved before this time.
    stays_until: AtomicU64,
}

/// The result of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    /// The thread goes on.
    Over,
    /// The thread goes on, for now: somebody who computes uses its core, too.
    Contended,
    /// The thread shares its core with another one: it is to be moved.
    Move,
}

impl CoreSharing {
    /// Offers the core of the calling thread to others, unless one of them has used it to compute lately.
    pub(super) fn offer(&self) -> Offer {
        let before = nanoseconds();
        // Relaxed here and below: whoever leads in polling is one thread at a time.
        if before < self.refuses_until.load(Ordering::Relaxed) {
            return Offer::Contended;
        }
        std::thread::yield_now();
        self.learn(before, nanoseconds())
    }

    /// Learns from an offer that began and ended at these times.
    fn learn(&self, before: u64, now: u64) -> Offer {
        let took = Duration::from_nanos(now.saturating_sub(before));
        if took > SLICE {
            self.shared.store(0, Ordering::Relaxed);
            if self.refusals.load(Ordering::Relaxed) == 0 && self.may_move(now) {
                return Offer::Move;
            }
            self.refuse(now);
            return Offer::Contended;
        }
        if self.refusals.load(Ordering::Relaxed) > 0 {
            self.refusals.store(0, Ordering::Relaxed);
        }
        if took < ALONE {
            self.shared.store(0, Ordering::Relaxed);
        } else {
            let shared = self.shared.load(Ordering::Relaxed) + 1;
            if shared >= SHARED && self.may_move(now) {
                self.shared.store(0, Ordering::Relaxed);
                return Offer::Move;
            }
            self.shared.store(shared, Ordering::Relaxed);
        }
        Offer::Over
    }

    /// Whether the thread may be moved now, which then counts as done.
    fn may_move(&self, now: u64) -> bool {
        let may = now >= self.stays_until.load(Ordering::Relaxed);
        if may {
            self.stays_until.store(after(now, MOVE_PERIOD), Ordering::Relaxed);
        }
        may
    }

    /// Yields nothing for a while.
    fn refuse(&self, now: u64) {
        let refusals = self.refusals.load(Ordering::Relaxed);
        let longest = REFUSAL_MOST.as_nanos() / REFUSAL.as_nanos();
        let pause = REFUSAL * 2_u32.pow(refusals.min(longest.ilog2()));
        self.refusals.store(refusals.saturating_add(1), Ordering::Relaxed);
        self.refuses_until.store(after(now, pause), Ordering::Relaxed);
    }
}

fn after(now: u64, time: Duration) -> u64 {
    now.saturating_add(time.as_nanos() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Learns from offers in a row that take so long each; how many of them ask for a move.
    fn moves(sharing: &CoreSharing, begin: u64, times: impl Iterator<Item = u64>) -> usize {
        let mut now = begin;
        times
            .filter(|time| {
                now += time;
                sharing.learn(now - time, now) == Offer::Move
            })
            .count()
    }

    #[test]
    fn a_thread_that_shares_its_core_with_one_that_waits_is_moved_now_and_then() {
        let sharing = CoreSharing::default();
        let shared = || std::iter::repeat_n(3000, SHARED as usize);
        assert_eq!(moves(&sharing, 1 << 40, shared()), 1);
        assert_eq!(
            moves(&sharing, (1 << 40) + 100_000, shared()),
            0,
            "it was so a moment ago"
        );
        let later = (1 << 40) + 2 * MOVE_PERIOD.as_nanos() as u64;
        assert_eq!(moves(&sharing, later, shared()), 1);
    }

    #[test]
    fn offers_that_nobody_takes_move_nobody() {
        let sharing = CoreSharing::default();
        let mostly_alone = (0..1000).map(|number| if number % 20 == 0 { 300 } else { 3000 });
        assert_eq!(moves(&sharing, 1 << 40, mostly_alone), 0);
    }

    #[test]
    fn a_core_is_not_offered_again_to_one_that_computes() {
        let sharing = CoreSharing::default();
        let now = nanoseconds();
        assert_eq!(sharing.learn(now - 3_000_000, now), Offer::Move);
        let refuses_until = sharing.refuses_until.load(Ordering::Relaxed);
        assert_eq!(refuses_until, 0, "it may have a core of its own now");
        assert_eq!(sharing.learn(now - 3_000_000, now), Offer::Contended);
        assert!(sharing.refuses_until.load(Ordering::Relaxed) > now);
        assert_eq!(sharing.offer(), Offer::Contended);
    }

    #[test]
    fn a_core_is_refused_the_longer_the_more_often_somebody_has_computed_there() {
        let sharing = CoreSharing::default();
        let refused = |took: u64| {
            let now = 1 << 40;
            let offer = sharing.learn(now - took, now);
            (offer == Offer::Contended).then(|| sharing.refuses_until.load(Ordering::Relaxed) - now)
        };
        let least = REFUSAL.as_nanos() as u64;
        assert_eq!(refused(3_000_000), None, "it is moved first");
        assert_eq!(refused(3_000_000), Some(least));
        assert_eq!(refused(3_000_000), Some(2 * least));
        assert_eq!(refused(500), None);
        assert_eq!(refused(3_000_000), Some(least));
        for _ in 0..100 {
            assert!(refused(3_000_000).is_some());
        }
        assert_eq!(refused(3_000_000), Some(REFUSAL_MOST.as_nanos() as u64));
    }
}
