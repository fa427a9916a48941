//! The virtual processors of a process, started and stopped together.

use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use simurgh_core::sync::{AtomicBool, Ordering, SpinLock};
use simurgh_core::{EcHandle, EcSpec, Network, Worker};

use crate::deadlock::Sleepers;
use crate::error::SchedError;
use crate::guard::Guard;
use crate::policy::{Policy, WorkQueue};
use crate::stats::VpStats;
use crate::substitute::Substitutes;
use crate::topology::Topology;
use crate::vp::{Common, OthersWait, Vp};
use crate::vp_set::VpSet;

/// Most virtual processors of a runtime.
pub const VPS_MAX: usize = 1024;

/// Chooses what a [`Runtime`] is like.
pub struct Builder {
    vps: Option<usize>,
    seed: Option<u64>,
    policy: Arc<dyn Policy>,
    on_deadlock: Option<Box<dyn Fn(u32) + Send + Sync>>,
    known_threads: usize,
    others_wait: Option<OthersWait>,
    network: Option<Arc<dyn Network>>,
    topology: Option<Topology>,
    network_core: Option<usize>,
    homes: Vec<usize>,
    patience: Option<Duration>,
    on_disorder: Option<Box<dyn Fn() + Send>>,
    prepare: Box<dyn Fn() + Send + Sync>,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// One virtual processor per core, work queue, unseeded.
    #[must_use]
    pub fn new() -> Self {
        Self {
            vps: None,
            seed: None,
            policy: Arc::new(WorkQueue),
            on_deadlock: None,
            known_threads: 0,
            others_wait: None,
            network: None,
            topology: None,
            network_core: None,
            homes: Vec::new(),
            patience: None,
            on_disorder: None,
            prepare: Box::new(|| ()),
        }
    }

    /// Number of virtual processors that run whatever is ready; if not given, one per usable core that the policy does
    /// not dedicate to the network.
    #[must_use]
    pub fn vps(mut self, vps: Option<usize>) -> Self {
        self.vps = vps;
        self
    }

    /// Makes the order of execution contexts a random one that the seed decides: with one virtual processor every
    /// run is the same; with several, contexts that yield also move about at random.
    #[must_use]
    pub fn seed(mut self, seed: Option<u64>) -> Self {
        self.seed = seed;
        self
    }

    /// The scheduling policy.
    #[must_use]
    pub fn policy(mut self, policy: Arc<dyn Policy>) -> Self {
        self.policy = policy;
        self
    }

    /// Called, by a virtual processor, when every execution context is blocked and nobody in the process is left to
    /// wake one. If there is a network, others may yet: then the process is [quiet](Runtime::quiet), and it is called
    /// again when it has not been so for a while and is again. It is given 0 then; it is also called when a question
    /// could not be answered at once, with the number of that.
    #[must_use]
    pub fn on_deadlock(mut self, report: impl Fn(u32) + Send + Sync + 'static) -> Self {
        self.on_deadlock = Some(Box::new(report));
        self
    }

    /// Number of threads of the process that are not the runtime's, are not attached, and will never wake an
    /// execution context; deadlocks are recognised only if there are no others.
    #[must_use]
    pub fn known_threads(mut self, known_threads: usize) -> Self {
        self.known_threads = known_threads;
        self
    }

    /// Whether all threads of the process but the calling one and those of the runtime, whose numbers are given, wait
    /// for each other, so that none of them wakes an execution context. Asked, now and then, when all virtual
    /// processors sleep, and there are threads that are not attached and blocked.
    #[must_use]
    pub fn others_wait(mut self, wait: impl Fn(&[u32]) -> bool + Send + Sync + 'static) -> Self {
        self.others_wait = Some(Box::new(wait));
        self
    }

    /// The machine, or this process' [share](Topology::share) of it; what the system lets it use, if not given.
    #[must_use]
    pub fn topology(mut self, topology: Topology) -> Self {
        self.topology = Some(topology);
        self
    }

    /// The first of the machine's cores on which virtual processors dedicated to the network run, by its place among
    /// [all](Topology::machine), modulo their number. They may share it with those of other processes.
    #[must_use]
    pub fn network_core(mut self, core: Option<usize>) -> Self {
        self.network_core = core;
        self
    }

    /// The cores of the topology on which the members of the group begin, by their indices, instead of where the policy
    /// would place them.
    #[must_use]
    pub fn homes(mut self, homes: Vec<usize>) -> Self {
        self.homes = homes;
        self
    }

    /// The network that virtual processors with nothing better to do look after.
    #[must_use]
    pub fn network(mut self, network: Arc<dyn Network>) -> Self {
        self.network = Some(network);
        self
    }

