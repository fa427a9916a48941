//! The poller: which idle virtual processor polls the network.
//!
//! One virtual processor at a time is the poller: it polls while it spins, and sleeps where the network wakes it. The
//! others leave the network alone and sleep on their inboxes. The first one to become idle takes the role, and keeps it
//! until it has something to run; then it passes the role on to one that rests. So the role stays with those that have
//! least to do. If none rests, an attached thread that waits takes it, which is a rank's: ranks that wait for what that
//! thread does may keep all virtual processors. The role itself is that of the [`PollLeader`].
//!
//! Costs: to take the role or to give it back is one locked instruction on a line that only idle processors touch. To
//! pass it on is one wake-up, and happens only when the poller gets work while others sleep.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use simurgh_core::sync::{AtomicBool, AtomicU64, Ordering};
use simurgh_core::{Network, PollLeader, ProcessHooks, Quiescence, Worker};

/// The role of the poller, and the candidates for it.
pub(crate) struct Poller {
    leader: &'static PollLeader,
    /// Which virtual processors rest, though they could be the poller.
    resting: Box<[CachePadded<AtomicBool>]>,
    /// The virtual processors that may be the poller.
    candidates: Range<usize>,
    /// Something has come, or has been to do, since the last sleep of the poller.
    active: CachePadded<AtomicBool>,
    /// When activity has ended, in nanoseconds after `start`; written by the poller.
    inactive_since: AtomicU64,
    start: Instant,
}

impl Poller {
    /// The candidates are some of the `vps` virtual processors. Where none of these is dedicated to the network,
    /// attached threads that wait are candidates, too.
    pub(crate) fn new(
        network: Arc<dyn Network>,
        hooks: impl ProcessHooks + 'static,
        candidates: Range<usize>,
        vps: usize,
    ) -> Self {
        let leader = PollLeader::with_workers(network, hooks);
        if candidates.start == 0 {
            leader.open();
        }
        Self {
            leader,
            candidates,
            resting: (0..vps).map(|_| CachePadded::default()).collect(),
            active: CachePadded::default(),
            inactive_since: AtomicU64::new(0),
            start: Instant::now(),
        }
    }

    pub(crate) fn network(&self) -> &Arc<dyn Network> {
        self.leader.network()
    }

    /// Has attached threads leave the network alone, because the virtual processors end.
    pub(crate) fn close(&self) {
        self.leader.close();
    }

    // Relaxed in these: they only tell when to check whether all sleep.

    /// Notes that something has come, or is to be done.
    fn note_activity(&self) {
        if !self.active.load(Ordering::Relaxed) {
            self.active.store(true, Ordering::Relaxed);
        }
    }

    /// For how long nothing has come nor been to do. For the poller, when it is about to sleep.
    pub(crate) fn inactivity(&self) -> Duration {
        let now = self.start.elapsed();
        if self.active.load(Ordering::Relaxed) {
            self.active.store(false, Ordering::Relaxed);
            self.begin_inactivity(now);
        }
        now - Duration::from_nanos(self.inactive_since.load(Ordering::Relaxed)).min(now)
    }

    /// Counts the inactivity from now on, so that a check that has failed is not repeated at once.
    pub(crate) fn restart_inactivity(&self) {
        self.begin_inactivity(self.start.elapsed());
    }

    fn begin_inactivity(&self, now: Duration) {
        self.inactive_since
            .store(now.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Whether the process is quiescent.
    pub(crate) fn quiescence(&self) -> &Quiescence {
        self.leader.quiescence()
    }

    /// Polls the network, as the poller; false if there was nothing to do.
    pub(crate) fn poll(&self, worker: &Worker) -> bool {
        let poll = |network: &dyn Network| worker.poll(network);
        let found = self.leader.poll_by(poll, || worker.has_mail());
        if found {
            self.note_activity();
        }
        found
    }

    /// Whether the virtual processor is the poller.
    pub(crate) fn is_led_by(&self, vp: usize) -> bool {
        self.leader.is_led_by(vp)
    }

    /// Whether there is no poller.
    pub(crate) fn is_vacant(&self) -> bool {
        self.leader.has_no_leader()
    }

    /// Whether the virtual processor is a candidate.
    fn includes(&self, vp: usize) -> bool {
        self.candidates.contains(&vp)
    }

    /// Makes the virtual processor the poller, if it is a candidate and nobody else is the poller. Returns whether it
    /// is the poller now.
    pub(crate) fn take(&self, vp: usize) -> bool {
        match self.includes(vp) {
            true => self.leader.try_lead(vp),
            false => self.leader.is_led_by(vp),
        }
    }

    /// Says that the virtual processor is about to rest. It does so before it tries a last time to become the poller,
    /// and has taken the ticket of its inbox before. So a poller that gives the role back later finds it resting.
    pub(crate) fn begin_rest(&self, vp: usize) {
        self.resting[vp].store(self.includes(vp), Ordering::SeqCst);
    }

    /// Ends the rest.
    pub(crate) fn end_rest(&self, vp: usize) {
        self.resting[vp].store(false, Ordering::SeqCst);
    }

    /// Says that the virtual processor has something to run. If it is the poller, or there is none, one of those that
    /// rest is woken to take the role.
    pub(crate) fn pass_on(&self, vp: usize) {
        self.note_activity();
        self.leader.pass_on(vp);
    }

    /// Wakes one of those that rest, to take the role; false if none rests.
    pub(crate) fn wake_resting(&self, team: &[&'static Worker]) -> bool {
        let other = self.resting.iter().position(|rests| rests.load(Ordering::SeqCst));
        other.inspect(|other| team[*other].notify()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_core::sync::AtomicU32;
    use std::time::Duration;

    struct Still;

    impl Network for Still {
        fn has_mail(&self) -> bool {
            false
        }

        fn poll(&self) -> bool {
            false
        }

        fn sleep(&self, _word: &AtomicU32, _expected: u32, _limit: Option<Duration>) {}

        fn wake(&self) {}

        fn is_quiet(&self) -> bool {
            true
        }
    }

    /// Says that this one of a team rests.
    struct Resting(&'static Worker);

    impl ProcessHooks for Resting {
        fn are_others_idle(&self) -> bool {
            false
        }

        fn on_quiescent(&self, _question: u32) {}

        fn wake_successor(&self) -> bool {
            self.0.notify();
            true
        }
    }

    #[test]
    fn one_processor_is_the_poller_until_it_has_something_to_run() {
        let team = Worker::team(3, 0);
        let poller = Poller::new(Arc::new(Still), Resting(team[0]), 0..3, team.len());
        assert!(poller.take(1) && poller.take(1) && !poller.take(0));
        poller.begin_rest(0);
        let ticket = team[0].ticket();
        poller.pass_on(2);
        assert_eq!(team[0].ticket(), ticket, "it was not the poller");
        poller.pass_on(1);
        assert_ne!(team[0].ticket(), ticket);
        poller.end_rest(0);
        assert!(poller.take(0) && !poller.take(1));
    }
}
