//! The runtime: the virtual processors of a process, started and stopped together.

mod builder;

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use simurgh_core::sync::Ordering;
use simurgh_core::{EcHandle, EcSpec, Network};

use crate::affinity::Affinity;
use crate::balance::{Balancer, Members};
use crate::domain::DomainKind;
use crate::domain_stats::DomainStats;
use crate::error::SchedError;
use crate::idle_core::IdleCores;
use crate::policy::{Machine, Policy, Rebalancing};
use crate::stats::VpStats;
use crate::topology::Topology;
use crate::vp::{Shared, StarvationGuard, Victims, Vp};

pub use builder::Builder;

/// Most virtual processors of a runtime.
pub const VPS_MAX: usize = 1024;

/// Running virtual processors. Dropping it stops them, once what is ready has run.
pub struct Runtime {
    shared: Arc<Shared>,
    policy: Arc<dyn Policy>,
    homes: Vec<usize>,
    vps: Vec<Arc<Vp>>,
    threads: Vec<JoinHandle<()>>,
    guard: Option<JoinHandle<()>>,
    balancer: Option<JoinHandle<()>>,
    members: Arc<Members>,
}

impl Runtime {
    fn start_vp(&mut self, index: usize) -> Result<(), SchedError> {
        let common = self.shared.vp_set.common;
        let topology = &self.shared.topology;
        let machine = Machine::new(common, topology);
        let mut victims = match index < common {
            true => self.policy.victims(index, &machine),
            false => Vec::new(),
        };
        let core = |vp: usize| vp % topology.cores().len();
        let is_other = |victim: usize| victim < common && victim != index;
        victims.retain(|&victim| is_other(victim) && topology.joins(core(index), core(victim)));
        let victims = match self.policy.asks_nearest_first() {
            true => Victims::nearest_first(victims, |victim| machine.distance(index, victim)),
            false => Victims::together(victims),
        };
        let vp = Arc::new(Vp::new(index, Arc::clone(&self.shared), victims));
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
        let statuses = self.vps[..self.shared.vp_set.common].iter();
        let statuses: Vec<_> = statuses.map(|vp| Arc::clone(vp.status())).collect();
        let guard = StarvationGuard::new(Arc::clone(&self.shared), limit, statuses.into_iter(), on_disorder);
        let thread = std::thread::Builder::new().name("guard".to_owned());
        let thread = thread.spawn(move || guard.run());
        self.guard = Some(thread.map_err(SchedError::Guard)?);
        Ok(())
    }

    /// Starts the thread that evens out the load of members.
    fn start_balancer(&mut self, rule: Rebalancing) -> Result<(), SchedError> {
        let statuses = self.vps[..self.shared.vp_set.common].iter();
        let statuses = statuses.map(|vp| Arc::clone(vp.status())).collect();
        let balancer = Balancer::new(
            Arc::clone(&self.shared),
            statuses,
            Arc::clone(&self.members),
            rule,
        );
        let thread = std::thread::Builder::new().name("balancer".to_owned());
        let thread = thread.spawn(move || balancer.run());
        self.balancer = Some(thread.map_err(SchedError::Balancer)?);
        Ok(())
    }

    /// Number of times that a member has been moved to even out the load; none if the policy does not want that.
    #[must_use]
    pub fn balancing_moves(&self) -> Option<u64> {
        self.balancer.as_ref().map(|_| self.members.moves())
    }

    /// Adds a network of which nothing was known at the start. Only the first network counts, which may be that of the
    /// start. Policies that dedicate virtual processors to it come too late: all poll it.
    pub fn connect(&self, network: Arc<dyn Network>) {
        let shared = &self.shared;
        if shared.add_network(Arc::clone(&network), 0..shared.vp_set.common) {
            for worker in &shared.team {
                worker.join_network(Arc::clone(&network));
                worker.notify();
            }
        }
    }

    /// Number of virtual processors that run whatever is ready.
    #[must_use]
    pub fn vps(&self) -> usize {
        self.shared.vp_set.common
    }

    /// Number of virtual processors that do nothing but drive the network, behind the others.
    #[must_use]
    pub fn network_vps(&self) -> usize {
        self.shared.vp_set.dedicated
    }

