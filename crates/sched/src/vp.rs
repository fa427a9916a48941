//! Virtual processors: the kernel thread, its pinning and its idling.
//!
//! A VP with nothing to run watches its inbox for a bounded time, then asks the policy's victims for work and sleeps
//! in the kernel. The time adapts: watching that ended in sleep halves it, watching that paid off doubles it. The one
//! that is on duty ([`Poller`]) polls the network meanwhile, and sleeps where it rings.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use simurgh_core::sync::{AtomicBool, Ordering, SpinLock, relax};
use simurgh_core::{Network, QUIESCENCE_DELAY, QUIESCENCE_DELAY_MAX, Worker, WorkerConfig};

use crate::affinity::Affinity;
use crate::deadlock::{Sleepers, all_others_are_blocked};
use crate::poller::{Poller, SchedulerHooks};
use crate::stats::VpStats;
use crate::substitute::Substitutes;
use crate::topology::Topology;
use crate::vp_set::VpSet;
use crate::worker_status::WorkerStatus;

/// Longest time an idle virtual processor watches its inbox before it sleeps: about twice what a wake-up costs.
pub(crate) const WATCH_MAX: Duration = Duration::from_micros(20);
/// The same of one that is dedicated to the network and has a core of its own: what it watches for may come from afar.
const WATCH_MAX_DEDICATED: Duration = Duration::from_millis(1);
/// Shortest, unless watching is switched off.
const WATCH_MIN: Duration = Duration::from_micros(1);
/// Looks at its event of an execution context that waits while nothing else is ready on its VP.
pub(crate) const EC_LOOKS: u32 = 1000;
/// Looks at the inbox between two looks at the clock.
const LOOKS_PER_CLOCK: u32 = 32;

/// Whether all threads of the process but these and the calling one wait for each other.
pub(crate) type OthersWait = Box<dyn Fn(&[u32]) -> bool + Send + Sync>;

/// What all virtual processors of a runtime share.
pub(crate) struct Common {
    pub(crate) team: Vec<&'static Worker>,
    pub(crate) topology: Topology,
    pub(crate) stop: AtomicBool,
    pub(crate) sleepers: Sleepers,
    pub(crate) on_deadlock: Option<Box<dyn Fn(u32) + Send + Sync>>,
    pub(crate) known_threads: usize,
    /// Threads of the runtime, by number.
    pub(crate) threads: SpinLock<Vec<u32>>,
    /// Whether threads that are not of the runtime wait for each other.
    pub(crate) others_wait: Option<OthersWait>,
    pub(crate) seed: Option<u64>,
    pub(crate) vp_set: VpSet,
    /// Who looks after the network, if there is one.
    pub(crate) poller: OnceLock<Poller>,
    pub(crate) substitutes: Substitutes,
    /// What a thread that becomes a substitute does before.
    pub(crate) prepare: Box<dyn Fn() + Send + Sync>,
}

impl Common {
    /// There is a network, which virtual processors from `first` on look after; whether it is the first one.
    pub(crate) fn look_after(self: &Arc<Self>, network: Arc<dyn Network>, first: usize) -> bool {
        let mut is_first = false;
        self.poller.get_or_init(|| {
            is_first = true;
            let others = SchedulerHooks(Arc::downgrade(self));
            Poller::new(network, others, first, self.vp_set.all())
        });
        is_first
    }

    /// Whether all virtual processors sleep, and nothing is left in the process that could wake any of them. Asked by
    /// one that is counted as asleep, or by an attached thread that is counted as blocked.
    pub(crate) fn all_sleep(&self) -> bool {
        let quiet = || self.substitutes.are_quiet();
        let others_wait = || {
            let known = self.team.len() + self.known_threads + self.substitutes.threads();
            all_others_are_blocked(known)
                || self
                    .others_wait
                    .as_ref()
                    .is_some_and(|wait| wait(&self.threads.lock()))
        };
        self.sleepers.are_all(&self.team, quiet, others_wait)
    }

    /// Whether that may come to be so although no virtual processor wakes up before.
    fn may_all_sleep_later(&self) -> bool {
        self.others_wait.is_some() && self.sleepers.count() == self.team.len()
    }

    /// The calling thread is the runtime's.
    pub(crate) fn note_thread(&self) {
        let number = rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned();
        self.threads.lock().push(number);
    }

    /// Says that nobody is left in this process to wake an execution context; in answer to a question, or to none (0).
    pub(crate) fn report(&self, question: u32) {
        if let Some(report) = &self.on_deadlock {
            report(question);
        }
    }

    /// A thread that is no virtual processor has done what it did in the place of one.
    pub(crate) fn end_help(&self) {
        self.sleepers.end_help();
        if self.sleepers.count() == self.team.len() {
            // Nobody has looked since whether all sleep.
            self.team[0].notify();
        }
    }
}

/// One virtual processor.
pub(crate) struct Vp {
    worker: &'static Worker,
    common: Arc<Common>,
    victims: Vec<usize>,
    status: Arc<WorkerStatus>,
}

impl Vp {
    pub(crate) fn new(index: usize, common: Arc<Common>, victims: Vec<usize>) -> Self {
        let worker = common.team[index];
        Self {
            worker,
            common,
            victims,
            status: Arc::new(WorkerStatus::new(worker)),
        }
    }

    /// What others see of it.
    pub(crate) fn status(&self) -> &Arc<WorkerStatus> {
        &self.status
    }

    pub(crate) fn stats(&self) -> VpStats {
        self.status.idle.stats(self.worker.stats())
    }

