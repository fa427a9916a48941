//! Virtual processors: the kernel thread, its pinning and its idling.
//!
//! A VP with nothing to run spins for a bounded time, checking its inbox. Then it asks the policy's victims for work
//! and sleeps in the kernel; if the policy wants it, it asks the nearest of them before it spins. The time to spin
//! adapts (`spin_time`). The VP that is the [`Poller`] polls the network meanwhile, and sleeps where the network wakes
//! it.

mod shared;
mod spin_time;
mod starvation_guard;
mod substitute;
mod victims;

use std::sync::Arc;
use std::time::{Duration, Instant};

use simurgh_core::sync::{Ordering, relax};
use simurgh_core::{QUIESCENCE_DELAY, QUIESCENCE_DELAY_MAX, Worker, WorkerConfig};

use crate::affinity::Affinity;
use crate::poller::Poller;
use crate::stats::VpStats;
use crate::worker_status::WorkerStatus;

use self::spin_time::{IdlePeriod, Longest, SpinTime};

pub(crate) use shared::{OthersWait, Shared};
pub use starvation_guard::SUBSTITUTES_MAX;
pub(crate) use starvation_guard::StarvationGuard;
pub(crate) use substitute::Substitutes;
pub(crate) use victims::Victims;

/// How often an execution context that waits checks its event while nothing else is ready on its VP.
const EC_SPIN_LIMIT: u32 = 1000;
/// After so long a spin lets other processes run that share the core: what it waits for may have to be done there.
const ALONE: Duration = Duration::from_micros(20);
/// Checks of the inbox between two readings of the clock.
const CHECKS_PER_CLOCK: u32 = 32;

/// One virtual processor.
pub(crate) struct Vp {
    worker: &'static Worker,
    shared: Arc<Shared>,
    victims: Victims,
    status: Arc<WorkerStatus>,
}

impl Vp {
    pub(crate) fn new(index: usize, shared: Arc<Shared>, victims: Victims) -> Self {
        let worker = shared.team[index];
        Self {
            worker,
            shared,
            victims,
            status: Arc::new(WorkerStatus::new(worker)),
        }
    }

    /// Its status, for others.
    pub(crate) fn status(&self) -> &Arc<WorkerStatus> {
        &self.status
    }

    pub(crate) fn stats(&self) -> VpStats {
        self.status.idle.stats(self.worker.stats())
    }

    /// The body of the kernel thread.
    pub(crate) fn run(&self) {
        self.status.begin(self.shared.note_thread());
        let vps = &self.shared.vp_set;
        if self.shared.topology.binds() {
            pin(&vps.cpus_of(self.worker.index(), &self.shared.topology));
        }
        let network = self.shared.poller.get().map(Poller::network);
        self.worker.enter(WorkerConfig {
            spin_limit: if self.may_spin() { EC_SPIN_LIMIT } else { 0 },
            seed: self.shared.seed,
            network: network.filter(|_| vps.drives(self.worker.index())).cloned(),
            anticipates: self.shared.anticipates,
        });
        if self.shared.seed.is_none() {
            self.worker.allow_moves(self.victims.all());
        }
        self.worker.allow_requests(self.reach());
        let mut spin_time = SpinTime::new();
        loop {
            if self.worker.has_runnable() {
                self.pass_on();
                self.worker.run();
            }
            if self.shared.stop.load(Ordering::Acquire) {
                break;
            }
            spin_time = self.idle(spin_time);
        }
        self.worker.leave();
    }

    /// The common virtual processors between which and this one contexts may move.
    fn reach(&self) -> impl Iterator<Item = usize> {
        let topology = &self.shared.topology;
        let core = |vp: usize| vp % topology.cores().len();
        let own = core(self.worker.index());
        (0..self.shared.vp_set.common).filter(move |&vp| topology.joins(own, core(vp)))
    }

    fn may_spin(&self) -> bool {
        self.shared.vp_set.may_spin(self.worker.index())
    }

    /// Whether it runs whatever is ready.
    fn is_common(&self) -> bool {
        self.worker.index() < self.shared.vp_set.common
    }

    fn is_dedicated(&self) -> bool {
        self.shared.vp_set.is_dedicated(self.worker.index())
    }

    /// Waits for something to run. Returns for how long to spin next time.
    fn idle(&self, spin_time: SpinTime) -> SpinTime {
        if self.is_common() && self.worker.help() {
            return spin_time;
        }
        self.status.idle.begin();
        self.worker.resume_mailbox();
        self.ask(&self.victims.early);
        let found =
            self.worker.look_into_mailbox() || self.poll() || self.may_spin() && self.spin(spin_time.get());
        let slept = (!found).then(|| self.sleep());
        self.stop_asking(&self.victims.early);
        let length = self.status.idle.end();
        spin_time.after(IdlePeriod { length, slept }, self.longest_spin())
    }

