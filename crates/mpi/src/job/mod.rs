//! All ranks of a job, and those of them that live on this host.

mod connection;
mod driver;
mod main_contexts;

use crate::check::Checks;
use crate::context::ContextPool;
use crate::deadlock::{MeetingPoints, Remark, Unfinished, Unmatched, WaitPoint, WaitPoints};
use crate::endpoint::{Endpoint, Endpoints};
use crate::errhandler::ErrorHandler;
use crate::error::Result;
use crate::group::Group;
use crate::hardware::Hardware;
use crate::host::Host;
use crate::layer_state::LayerState;
use crate::layout::{HostRecord, Layout};
use crate::members::HostMap;
use crate::memory::set_caches;
use crate::network::Network;
use crate::selection::{Extent, InterHostChoice, SelectionTable};
use crate::worlds::Worlds;
use main_contexts::MainContexts;
use simurgh_core::sync::Arc;
use simurgh_sched::{DomainKind, DomainStats, Topology, VpStats};
use simurgh_settings::rules::{self, Algorithm, Level};
use simurgh_settings::{Id, Values};
use std::fmt;
use std::sync::OnceLock;

/// A request to end the whole job.
#[derive(Clone, Debug)]
pub struct Abort {
    /// The process that asks for it.
    pub process: u32,
    /// The exit code it asks for.
    pub code: i32,
    /// Why, on one line; empty if there is no more to say.
    pub reason: String,
}

/// Ends the job; should not return.
type AbortHook = Box<dyn Fn(&Abort) + Send + Sync>;

/// Asks the virtual processors what they have done.
type ProcessorsHook = Box<dyn Fn() -> Vec<VpStats> + Send + Sync>;

/// The same, for each domain of a kind.
type DomainsHook = Box<dyn Fn(DomainKind) -> Vec<DomainStats> + Send + Sync>;

/// The ranks of a job, as one of its hosts sees them, and what those of this host share.
pub struct Job {
    host: Host,
    table: SelectionTable,
    /// The level of the domain tree that hosts of one node share when they exchange messages.
    neighbours: Level,
    checks: Checks,
    meeting_points: MeetingPoints,
    wait_points: WaitPoints,
    network: OnceLock<Arc<Network>>,
    worlds: Arc<Worlds>,
    hardware: OnceLock<Hardware>,
    abort_hook: OnceLock<AbortHook>,
    processors: OnceLock<ProcessorsHook>,
    domains: OnceLock<DomainsHook>,
    main_contexts: MainContexts,
    /// The state that the layers above keep for the job: process sets, communicators, windows, its parents, the shared
    /// file pointers that are kept here, statistics of files, and others.
    layer_state: LayerState<7>,
}

impl Endpoints for Job {
    fn endpoint_of(&self, process: u32) -> &Endpoint {
        self.endpoint(process)
    }
}

impl Job {
    /// A job of `size` processes, numbered from zero.
    ///
    /// # Panics
    ///
    /// When `size` does not fit in 31 bits, which no rank number could express.
    #[must_use]
    pub fn new(size: usize) -> Arc<Self> {
        Self::with_settings(size, Values::default())
    }

    /// A job of `size` processes with these settings, all on this host.
    ///
    /// # Panics
    ///
    /// As [`Job::new`].
    #[must_use]
    pub fn with_settings(size: usize, settings: Values) -> Arc<Self> {
        let processes = i32::try_from(size)
            .expect("a job has fewer than 2^31 processes")
            .cast_unsigned();
        Self::laid_out(Layout::one_host(processes), settings)
    }

    /// A job whose processes live on several hosts, as one of them sees it.
    #[must_use]
    pub fn laid_out(layout: Layout, settings: Values) -> Arc<Self> {
        let main_contexts = MainContexts::new(layout.here().len());
        Arc::new(Self {
            table: SelectionTable::new(settings.rules(Id::Collectives)),
            neighbours: match settings.show(Id::Transport).as_str() {
                "ofi" => Level::Network,
                _ => Level::Hosts,
            },
            checks: Checks::of(&settings),
            host: Host::new(layout, settings),
            meeting_points: MeetingPoints::default(),
            wait_points: WaitPoints::default(),
            network: OnceLock::new(),
            worlds: Arc::default(),
            hardware: OnceLock::new(),
            abort_hook: OnceLock::new(),
            processors: OnceLock::new(),
            domains: OnceLock::new(),
            main_contexts,
            layer_state: LayerState::default(),
        })
    }

    /// The settings with which the job has started.
    #[must_use]
    pub fn settings(&self) -> &Values {
        self.host.settings()
    }

    /// The level of checks in the job.
    #[inline]
    #[must_use]
    pub fn checks(&self) -> Checks {
        self.checks
    }

