//! Who of those that have nothing to run looks after the network.
//!
//! One virtual processor at a time: it polls while it watches, and sleeps where the network rings. The others leave the
//! network alone and sleep on their inboxes. Whoever falls idle first takes the duty, and keeps it until it has
//! something to run; then it passes it on to one that rests. So the duty stays with those who have least to do. If none
//! rests, an attached thread that waits has it, which is a rank's: all virtual processors may be kept by ranks that
//! wait for what that thread does. What passes between both is a [`PollLeader`].
//!
//! Costs: taking and giving back are one locked instruction each on a line that only idle processors touch; passing on
//! is one wake-up, and only when the processor on duty gets work while others sleep.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use simurgh_core::sync::{AtomicBool, AtomicU64, Ordering};
use simurgh_core::{Network, PollLeader, ProcessHooks, Quiescence, Worker};

use crate::vp::Common;

/// The duty, and who could take it.
pub(crate) struct Poller {
    poll_leader: &'static PollLeader,
    /// Which virtual processors rest, though they could be on duty.
    resting: Box<[CachePadded<AtomicBool>]>,
    /// The first virtual processor that may be on duty; all behind it may.
    first: usize,
    /// Something has come, or has been to do, since the last sleep on duty.
    stirred: CachePadded<AtomicBool>,
    /// Since when it has been calm, after `start`; written by the one on duty.
    calm_since: AtomicU64,
    start: Instant,
}

/// The virtual processors, as those see them that keep the poll_leader in turns with them.
pub(crate) struct SchedulerHooks(pub(crate) Weak<Common>);

impl ProcessHooks for SchedulerHooks {
    fn are_others_idle(&self) -> bool {
        self.0.upgrade().is_some_and(|common| common.all_sleep())
    }

    fn on_quiescent(&self, question: u32) {
        if let Some(common) = self.0.upgrade() {
            common.report(question);
        }
    }

    fn wake_successor(&self) -> bool {
        let common = self.0.upgrade();
        common.is_some_and(|common| {
            common
                .poller
                .get()
                .is_some_and(|poller| poller.relieve(&common.team))
        })
    }

    fn notify_worker(&self, worker: usize) {
        if let Some(common) = self.0.upgrade() {
            common.team[worker].notify();
        }
    }
}

impl Poller {
    /// The duty is one of the virtual processors' from `first` on, of `vps`, or, where none of these is dedicated to
    /// it, that of an attached thread that waits.
    pub(crate) fn new(
        network: Arc<dyn Network>,
        others: impl ProcessHooks + 'static,
        first: usize,
        vps: usize,
    ) -> Self {
        let poll_leader = PollLeader::with_workers(network, others);
        if first == 0 {
            poll_leader.open();
        }
        Self {
            poll_leader,
            first,
            resting: (0..vps).map(|_| CachePadded::default()).collect(),
            stirred: CachePadded::default(),
            calm_since: AtomicU64::new(0),
            start: Instant::now(),
        }
    }

    pub(crate) fn network(&self) -> &Arc<dyn Network> {
        self.poll_leader.network()
    }

    /// The virtual processors end: attached threads leave the network alone.
    pub(crate) fn close(&self) {
        self.poll_leader.close();
    }

    // Relaxed in these: they only say when to look.

    /// Something has come, or is to be done.
    fn stir(&self) {
        if !self.stirred.load(Ordering::Relaxed) {
            self.stirred.store(true, Ordering::Relaxed);
        }
    }

    /// For how long nothing has come nor been to do, as the one on duty knows when it is about to sleep.
    pub(crate) fn calm(&self) -> Duration {
        let now = self.start.elapsed();
        if self.stirred.load(Ordering::Relaxed) {
            self.stirred.store(false, Ordering::Relaxed);
            self.begin_calm(now);
        }
        now - Duration::from_nanos(self.calm_since.load(Ordering::Relaxed)).min(now)
    }

    /// Begins to count anew: who has looked in vain whether all sleep does not look again at once.
    pub(crate) fn calm_again(&self) {
        self.begin_calm(self.start.elapsed());
    }

    fn begin_calm(&self, now: Duration) {
        self.calm_since.store(now.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Whether the process is quiet.
    pub(crate) fn quiescence(&self) -> &Quiescence {
        self.poll_leader.quiescence()
    }

    /// Polls the network, as the worker on duty; false if there was nothing to do.
    pub(crate) fn poll(&self, worker: &Worker) -> bool {
        let poll = |network: &dyn Network| worker.poll(network);
        let found = self.poll_leader.poll_by(poll, || worker.has_mail());
        if found {
            self.stir();
        }
        found
    }

    /// Whether nobody looks after the network all the time.
    pub(crate) fn is_open(&self) -> bool {
        self.poll_leader.has_no_leader()
    }

    /// Whether the virtual processor may be on duty.
    fn includes(&self, vp: usize) -> bool {
        vp >= self.first
    }

    /// Takes the duty, if it may and nobody else has it; whether the virtual processor has it now.
    pub(crate) fn take(&self, vp: usize) -> bool {
        match self.includes(vp) {
            true => self.poll_leader.try_lead(vp),
            false => self.poll_leader.is_led_by(vp),
        }
    }

    /// Says that the virtual processor is about to rest, before it tries a last time to take the duty: who gives the
    /// duty back later than that finds it resting. Its inbox's ticket has been taken before.
    pub(crate) fn rest(&self, vp: usize) {
        self.resting[vp].store(self.includes(vp), Ordering::SeqCst);
    }

    /// The rest is over.
    pub(crate) fn rise(&self, vp: usize) {
        self.resting[vp].store(false, Ordering::SeqCst);
    }

    /// The virtual processor has something to run: if it has the duty, or nobody, one of those that rest gets up to
    /// take it.
    pub(crate) fn pass_on(&self, vp: usize) {
        self.stir();
        self.poll_leader.pass_on(vp);
    }

    /// Has one of those get up that rest, to take the duty; false if none rests.
    fn relieve(&self, team: &[&'static Worker]) -> bool {
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

    /// Has one of a team rest, from the beginning.
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
    fn the_duty_is_one_processors_until_it_has_something_to_run() {
        let team = Worker::team(3, 0);
        let poller = Poller::new(Arc::new(Still), Resting(team[0]), 0, team.len());
        assert!(poller.take(1) && poller.take(1) && !poller.take(0));
        poller.rest(0);
        let ticket = team[0].ticket();
        poller.pass_on(2);
        assert_eq!(team[0].ticket(), ticket, "it was not that one's to pass on");
        poller.pass_on(1);
        assert_ne!(team[0].ticket(), ticket);
        poller.rise(0);
        assert!(poller.take(0) && !poller.take(1));
    }
}