    /// Polls the network, if this one is the poller or can become it. Returns whether there was anything to do.
    fn poll(&self) -> bool {
        let Some(poller) = self.shared.poller.get() else {
            return false;
        };
        poller.take(self.worker.index()) && poller.network().has_mail() && poller.poll(self.worker)
    }

    /// Passes the role of the poller on, if this one has it, because there is something to run.
    fn pass_on(&self) {
        if let Some(poller) = self.shared.poller.get() {
            poller.pass_on(self.worker.index());
        }
    }

    fn sees_shared_work(&self) -> bool {
        self.is_common() && self.worker.sees_shared_work()
    }

    fn longest_spin(&self) -> Longest {
        let is_far = |poller: &Poller| poller.network().is_far() && poller.is_led_by(self.worker.index());
        let is_far = self.shared.poller.get().is_some_and(is_far);
        match self.is_dedicated() {
            true => Longest::Dedicated { is_far },
            false if is_far => Longest::Far,
            false => Longest::Usual,
        }
    }

    /// Checks for work again and again for so long; whether there is any.
    fn spin(&self, spin_time: Duration) -> bool {
        let start = Instant::now();
        loop {
            for _ in 0..CHECKS_PER_CLOCK {
                if self.worker.has_mail()
                    || self.worker.look_into_mailbox()
                    || self.sees_shared_work()
                    || self.poll()
                {
                    return true;
                }
                relax();
            }
            let spun = start.elapsed();
            if spun >= spin_time || self.shared.stop.load(Ordering::Relaxed) {
                return false;
            }
            if spun >= ALONE {
                std::thread::yield_now();
            }
        }
    }

    /// Sleeps until there is something to run. Returns for how long.
    fn sleep(&self) -> Duration {
        let begin = Instant::now();
        let ticket = self.worker.ticket();
        // What came after the last check and before the ticket nobody will announce again.
        if !self.sees_shared_work() {
            self.sleep_with(ticket);
        }
        begin.elapsed()
    }

    fn sleep_with(&self, ticket: u32) {
        // Others deliver by themselves while it sleeps.
        self.worker.close_mailbox();
        if !self.worker.has_runnable() {
            self.sleep_until_called(ticket);
        }
        self.worker.open_mailbox();
    }

    fn sleep_until_called(&self, ticket: u32) {
        self.ask(&self.victims.late);
        self.shared.sleepers.enter();
        if !self.shared.stop.load(Ordering::Acquire) {
            self.status.idle.count_sleep();
            self.rest(ticket);
        }
        self.shared.sleepers.leave();
        self.stop_asking(&self.victims.late);
    }

    fn ask(&self, victims: &[usize]) {
        let ask = |&victim: &usize| self.worker.ask_for_work(self.shared.team[victim]);
        victims.iter().for_each(ask);
    }

    fn stop_asking(&self, victims: &[usize]) {
        let stop = |&victim: &usize| self.worker.stop_asking(self.shared.team[victim]);
        victims.iter().for_each(stop);
    }

    /// Sleeps in the kernel; as the poller, where the network wakes it.
    fn rest(&self, ticket: u32) {
        let Some(poller) = self.shared.poller.get() else {
            return self.rest_without_network(ticket);
        };
        let vp = self.worker.index();
        poller.begin_rest(vp);
        if poller.take(vp) {
            self.rest_as_poller(poller, ticket);
        } else {
            self.worker.sleep(ticket);
        }
        poller.end_rest(vp);
    }

    fn rest_without_network(&self, ticket: u32) {
        let mut pause = QUIESCENCE_DELAY;
        // Another virtual processor that falls asleep after this one looks in its place.
        while self.shared.may_all_sleep() {
            self.worker.sleep_for(ticket, pause);
            if self.worker.has_mail() || self.worker.ticket() != ticket {
                return;
            }
            if self.shared.all_sleep() {
                self.shared.report(0);
                break;
            }
            pause = (2 * pause).min(QUIESCENCE_DELAY_MAX);
        }
        self.worker.sleep(ticket);
    }

    fn rest_as_poller(&self, poller: &Poller, ticket: u32) {
        let network = &**poller.network();
        if !poller.quiescence().has_begun() && poller.inactivity() >= QUIESCENCE_DELAY {
            self.check_quiescence(poller);
        }
        // Until the process is quiescent, the poller wakes up again to check that.
        let limit = (!poller.quiescence().has_begun()).then_some(QUIESCENCE_DELAY);
        self.worker.sleep_at(network, ticket, limit);
    }

    fn check_quiescence(&self, poller: &Poller) {
        if poller.network().is_quiet() && self.shared.all_sleep() {
            poller.quiescence().begin();
            self.shared.report(0);
        } else {
            poller.restart_inactivity();
        }
    }
}

/// Pins the calling thread. If the kernel refuses, the thread may move, which is slower but correct.
fn pin(cpus: &[usize]) {
    let _ = Affinity::of(cpus).bind(None);
}