    /// The error handler of calls that are made on no object, or on one for which no handler has been set.
    #[must_use]
    pub fn initial_errhandler(&self) -> ErrorHandler {
        ErrorHandler::initial(self.settings())
    }

    /// The algorithm of a collective whose ranks have met, with so many bytes to move or combine.
    #[inline]
    pub(crate) fn algorithm(&self, operation: rules::Operation, ranks: usize, bytes: usize) -> Algorithm {
        self.table
            .algorithm_together(operation, self.extent(ranks, bytes))
    }

    /// The algorithm of a collective between hosts. All of them know the number of bytes.
    pub(crate) fn inter_host_choice(
        &self,
        operation: rules::Operation,
        host_map: &HostMap,
        bytes: usize,
    ) -> InterHostChoice {
        let level = match host_map.is_on_one_node() {
            true => self.neighbours,
            false => Level::Network,
        };
        let ranks = host_map.hosts();
        self.table.inter_host(operation, Extent { bytes, ranks, level })
    }

    /// Whether one rank leads in a collective of so many ranks with so many bytes to move.
    #[inline]
    pub(crate) fn one_leads(&self, operation: rules::Operation, ranks: usize, bytes: usize) -> bool {
        self.table.algorithm(operation, self.extent(ranks, bytes)) == Algorithm::Lead
    }

    #[inline]
    fn extent(&self, ranks: usize, bytes: usize) -> Extent {
        let level = self.hardware.get().map_or(Level::Machine, Hardware::level);
        Extent { bytes, ranks, level }
    }

    /// Which processes live on which host.
    #[inline]
    #[must_use]
    pub fn layout(&self) -> &Layout {
        self.host.layout()
    }

    /// Number of processes of the world, on all its hosts.
    #[must_use]
    pub fn size(&self) -> usize {
        self.layout().processes().len()
    }

    /// The processes of the world.
    #[must_use]
    pub fn group(&self) -> Group {
        let processes = self.layout().processes();
        Group::run(processes.start, processes.len() as u32)
    }

    /// The processes of this host.
    pub(crate) fn group_here(&self) -> Group {
        let here = self.layout().here();
        Group::run(here.start, here.len() as u32)
    }

    /// The endpoint of a process of this host.
    #[inline]
    pub(crate) fn endpoint(&self, process: u32) -> &Endpoint {
        self.host.endpoint(process)
    }

    /// The context ids of the host.
    pub(crate) fn contexts(&self) -> &Arc<ContextPool> {
        self.host.contexts()
    }

    /// The first `limit` operations that wait for their counterparts, for a deadlock report.
    #[must_use]
    pub fn unmatched(&self, limit: usize) -> Vec<Unmatched> {
        let mut found = Vec::new();
        for (process, endpoint) in self.layout().here().zip(self.host.endpoints()) {
            let name = self.layout().name_of(process);
            found.extend(endpoint.table().unmatched(&name).take(limit - found.len()));
            let parts = endpoint.pairing().unmatched(&name, self.layout()).into_iter();
            found.extend(parts.take(limit - found.len()));
        }
        let away = self
            .network()
            .map_or_else(Vec::new, |network| network.unmatched(self.layout()));
        found.extend(away.into_iter().take(limit - found.len()));
        found
    }

    /// Where ranks wait for each other in collectives.
    pub(crate) fn meeting_points(&self) -> &MeetingPoints {
        &self.meeting_points
    }

    /// The collectives that some ranks have called and others have not, for a deadlock report.
    #[must_use]
    pub fn unfinished(&self) -> Vec<Unfinished> {
        self.meeting_points.unfinished()
    }

    /// Where ranks wait for each other apart from messages and collectives.
    pub(crate) fn wait_points(&self) -> &WaitPoints {
        &self.wait_points
    }

    /// Adds a sentence about a rank of this host to the reports of deadlocks, as long as the result lives.
    #[must_use]
    pub fn remark(&self, sentence: String) -> Arc<Remark> {
        let remark = Arc::new(Remark::new(sentence));
        let point: Arc<dyn WaitPoint> = Arc::clone(&remark) as Arc<dyn WaitPoint>;
        self.wait_points.add(&point);
        remark
    }

    /// Sentences about ranks that wait neither for messages nor in collectives, for a deadlock report, and remarks.
    #[must_use]
    pub fn other_waits(&self) -> Vec<String> {
        self.wait_points.waits(self.layout())
    }

    /// Sets where the processes run; the first setting counts. Returns whether it was the first.
    pub fn set_hardware(&self, hardware: Hardware) -> bool {
        hardware.caches().into_iter().for_each(set_caches);
        let first = self.layout().here().start;
        self.hardware.set(hardware.with_first(first)).is_ok()
    }

