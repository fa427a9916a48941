//! Virtual processors: the kernel thread, its pinning and its idling.
//!
//! A VP with nothing to run watches its inbox for a bounded time, then asks the policy's victims for work and sleeps
//! in the kernel. The time adapts: watching that ended in sleep halves it, watching that paid off doubles it. The one
//! that is on duty ([`Lookout`]) polls the network meanwhile, and sleeps where it rings.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use simurgh_core::sync::{AtomicBool, Ordering, SpinLock, relax};
use simurgh_core::{CALM, CALM_MAX, Entry, Network, Worker};

use crate::affinity::Affinity;
use crate::crew::Crew;
use crate::deadlock::{Sleepers, all_others_are_blocked};
use crate::deputy::Deputies;
use crate::lookout::{Crewmates, Lookout};
use crate::post::Post;
use crate::stats::VpStats;
use crate::topology::Topology;

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
    pub(crate) crew: Crew,
    /// Who looks after the network, if there is one.
    pub(crate) lookout: OnceLock<Lookout>,
    pub(crate) deputies: Deputies,
    /// What a thread that becomes a deputy does before.
    pub(crate) prepare: Box<dyn Fn() + Send + Sync>,
}

impl Common {
    /// There is a network, which virtual processors from `first` on look after; whether it is the first one.
    pub(crate) fn look_after(self: &Arc<Self>, network: Arc<dyn Network>, first: usize) -> bool {
        let mut is_first = false;
        self.lookout.get_or_init(|| {
            is_first = true;
            let others = Crewmates(Arc::downgrade(self));
            Lookout::new(network, others, first, self.crew.all())
        });
        is_first
    }

    /// Whether all virtual processors sleep, and nothing is left in the process that could wake any of them. Asked by
    /// one that is counted as asleep, or by an attached thread that is counted as blocked.
    pub(crate) fn all_sleep(&self) -> bool {
        let quiet = || self.deputies.are_quiet();
        let others_wait = || {
            let known = self.team.len() + self.known_threads + self.deputies.threads();
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
            self.team[0].nudge();
        }
    }
}

/// One virtual processor.
pub(crate) struct Vp {
    worker: &'static Worker,
    common: Arc<Common>,
    victims: Vec<usize>,
    post: Arc<Post>,
}

impl Vp {
    pub(crate) fn new(index: usize, common: Arc<Common>, victims: Vec<usize>) -> Self {
        let worker = common.team[index];
        Self {
            worker,
            common,
            victims,
            post: Arc::new(Post::new(worker)),
        }
    }

    /// What others see of it.
    pub(crate) fn post(&self) -> &Arc<Post> {
        &self.post
    }

    pub(crate) fn stats(&self) -> VpStats {
        self.post.idle.stats(self.worker.stats())
    }

    /// The body of the kernel thread.
    pub(crate) fn run(&self) {
        self.common.note_thread();
        let crew = &self.common.crew;
        if self.common.topology.binds() {
            pin(&crew.cpus_of(self.worker.index(), &self.common.topology));
        }
        let network = self.common.lookout.get().map(Lookout::network);
        self.worker.enter(Entry {
            spin_limit: if self.may_watch() { EC_LOOKS } else { 0 },
            seed: self.common.seed,
            network: network.filter(|_| crew.drives(self.worker.index())).cloned(),
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
        self.common.crew.may_watch(self.worker.index())
    }

    fn is_dedicated(&self) -> bool {
        self.common.crew.is_dedicated(self.worker.index())
    }

    /// Waits for something to run; returns how long to watch next time.
    fn idle(&self, patience: Duration) -> Duration {
        if !self.is_dedicated() && self.worker.help() {
            return patience;
        }
        self.post.idle.begin();
        let found = self.attend() || self.may_watch() && self.watch(patience);
        if !found {
            self.sleep();
        }
        self.post.idle.end();
        if found {
            (patience * 2).min(self.longest_watch())
        } else {
            (patience / 2).max(WATCH_MIN)
        }
    }

    /// Looks after the network, if it is this one's duty; whether there was anything to do.
    fn attend(&self) -> bool {
        let Some(lookout) = self.common.lookout.get() else {
            return false;
        };
        lookout.take(self.worker.index()) && lookout.network().has_mail() && lookout.poll(self.worker)
    }

    /// There is something to run: the network becomes another's duty, if it was this one's.
    fn pass_on(&self) {
        if let Some(lookout) = self.common.lookout.get() {
            lookout.pass_on(self.worker.index());
        }
    }

    fn sees_offers(&self) -> bool {
        !self.is_dedicated() && self.worker.sees_offers()
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
                if self.worker.has_mail() || self.sees_offers() || self.attend() {
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
        if self.sees_offers() {
            // It came after the last look and before the ticket: nobody will say it again.
            return;
        }
        let team = &self.common.team;
        self.victims
            .iter()
            .for_each(|&victim| self.worker.beg(team[victim]));
        self.common.sleepers.enter();
        if !self.common.stop.load(Ordering::Acquire) {
            self.post.idle.count_sleep();
            self.rest(ticket);
        }
        self.common.sleepers.leave();
        self.victims
            .iter()
            .for_each(|&victim| self.worker.stop_begging(team[victim]));
    }

    /// Sleeps in the kernel, where the network rings if it is this one's duty to look after it.
    fn rest(&self, ticket: u32) {
        let Some(lookout) = self.common.lookout.get() else {
            return self.rest_alone(ticket);
        };
        let vp = self.worker.index();
        lookout.rest(vp);
        if lookout.take(vp) {
            self.rest_on_duty(lookout, ticket);
        } else {
            self.worker.sleep(ticket);
        }
        lookout.rise(vp);
    }

    /// As [`Vp::rest`], where there is no network.
    fn rest_alone(&self, ticket: u32) {
        let mut pause = CALM;
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
            pause = (2 * pause).min(CALM_MAX);
        }
    }

    fn rest_on_duty(&self, lookout: &Lookout, ticket: u32) {
        let network = &**lookout.network();
        if !lookout.quiet().has_begun() && lookout.calm() >= CALM {
            self.look_whether_all_sleep(lookout);
        }
        // Who has to find out when all sleep wakes up for it.
        let limit = (!lookout.quiet().has_begun()).then_some(CALM);
        self.worker.sleep_at(network, ticket, limit);
    }

    fn look_whether_all_sleep(&self, lookout: &Lookout) {
        if lookout.network().is_quiet() && self.common.all_sleep() {
            lookout.quiet().begin();
            self.common.report(0);
        } else {
            lookout.calm_again();
        }
    }
}

/// Pins the calling thread. A kernel that refuses leaves it free to move, which is slower but right.
fn pin(cpus: &[usize]) {
    let _ = Affinity::of(cpus).bind(None);
}