    /// For how long an execution context may keep its virtual processor before others that are ready there run
    /// elsewhere; if not given, as long as it likes, as on a kernel without `membarrier(2)`. A [seeded](Builder::seed)
    /// run is repeatable as long as that does not happen.
    #[must_use]
    pub fn patience(mut self, patience: Option<Duration>) -> Self {
        self.patience = patience;
        self
    }

    /// Called, by a thread of the runtime, when that happens for the first time in a seeded run: from then on the seed
    /// alone does not decide the order.
    #[must_use]
    pub fn on_disorder(mut self, report: impl Fn() + Send + 'static) -> Self {
        self.on_disorder = Some(Box::new(report));
        self
    }

    /// What each kernel thread does first that begins, after the start, to run execution contexts.
    #[must_use]
    pub fn prepare(mut self, prepare: impl Fn() + Send + Sync + 'static) -> Self {
        self.prepare = Box::new(prepare);
        self
    }

    /// Starts the virtual processors.
    ///
    /// # Errors
    ///
    /// When the topology cannot be read, the number of virtual processors is out of range, or a thread is refused.
    pub fn start(self) -> Result<Runtime, SchedError> {
        let topology = match &self.topology {
            Some(topology) => topology.clone(),
            None => Topology::detect()?,
        };
        let vp_set = self.vp_set(&topology)?;
        let team = Worker::team(vp_set.common, vp_set.dedicated);
        if let Some(network) = &self.network {
            team.iter()
                .for_each(|worker| worker.set_network(Arc::downgrade(network)));
        }
        let first_on_duty = if vp_set.dedicated > 0 { vp_set.common } else { 0 };
        let common = Arc::new(Common {
            team,
            topology,
            stop: AtomicBool::new(false),
            sleepers: Sleepers::default(),
            on_deadlock: self.on_deadlock,
            known_threads: self.known_threads,
            threads: SpinLock::default(),
            others_wait: self.others_wait,
            seed: self.seed,
            poller: OnceLock::new(),
            vp_set,
            substitutes: Substitutes::default(),
            prepare: self.prepare,
        });
        if let Some(network) = self.network {
            common.look_after(network, first_on_duty);
        }
        let mut runtime = Runtime {
            common,
            policy: self.policy,
            homes: self.homes,
            vps: Vec::new(),
            threads: Vec::new(),
            guard: None,
        };
        (0..vp_set.all()).try_for_each(|index| runtime.start_vp(index))?;
        let on_disorder = self.on_disorder.filter(|_| self.seed.is_some());
        if let Some(limit) = self.patience.filter(|_| Worker::may_evict()) {
            runtime.start_guard(limit, on_disorder)?;
        }
        Ok(runtime)
    }

    /// The virtual processors, if there can be so many.
    fn vp_set(&self, topology: &Topology) -> Result<VpSet, SchedError> {
        let driving = self.network.as_ref().map(|_| self.policy.driving());
        let vp_set = VpSet::new(self.vps, topology, driving);
        let vp_set = self
            .network_core
            .map_or(vp_set, |core| vp_set.with_network_core(core));
        match (1..=VPS_MAX).contains(&vp_set.all()) && vp_set.common > 0 {
            true => Ok(vp_set),
            false => Err(SchedError::VpCount {
                asked: vp_set.all(),
                limit: VPS_MAX,
            }),
        }
    }
}

/// Running virtual processors. Dropping it stops them, once what is ready has run.
pub struct Runtime {
    common: Arc<Common>,
    policy: Arc<dyn Policy>,
    homes: Vec<usize>,
    vps: Vec<Arc<Vp>>,
    threads: Vec<JoinHandle<()>>,
    guard: Option<JoinHandle<()>>,
}

impl Runtime {
    fn start_vp(&mut self, index: usize) -> Result<(), SchedError> {
        let common = self.common.vp_set.common;
        let topology = &self.common.topology;
        let mut victims = match index < common {
            true => self.policy.victims(index, common, topology),
            false => Vec::new(),
        };
        let core = |vp: usize| vp % topology.cores().len();
        victims.retain(|&victim| topology.joins(core(index), core(victim)));
        let vp = Arc::new(Vp::new(index, Arc::clone(&self.common), victims));
        self.vps.push(Arc::clone(&vp));
        let thread = std::thread::Builder::new()
            .name(format!("vp{index}"))
            .spawn(move || vp.run());
        self.threads
            .push(thread.map_err(|source| SchedError::Thread { vp: index, source })?);
        Ok(())
    }