    /// The body of the kernel thread.
    pub(crate) fn run(&self) {
        self.common.note_thread();
        let vp_set = &self.common.vp_set;
        if self.common.topology.binds() {
            pin(&vp_set.cpus_of(self.worker.index(), &self.common.topology));
        }
        let network = self.common.poller.get().map(Poller::network);
        self.worker.enter(WorkerConfig {
            spin_limit: if self.may_watch() { EC_LOOKS } else { 0 },
            seed: self.common.seed,
            network: network.filter(|_| vp_set.drives(self.worker.index())).cloned(),
        });
        self.worker
            .allow_moves(self.common.seed.is_none() && !self.victims.is_empty());
        let mut patience = WATCH_MAX;
        loop {
            if self.worker.has_runnable() {
                self.pass_on();
                self.worker.run();
            }
            if self.common.stop.load(Ordering::Acquire) {
                break;
            }
            patience = self.idle(patience);
        }
        self.worker.leave();
    }

    fn may_watch(&self) -> bool {
        self.common.vp_set.may_watch(self.worker.index())
    }

    fn is_dedicated(&self) -> bool {
        self.common.vp_set.is_dedicated(self.worker.index())
    }

    /// Waits for something to run; returns how long to watch next time.
    fn idle(&self, patience: Duration) -> Duration {
        if !self.is_dedicated() && self.worker.help() {
            return patience;
        }
        self.status.idle.begin();
        let found = self.attend() || self.may_watch() && self.watch(patience);
        if !found {
            self.sleep();
        }
        self.status.idle.end();
        if found {
            (patience * 2).min(self.longest_watch())
        } else {
            (patience / 2).max(WATCH_MIN)
        }
    }

    /// Looks after the network, if it is this one's duty; whether there was anything to do.
    fn attend(&self) -> bool {
        let Some(poller) = self.common.poller.get() else {
            return false;
        };
        poller.take(self.worker.index()) && poller.network().has_mail() && poller.poll(self.worker)
    }

    /// There is something to run: the network becomes another's duty, if it was this one's.
    fn pass_on(&self) {
        if let Some(poller) = self.common.poller.get() {
            poller.pass_on(self.worker.index());
        }
    }

    fn sees_shared_work(&self) -> bool {
        !self.is_dedicated() && self.worker.sees_shared_work()
    }

    fn longest_watch(&self) -> Duration {
        if self.is_dedicated() {
            WATCH_MAX_DEDICATED
        } else {
            WATCH_MAX
        }
    }

    fn watch(&self, patience: Duration) -> bool {
        let start = Instant::now();
        loop {
            for _ in 0..LOOKS_PER_CLOCK {
                if self.worker.has_mail() || self.sees_shared_work() || self.attend() {
                    return true;
                }
                relax();
            }
            if start.elapsed() >= patience || self.common.stop.load(Ordering::Relaxed) {
                return false;
            }
        }
    }

    fn sleep(&self) {
        let ticket = self.worker.ticket();
        if self.sees_shared_work() {
            // It came after the last look and before the ticket: nobody will say it again.
            return;
        }
        let team = &self.common.team;
        self.victims
            .iter()
            .for_each(|&victim| self.worker.ask_for_work(team[victim]));
        self.common.sleepers.enter();
        if !self.common.stop.load(Ordering::Acquire) {
            self.status.idle.count_sleep();
            self.rest(ticket);
        }
        self.common.sleepers.leave();
        self.victims
            .iter()
            .for_each(|&victim| self.worker.stop_asking(team[victim]));
    }

    /// Sleeps in the kernel, where the network rings if it is this one's duty to look after it.
    fn rest(&self, ticket: u32) {
        let Some(poller) = self.common.poller.get() else {
            return self.rest_alone(ticket);
        };
        let vp = self.worker.index();
        poller.rest(vp);
        if poller.take(vp) {
            self.rest_on_duty(poller, ticket);
        } else {
            self.worker.sleep(ticket);
        }
        poller.rise(vp);
    }

    /// As [`Vp::rest`], where there is no network.
    fn rest_alone(&self, ticket: u32) {
        let mut pause = QUIESCENCE_DELAY;
        loop {
            if self.common.all_sleep() {
                self.common.report(0);
                return self.worker.sleep(ticket);
            }
            if !self.common.may_all_sleep_later() {
                return self.worker.sleep(ticket);
            }
            self.worker.sleep_for(ticket, pause);
            if self.worker.has_mail() || self.worker.ticket() != ticket {
                return;
            }
            pause = (2 * pause).min(QUIESCENCE_DELAY_MAX);
        }
    }

    fn rest_on_duty(&self, poller: &Poller, ticket: u32) {
        let network = &**poller.network();
        if !poller.quiescence().has_begun() && poller.calm() >= QUIESCENCE_DELAY {
            self.look_whether_all_sleep(poller);
        }
        // Who has to find out when all sleep wakes up for it.
        let limit = (!poller.quiescence().has_begun()).then_some(QUIESCENCE_DELAY);
        self.worker.sleep_at(network, ticket, limit);
    }

    fn look_whether_all_sleep(&self, poller: &Poller) {
        if poller.network().is_quiet() && self.common.all_sleep() {
            poller.quiescence().begin();
            self.common.report(0);
        } else {
            poller.calm_again();
        }
    }
}

/// Pins the calling thread. A kernel that refuses leaves it free to move, which is slower but right.
fn pin(cpus: &[usize]) {
    let _ = Affinity::of(cpus).bind(None);
}
