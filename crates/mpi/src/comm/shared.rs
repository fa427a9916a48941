//! The part of a communicator that its ranks share.

use super::builder::CommSpec;
use super::duplicate::Duplicates;
use crate::collective::{IntraHost, Outstanding, Publication, SharedByRanks};
use crate::context::{Context, IdRequest};
use crate::error::Result;
use crate::group::Group;
use crate::job::Job;
use crate::layout::Layout;
use crate::members::{HostMap, Members};
use crate::worlds::ConnectedWorlds;
use simurgh_core::sync::{Arc, AtomicU64, Ordering};
use simurgh_sched::DomainKind;
use simurgh_topology::InEdges;
use std::fmt;
use std::sync::OnceLock;

/// The part of a communicator that its ranks on a host share.
pub struct CommShared {
    pub(super) context: Context,
    pub(crate) members: Members,
    /// Keeps the communicator's worlds connected as long as it exists.
    _bond: ConnectedWorlds,
    /// `None` if all ranks are on this host.
    host_map: Option<Arc<HostMap>>,
    /// Number of inter-host phases of blocking calls so far.
    rounds: AtomicU64,
    /// Made at the first collective call: most duplicates are for messages alone.
    pub(super) intra_host: OnceLock<Arc<IntraHost>>,
    /// Made at the first nonblocking collective call.
    pub(super) outstanding: OnceLock<Arc<Outstanding>>,
    /// Made at the first broadcast in which the root publishes its data.
    pub(super) publication: OnceLock<Arc<Publication>>,
    /// Made when the first rank duplicates the communicator.
    pub(super) duplicates: OnceLock<Box<Duplicates>>,
    /// The largest kind of hardware of which its processes use several instances, once somebody has asked.
    pub(super) dividing_kind: OnceLock<Option<DomainKind>>,
    /// Made at the first collective of neighbours.
    in_edges: OnceLock<Box<Result<Arc<InEdges>>>>,
}

impl CommShared {
    /// A new communicator of these processes, all of which live on this host.
    pub(crate) fn local(job: &Job, members: Members) -> Result<Arc<Self>> {
        let id = job.contexts().take()?;
        let owner = job.layout().own();
        Ok(Self::from_spec(job, CommSpec { id, owner, members }))
    }

    /// The communicator of a specification; some of its processes live on this host.
    pub(crate) fn from_spec(job: &Job, CommSpec { id, owner, members }: CommSpec) -> Arc<Self> {
        let host_map = HostMap::of(&members, job.layout()).map(Arc::new);
        let context = Context::new(job.contexts(), id, host_map.is_some().then_some(owner));
        Self::with_context(context, bond(job, host_map.as_deref()), host_map, members)
    }

    /// A communicator of the same processes: the duplicate of this number.
    pub(super) fn duplicate(&self, job: &Job, number: u64) -> Result<Arc<Self>> {
        let Some(host_map) = &self.host_map else {
            return Self::local(job, self.members.clone());
        };
        let request = IdRequest {
            context: self.context.id(),
            number,
            holders: host_map.hosts() as u32,
        };
        let owner = host_map.host(host_map.position_of(0));
        let id = job.contexts().request_id(owner, request)?;
        let context = Context::new(job.contexts(), id, Some(owner));
        Ok(Self::with_context(
            context,
            bond(job, Some(host_map)),
            Some(Arc::clone(host_map)),
            self.members.clone(),
        ))
    }

    fn with_context(
        context: Context,
        bond: ConnectedWorlds,
        host_map: Option<Arc<HostMap>>,
        members: Members,
    ) -> Arc<Self> {
        Arc::new(Self {
            context,
            _bond: bond,
            host_map,
            members,
            rounds: AtomicU64::new(0),
            intra_host: OnceLock::new(),
            outstanding: OnceLock::new(),
            publication: OnceLock::new(),
            duplicates: OnceLock::new(),
            dividing_kind: OnceLock::new(),
            in_edges: OnceLock::new(),
        })
    }

    /// The communicator of all processes.
    pub(crate) fn world(layout: &Layout) -> Arc<Self> {
        let processes = layout.processes();
        let members = Members::intra(Group::run(processes.start, processes.len() as u32));
        let host_map = HostMap::of(&members, layout).map(Arc::new);
        Self::with_context(Context::world(), ConnectedWorlds::default(), host_map, members)
    }

    /// The hosts of the ranks; `None` if all are on this host.
    #[inline]
    pub(crate) fn host_map(&self) -> Option<&Arc<HostMap>> {
        self.host_map.as_ref()
    }

    /// The number of the next inter-host phase of a blocking call. The leader of this host asks once a call.
    pub(crate) fn next_round(&self) -> u64 {
        // Relaxed: blocking calls on a communicator follow each other.
        self.rounds.fetch_add(1, Ordering::Relaxed)
    }

    /// The context id, which labels the messages.
    pub(crate) fn context(&self) -> u32 {
        self.context.id()
    }

    /// The incoming edges of all ranks in the virtual topology. `find` is called the first time; all ranks share one
    /// topology.
    pub(crate) fn in_edges(&self, find: impl FnOnce() -> Result<Arc<InEdges>>) -> Result<Arc<InEdges>> {
        self.in_edges.get_or_init(|| Box::new(find())).as_ref().clone()
    }
}

impl SharedByRanks for CommShared {
    fn host_map(&self) -> Option<&HostMap> {
        self.host_map.as_deref()
    }
}

/// The connection between a communicator's worlds, which lasts as long as the communicator.
fn bond(job: &Job, host_map: Option<&HostMap>) -> ConnectedWorlds {
    ConnectedWorlds::of(job.worlds(), job.layout(), host_map.map_or(&[][..], HostMap::all))
}

impl fmt::Debug for CommShared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommShared")
            .field("context", &self.context)
            .field("sides", &self.members)
            .finish_non_exhaustive()
    }
}