    /// Where the processes run. If that has not been set, they run anywhere on this machine; none if its topology
    /// cannot be read.
    pub fn hardware(&self) -> Option<&Hardware> {
        match self.hardware.get() {
            Some(hardware) => Some(hardware),
            None => {
                let topology = Topology::detect().ok()?;
                let here = self.layout().here();
                let unplaced = || Hardware::unplaced(&topology, here.len()).with_first(here.start);
                Some(self.hardware.get_or_init(unplaced))
            }
        }
    }

    /// Sets what asks the virtual processors; the first setting counts. Returns whether it was the first.
    pub fn set_processors_hook(&self, hook: impl Fn() -> Vec<VpStats> + Send + Sync + 'static) -> bool {
        self.processors.set(Box::new(hook)).is_ok()
    }

    /// The statistics of the virtual processors; empty if the ranks run on threads of the program.
    #[must_use]
    pub fn processors(&self) -> Vec<VpStats> {
        self.processors.get().map_or_else(Vec::new, |hook| hook())
    }

    /// Sets what sums the statistics of the virtual processors up for each domain of a kind; the first setting counts.
    /// Returns whether it was the first.
    pub fn set_domains_hook(
        &self,
        hook: impl Fn(DomainKind) -> Vec<DomainStats> + Send + Sync + 'static,
    ) -> bool {
        self.domains.set(Box::new(hook)).is_ok()
    }

    /// The statistics of the virtual processors of each domain of a kind, or of the next wider kind that the machine
    /// has; empty if the ranks run on threads of the program.
    #[must_use]
    pub fn domains(&self, kind: DomainKind) -> Vec<DomainStats> {
        self.domains.get().map_or_else(Vec::new, |hook| hook(kind))
    }

    /// The number of ranks of this host with each [purpose](simurgh_core::Purpose) at the moment, by its number.
    #[must_use]
    pub fn purposes(&self) -> [usize; 3] {
        self.main_contexts.purposes()
    }

    /// Notes that the calling execution context works for a process of this host.
    pub(crate) fn note_context(&self, process: u32) {
        let place = process - self.layout().here().start;
        self.main_contexts.note(place as usize);
    }

    /// The other worlds, and the launcher.
    pub(crate) fn worlds(&self) -> &Arc<Worlds> {
        &self.worlds
    }

    /// The state that the layers above keep for the job.
    pub(crate) fn layer_state(&self) -> &LayerState<7> {
        &self.layer_state
    }

    /// The part of the job that messages need.
    #[inline]
    pub(crate) fn host(&self) -> &Host {
        &self.host
    }

    /// Notes hosts of another world that have come, in the order of their numbers. Their processes are known from now
    /// on. Before something can be sent to them, the [fabric](crate::Network::fabric) has to have a route to them
    /// ([`Fabric::add_host`](simurgh_net::Fabric::add_host)), or the job is [connected](Self::connect) for the first
    /// time.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Intern`](crate::ErrorClass::Intern) if they do not come behind all of their realm that are known.
    pub fn admit(&self, records: &[HostRecord]) -> Result<()> {
        self.layout().admit(records)?;
        if let Some(network) = self.network.get() {
            records.iter().for_each(|record| network.admit(record.host));
        }
        Ok(())
    }

    /// Notes that the world of these hosts has ended. What is still sent to them is discarded, and it is no failure
    /// that they cannot be reached. What they have sent until now is handled.
    ///
    /// The launcher tells all other hosts so, and lets the hosts of that world end when all have heard it.
    pub fn dismiss(&self, hosts: &[u32]) {
        if let Some(network) = self.network.get() {
            hosts.iter().for_each(|host| network.fabric().remove_host(*host));
        }
    }

    /// Sets what is called when a host is lost; the first setting counts. Returns whether it was the first.
    pub fn set_loss_hook(&self, hook: impl Fn(u32, &str) + Send + Sync + 'static) -> bool {
        self.host.set_loss_hook(hook)
    }

    /// Sets what ends the job; the first setting counts. Returns whether it was the first.
    pub fn set_abort_hook(&self, hook: impl Fn(&Abort) + Send + Sync + 'static) -> bool {
        self.abort_hook.set(Box::new(hook)).is_ok()
    }

    /// Ends the job: by the abort hook, or without one by ending the operating system's process.
    pub fn abort(&self, abort: &Abort) -> ! {
        match self.abort_hook.get() {
            Some(hook) => hook(abort),
            None => eprintln!(
                "rank {} aborts with code {}: {}",
                abort.process, abort.code, abort.reason
            ),
        }
        std::process::exit(abort.code)
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job")
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}