    fn start_guard(
        &mut self,
        limit: Duration,
        on_disorder: Option<Box<dyn Fn() + Send>>,
    ) -> Result<(), SchedError> {
        let statuses = self.vps[..self.common.vp_set.common].iter();
        let statuses: Vec<_> = statuses.map(|vp| Arc::clone(vp.status())).collect();
        let guard = Guard::new(Arc::clone(&self.common), limit, statuses.into_iter(), on_disorder);
        self.common.substitutes.count_other();
        let thread = std::thread::Builder::new().name("guard".to_owned());
        let thread = thread.spawn(move || guard.run());
        self.guard = Some(thread.map_err(SchedError::Guard)?);
        Ok(())
    }

    /// From now on there is a network, of which nothing was known at the start; the first one lasts, as does one that
    /// was there at the start. Policies that dedicate virtual processors to it come too late: all look after it.
    pub fn connect(&self, network: Arc<dyn Network>) {
        let common = &self.common;
        if common.look_after(Arc::clone(&network), 0) {
            for worker in &common.team {
                worker.join_network(Arc::clone(&network));
                worker.notify();
            }
        }
    }

    /// Number of virtual processors that run whatever is ready.
    #[must_use]
    pub fn vps(&self) -> usize {
        self.common.vp_set.common
    }

    /// Number of virtual processors that do nothing but drive the network, behind the others.
    #[must_use]
    pub fn network_vps(&self) -> usize {
        self.common.vp_set.dedicated
    }

    /// The machine.
    #[must_use]
    pub fn topology(&self) -> &Topology {
        &self.common.topology
    }

    /// The policy in force.
    #[must_use]
    pub fn policy(&self) -> &dyn Policy {
        &*self.policy
    }

    /// Counters of each virtual processor, those that drive the network last.
    #[must_use]
    pub fn stats(&self) -> Vec<VpStats> {
        self.vps.iter().map(|vp| vp.stats()).collect()
    }

    /// Reads the counters of each virtual processor, as long as anybody wants to.
    pub fn observer(&self) -> impl Fn() -> Vec<VpStats> + Send + Sync + 'static {
        let vps = self.vps.clone();
        move || vps.iter().map(|vp| vp.stats()).collect()
    }

    /// Says, as long as anybody wants to know, whether what was called on a deadlock has been called and nothing has
    /// happened since. Who wants to know what has been sent and received until then asks for that first. Where a
    /// question cannot be answered just now, that is called with its number.
    pub fn quiescence(&self) -> impl Fn(u32) -> bool + Send + Sync + 'static {
        let common = Arc::clone(&self.common);
        move |question| {
            let poller = common.poller.get();
            poller.map_or_else(
                || common.sleepers.are_all_still(),
                |poller| poller.quiescence().lasts(question),
            )
        }
    }

    /// Starts an execution context on virtual processor `vp`, modulo their number; the ones that drive the network come
    /// behind the others.
    ///
    /// # Errors
    ///
    /// When there is no stack for it.
    pub fn spawn(
        &self,
        spec: EcSpec,
        vp: usize,
        f: impl FnOnce() + Send + 'static,
    ) -> Result<EcHandle, SchedError> {
        let ec = simurgh_core::create(spec, f)?;
        Ok(ec.start(self.common.team[vp % self.common.team.len()]))
    }

    /// The virtual processor on which member `index` of a group of `count` execution contexts starts: that of its
    /// [home](Builder::homes), or where the policy places it.
    #[must_use]
    pub fn place_of_member(&self, (index, count): (usize, usize)) -> usize {
        match self.homes.get(index) {
            Some(home) => home % self.vps(),
            None => self.policy.place(index, count, self.vps()),
        }
    }

    /// Starts a member, by its index in a group of so many execution contexts, where the policy places it.
    ///
    /// # Errors
    ///
    /// When there is no stack for it.
    pub fn spawn_member(
        &self,
        spec: EcSpec,
        member: (usize, usize),
        f: impl FnOnce() + Send + 'static,
    ) -> Result<EcHandle, SchedError> {
        self.spawn(spec, self.place_of_member(member), f)
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        if let Some(poller) = self.common.poller.get() {
            poller.close();
        }
        self.common.substitutes.end();
        self.common.sleepers.rouse();
        if let Some(guard) = self.guard.take() {
            guard.thread().unpark();
            let _ = guard.join();
        }
        self.common.substitutes.dismiss();
        // Release pairs with the Acquire in `Vp::run`.
        self.common.stop.store(true, Ordering::Release);
        self.common.team.iter().for_each(|worker| worker.notify());
        for thread in self.threads.drain(..) {
            // A virtual processor that panicked has already said so on stderr.
            let _ = thread.join();
        }
    }
}
