//! Configuring and starting a runtime.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use simurgh_core::sync::{AtomicBool, SpinLock};
use simurgh_core::{Network, PurposeRules, Worker};

use super::{Runtime, VPS_MAX};
use crate::deadlock::Sleepers;
use crate::error::SchedError;
use crate::policy::{Policy, WorkQueue};
use crate::topology::Topology;
use crate::vp::{OthersWait, Shared, Substitutes};
use crate::vp_set::VpSet;

/// Configures and starts a [`Runtime`].
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

    /// Makes the order of execution contexts random, as the seed decides. With one virtual processor every run is the
    /// same; with several, contexts that yield also move between them at random.
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

    /// Sets what a virtual processor calls when every execution context is blocked and nobody in the process is left to
    /// wake one.
    ///
    /// If there is a network, others may still wake one. Then the process is [quiescent](Runtime::quiescence), and
    /// `report` is called each time that it becomes so again. Its argument is 0 in these cases. It is also called with
    /// the number of a question that could not be answered at once.
    #[must_use]
    pub fn on_deadlock(mut self, report: impl Fn(u32) + Send + Sync + 'static) -> Self {
        self.on_deadlock = Some(Box::new(report));
        self
    }

    /// Number of threads of the process that are not the runtime's, are not attached, and will never wake an execution
    /// context. Deadlocks are recognised only if there are no others.
    #[must_use]
    pub fn known_threads(mut self, known_threads: usize) -> Self {
        self.known_threads = known_threads;
        self
    }

    /// Sets what tells whether all threads of the process wait for each other, so that none of them wakes an execution
    /// context, except the calling thread and those of the runtime, whose ids are the argument.
    ///
    /// It is called now and then when all virtual processors sleep and there are threads that are not attached and
    /// blocked.
    #[must_use]
    pub fn others_wait(mut self, wait: impl Fn(&[u32]) -> bool + Send + Sync + 'static) -> Self {
        self.others_wait = Some(Box::new(wait));
        self
    }

    /// The machine, or the [share](Topology::share) of it for this process; by default, what the system lets it use.
    #[must_use]
    pub fn topology(mut self, topology: Topology) -> Self {
        self.topology = Some(topology);
        self
    }

    /// The first of the cores on which virtual processors that are dedicated to the network run: an index into
    /// [`Topology::machine`], modulo the number of cores. They may share it with those of other processes.
    #[must_use]
    pub fn network_core(mut self, core: Option<usize>) -> Self {
        self.network_core = core;
        self
    }

    /// The cores on which the members of the group begin, as indices into [`Topology::cores`], instead of where the
    /// policy would place them.
    #[must_use]
    pub fn homes(mut self, homes: Vec<usize>) -> Self {
        self.homes = homes;
        self
    }

    /// The network that virtual processors with nothing better to do poll.
    #[must_use]
    pub fn network(mut self, network: Arc<dyn Network>) -> Self {
        self.network = Some(network);
        self
    }

    /// For how long an execution context may keep its virtual processor before others that are ready there run
    /// elsewhere. By default, and on a kernel without `membarrier(2)`, there is no limit. A [seeded](Builder::seed) run
    /// is repeatable as long as that does not happen.
    #[must_use]
    pub fn patience(mut self, patience: Option<Duration>) -> Self {
        self.patience = patience;
        self
    }

    /// Sets what a thread of the runtime calls when that happens for the first time in a seeded run: from then on the
    /// seed alone does not decide the order.
    #[must_use]
    pub fn on_disorder(mut self, report: impl Fn() + Send + 'static) -> Self {
        self.on_disorder = Some(Box::new(report));
        self
    }

    /// Sets what each kernel thread calls first that begins to run execution contexts after the start.
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
        let team = Worker::team(vp_set.common, vp_set.dedicated + vp_set.for_io);
        if let Some(network) = &self.network {
            team.iter()
                .for_each(|worker| worker.set_network(Arc::downgrade(network)));
        }
        if self.seed.is_none() {
            team[0].set_purpose_rules(PurposeRules {
                network_first: self.policy.network_first(),
                io_workers: vp_set.io_vps(),
            });
        }
        let shared = Arc::new(Shared {
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
            anticipates: self.policy.anticipates(),
            substitutes: Substitutes::default(),
            prepare: self.prepare,
        });
        if let Some(network) = self.network {
            shared.add_network(network, vp_set.pollers());
        }
        let mut runtime = Runtime {
            shared,
            policy: self.policy,
            homes: self.homes,
            vps: Vec::new(),
            threads: Vec::new(),
            guard: None,
            balancer: None,
            members: Arc::default(),
        };
        (0..vp_set.all()).try_for_each(|index| runtime.start_vp(index))?;
        if let Some(rule) = runtime.policy.rebalancing().filter(|_| self.seed.is_none()) {
            runtime.start_balancer(rule)?;
        }
        let on_disorder = self.on_disorder.filter(|_| self.seed.is_some());
        if let Some(limit) = self.patience.filter(|_| Worker::may_evict()) {
            runtime.start_guard(limit, on_disorder)?;
        }
        Ok(runtime)
    }

    /// The set of virtual processors.
    ///
    /// # Errors
    ///
    /// When there cannot be so many.
    fn vp_set(&self, topology: &Topology) -> Result<VpSet, SchedError> {
        let driving = self.network.as_ref().map(|_| self.policy.driving());
        let for_io = match self.seed {
            None => self.policy.io_processors(),
            Some(_) => 0,
        };
        let vp_set = VpSet::new(self.vps, topology, driving).with_io(for_io);
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