    /// Number of virtual processors that run only what is about I/O, behind all others.
    #[must_use]
    pub fn io_vps(&self) -> usize {
        self.shared.vp_set.for_io
    }

    /// The machine.
    #[must_use]
    pub fn topology(&self) -> &Topology {
        &self.shared.topology
    }

    /// The policy in force.
    #[must_use]
    pub fn policy(&self) -> &dyn Policy {
        &*self.policy
    }

    /// Counters of each virtual processor: the common ones, those that drive the network, those for I/O.
    #[must_use]
    pub fn stats(&self) -> Vec<VpStats> {
        self.vps.iter().map(|vp| vp.stats()).collect()
    }

    /// Returns a function that reads the counters of each virtual processor; it may outlive the runtime.
    pub fn observer(&self) -> impl Fn() -> Vec<VpStats> + Send + Sync + 'static {
        let vps = self.vps.clone();
        move || vps.iter().map(|vp| vp.stats()).collect()
    }

    /// Returns a function that sums the counters up for each domain of a kind; it may outlive the runtime.
    pub fn domain_observer(&self) -> impl Fn(DomainKind) -> Vec<DomainStats> + Send + Sync + 'static {
        let (vps, shared) = (self.vps.clone(), Arc::clone(&self.shared));
        move |kind| {
            let stats: Vec<_> = vps.iter().map(|vp| vp.stats()).collect();
            let machine = Machine::new(shared.vp_set.common, &shared.topology);
            DomainStats::of(&stats, &machine, kind)
        }
    }

    /// Returns a function that tells a thread which is not of the runtime where it had better run: on an idle core, if
    /// it would otherwise take time from a virtual processor. It may outlive the runtime.
    pub fn idle_core(&self) -> impl Fn() -> Option<Affinity> + Send + Sync + 'static {
        let common = self.vps[..self.shared.vp_set.common].iter();
        let statuses = common.map(|vp| Arc::clone(vp.status()));
        let cores = IdleCores::new(self.shared.topology.cores(), statuses);
        move || cores.get()
    }

    /// Returns a function that tells whether a deadlock has been [reported](Builder::on_deadlock) and nothing has
    /// happened since; it may outlive the runtime.
    ///
    /// A caller that wants to know what was sent and received until then has to read that first. The argument is the
    /// number of the question. If it cannot be answered just now, the function returns false, and the report is called
    /// with that number later.
    pub fn quiescence(&self) -> impl Fn(u32) -> bool + Send + Sync + 'static {
        let shared = Arc::clone(&self.shared);
        move |question| {
            let poller = shared.poller.get();
            poller.map_or_else(
                || shared.sleepers.are_all_still(),
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
        Ok(ec.start(self.shared.team[vp % self.shared.team.len()]))
    }

    /// Sets the virtual processors on which members that have not been started begin, as [`Builder::homes`] does.
    pub fn set_homes(&mut self, homes: Vec<usize>) {
        self.homes = homes;
    }

    /// The virtual processor on which member `index` of a group of `count` execution contexts starts: that of its
    /// [home](Builder::homes), or where the policy places it.
    #[must_use]
    pub fn place_of_member(&self, (index, count): (usize, usize)) -> usize {
        match self.homes.get(index) {
            Some(home) => home % self.vps(),
            None => {
                let machine = Machine::new(self.vps(), self.topology());
                self.policy.place(index, count, &machine) % self.vps()
            }
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
        let handle = self.spawn(spec, self.place_of_member(member), f)?;
        if self.balancer.is_some() {
            self.members.add(handle.watched());
        }
        Ok(handle)
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        if let Some(poller) = self.shared.poller.get() {
            poller.close();
        }
        self.shared.substitutes.end();
        self.shared.sleepers.wake_guard();
        for thread in [self.guard.take(), self.balancer.take()].into_iter().flatten() {
            thread.thread().unpark();
            let _ = thread.join();
        }
        self.shared.substitutes.join();
        // Release pairs with the Acquire in `Vp::run`.
        self.shared.stop.store(true, Ordering::Release);
        self.shared.team.iter().for_each(|worker| worker.notify());
        for thread in self.threads.drain(..) {
            // A virtual processor that panicked has already said so on stderr.
            let _ = thread.join();
        }
    }
}
