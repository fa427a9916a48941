//! Who of those that have nothing to run looks after the network.
//!
//! One virtual processor at a time: it polls while it watches, and sleeps where the network rings. The others leave the
//! network alone and sleep on their inboxes. Whoever falls idle first takes the duty, and keeps it until it has
//! something to run; then it passes it on to one that rests. So the duty stays with those who have least to do.
//!
//! Costs: taking and giving back are one locked instruction each on a line that only idle processors touch; passing on
//! is one wake-up, and only when the processor on duty gets work while others sleep.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use simurgh_core::sync::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use simurgh_core::{Network, Quiet, Worker};

const NOBODY: usize = 0;

/// The duty, and who could take it.
pub(crate) struct Lookout {
    network: Arc<dyn Network>,
    /// [`NOBODY`], or 1 + the index of the virtual processor on duty.
    on_duty: CachePadded<AtomicUsize>,
    /// Which virtual processors rest, though they could be on duty.
    resting: Box<[CachePadded<AtomicBool>]>,
    /// The first virtual processor that may be on duty; all behind it may.
    first: usize,
    /// Something has come, or has been to do, since the last sleep on duty.
    stirred: CachePadded<AtomicBool>,
    /// Since when it has been calm, after `start`; written by the one on duty.
    calm_since: AtomicU64,
    start: Instant,
    quiet: Quiet,
}

impl Lookout {
    /// The duty is one of the virtual processors' from `first` on, of `vps`.
    pub(crate) fn new(network: Arc<dyn Network>, first: usize, vps: usize) -> Self {
        Self {
            network,
            first,
            on_duty: CachePadded::new(AtomicUsize::new(NOBODY)),
            resting: (0..vps).map(|_| CachePadded::default()).collect(),
            stirred: CachePadded::default(),
            calm_since: AtomicU64::new(0),
            start: Instant::now(),
            quiet: Quiet::default(),
        }
    }

    pub(crate) fn network(&self) -> &Arc<dyn Network> {
        &self.network
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
    pub(crate) fn quiet(&self) -> &Quiet {
        &self.quiet
    }

    /// Polls the network, as the worker on duty; false if there was nothing to do. If it turns out that the process is
    /// still quiet and somebody has asked meanwhile, `report` answers that question.
    pub(crate) fn poll(&self, worker: &Worker, report: impl FnOnce(u32)) -> bool {
        let was_quiet = self.quiet.begin_look();
        let found = worker.poll(&*self.network);
        if found {
            self.stir();
        }
        if was_quiet && let Some(question) = self.quiet.end_look(found || worker.has_mail()) {
            report(question);
        }
        found
    }

    /// Whether the virtual processor may be on duty.
    fn includes(&self, vp: usize) -> bool {
        vp >= self.first
    }

    /// Takes the duty, if it may and nobody else has it; whether the virtual processor has it now.
    pub(crate) fn take(&self, vp: usize) -> bool {
        // SeqCst: see `rest`.
        match self.on_duty.load(Ordering::SeqCst) {
            NOBODY if !self.includes(vp) => false,
            NOBODY => self
                .on_duty
                .compare_exchange(NOBODY, vp + 1, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok(),
            holder => holder == vp + 1,
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
    pub(crate) fn pass_on(&self, vp: usize, team: &[&'static Worker]) {
        let over = self.quiet.end();
        self.stir();
        match self.on_duty.load(Ordering::SeqCst) {
            NOBODY => {}
            holder if holder == vp + 1 => self.on_duty.store(NOBODY, Ordering::SeqCst),
            // It has to find out when it is quiet again.
            holder if over => return team[holder - 1].nudge(),
            _ => return,
        }
        if let Some(other) = self.resting.iter().position(|rests| rests.load(Ordering::SeqCst)) {
            team[other].nudge();
        }
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

    #[test]
    fn the_duty_is_one_processors_until_it_has_something_to_run() {
        let team = Worker::team(3, 0);
        let lookout = Lookout::new(Arc::new(Still), 0, team.len());
        assert!(lookout.take(1) && lookout.take(1) && !lookout.take(0));
        lookout.rest(0);
        let ticket = team[0].ticket();
        lookout.pass_on(2, &team);
        assert_eq!(team[0].ticket(), ticket, "it was not that one's to pass on");
        lookout.pass_on(1, &team);
        assert_ne!(team[0].ticket(), ticket);
        lookout.rise(0);
        assert!(lookout.take(0) && !lookout.take(1));
    }
}
