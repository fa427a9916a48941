//! Communicators.
//!
//! The shared part of a communicator exists once per host ([`CommShared`]): its one or two groups, the hosts on which
//! its members live (`crate::members`), the context id that labels its messages, and the state of its collectives. Each
//! rank holds a small object of its own ([`Comm`]) with its rank and what it may set for itself: name, error handler
//! and hints.
//!
//! Making a communicator is one exchange of the parent's ranks (`construct`), or of ranks that come together for this
//! purpose alone if there is no parent or only some of its ranks take part (`bootstrap`). Nobody waits for a duplicate
//! (`duplicate`). In an exchange the ranks of a host meet, and the hosts exchange the values of their ranks
//! (`participants`); then every host makes the same communicator with the same context id (`builder`). A communicator
//! lives as long as one of its ranks, or an operation on it, refers to it; when that is so on no host, its context id
//! is free again (`crate::context`).

mod bootstrap;
mod builder;
pub(crate) mod check;
mod collective_state;
mod compare;
mod construct;
mod duplicate;
mod from_group;
mod hints;
mod inter;
mod name;
mod participants;
mod pending_inter;
mod predefined;
mod shared;
mod split_type;
mod topology;

pub(crate) use bootstrap::Purpose;
pub(crate) use builder::{CommBuilder, CommSpec, IdDemand};
pub(crate) use inter::RemoteLeader;
pub(crate) use predefined::Predefined;
pub use shared::CommShared;
pub use split_type::SplitType;
pub use topology::Degrees;

use crate::buffered::SendBuffer;
use crate::check::Checks;
use crate::errhandler::ErrorHandler;
use crate::error::{Error, ErrorClass, Result};
use crate::group::Group;
use crate::members::Members;
use crate::partitioned::Pairs;
use crate::process::Process;
use crate::session::Session;
use simurgh_core::sync::{Arc, AtomicU8, AtomicU64, SpinLock};
use simurgh_topology::Topology;
use std::fmt;

/// A communicator, as one of its ranks sees it. What a message needs lies in the first line.
#[repr(C)]
pub struct Comm {
    process: Arc<Process>,
    shared: Arc<CommShared>,
    rank: u32,
    size: u32,
    /// Number of ranks that messages go to and come from.
    peers: u32,
    /// The rank's seat: its number among the ranks of both groups.
    seat: u32,
    /// The rank's local index: its number among the seats that live on this host.
    local_index: u32,
    context: u32,
    predefined: bool,
    /// Whether some of its ranks live on other hosts.
    spans_hosts: bool,
    /// The level of checks in calls.
    checks: Checks,
    hints: AtomicU8,
    group: Group,
    /// The other group of an inter-communicator.
    remote: Option<Group>,
    topology: Option<Arc<Topology>>,
    /// The session from which the communicator comes, if it does not come from the world.
    session: Option<Arc<Session>>,
    /// Number of duplications that the rank has begun.
    duplications: AtomicU64,
    /// Number of nonblocking collectives that the rank has started, and of persistent ones that it has set up.
    collectives: AtomicU64,
    /// Partitioned operations with ranks of other hosts.
    pairs: Pairs,
    name: SpinLock<String>,
    /// `None` until one is set, here or on the communicator from which this one was made.
    errhandler: SpinLock<Option<ErrorHandler>>,
    buffer: SendBuffer,
}

impl Comm {
    fn new(process: Arc<Process>, shared: Arc<CommShared>, seat: usize) -> Self {
        let small = |number: usize| u32::try_from(number).expect("no communicator is larger than the job");
        let checks = process.job().checks();
        let (group, rank) = shared.members.local(seat);
        let remote = shared.members.remote(seat).cloned();
        Self {
            rank: small(rank),
            size: small(group.size()),
            peers: small(remote.as_ref().unwrap_or(group).size()),
            seat: small(seat),
            local_index: small(
                shared
                    .host_map()
                    .map_or(seat, |host_map| host_map.local_index_of(seat)),
            ),
            context: shared.context.id(),
            group: group.clone(),
            remote,
            spans_hosts: shared.host_map().is_some(),
            process,
            shared,
            predefined: false,
            checks,
            topology: None,
            session: None,
            duplications: AtomicU64::new(0),
            collectives: AtomicU64::new(0),
            pairs: Pairs::default(),
            hints: AtomicU8::new(0),
            name: SpinLock::default(),
            errhandler: SpinLock::default(),
            buffer: SendBuffer::default(),
        }
    }

    /// The same communicator, as one that comes from a session.
    fn in_session(mut self, session: Option<Arc<Session>>) -> Self {
        if let Some(session) = session {
            self.group = self.group.in_session(session.id());
            self.remote = self.remote.map(|remote| remote.in_session(session.id()));
            self.session = Some(session);
        }
        self
    }

    fn predefined(process: &Arc<Process>, shared: Arc<CommShared>, rank: usize, name: &str) -> Arc<Self> {
        let comm = Self::new(Arc::clone(process), shared, rank);
        Arc::new(Self {
            predefined: true,
            name: SpinLock::new(name.to_owned()),
            ..comm
        })
    }

    /// The communicator of all processes.
    pub(crate) fn world(process: &Arc<Process>) -> Arc<Self> {
        let shared = Arc::clone(&process.job().communicators().world);
        Self::predefined(process, shared, process.rank() as usize, "MPI_COMM_WORLD")
    }

    /// The communicator of one process.
    pub(crate) fn own(process: &Arc<Process>) -> Result<Arc<Self>> {
        let shared = CommShared::local(process.job(), Members::intra(Group::run(process.id(), 1)))?;
        Ok(Self::predefined(process, shared, 0, "MPI_COMM_SELF"))
    }

    /// A communicator that has a name.
    pub(crate) fn named(
        process: &Arc<Process>,
        shared: Arc<CommShared>,
        seat: usize,
        name: &str,
    ) -> Arc<Self> {
        Arc::new(Self {
            name: SpinLock::new(name.to_owned()),
            ..Self::new(Arc::clone(process), shared, seat)
        })
    }

    /// The calling rank.
    #[inline]
    #[must_use]
    pub fn rank(&self) -> i32 {
        self.rank.cast_signed()
    }

    /// Number of ranks.
    #[inline]
    #[must_use]
    pub fn size(&self) -> usize {
        self.size as usize
    }

    /// The members; of an inter-communicator those of the local group.
    #[inline]
    #[must_use]
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// The other group of an inter-communicator.
    #[inline]
    #[must_use]
    pub fn remote_group(&self) -> Option<&Group> {
        self.remote.as_ref()
    }

    /// Whether it has two groups.
    #[inline]
    #[must_use]
    pub fn is_inter(&self) -> bool {
        self.remote.is_some()
    }

    /// Refuses an inter-communicator.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Comm`] if this is one.
    #[inline]
    pub fn check_intra(&self) -> Result<()> {
        if self.is_inter() { Err(inter()) } else { Ok(()) }
    }

    /// Number of ranks that messages go to and come from: those of the remote group of an inter-communicator.
    #[inline]
    #[must_use]
    pub fn peers(&self) -> usize {
        self.peers as usize
    }

    /// The process that holds this object.
    #[inline]
    #[must_use]
    pub fn process(&self) -> &Arc<Process> {
        &self.process
    }

    /// The virtual topology, if the communicator was made with one or is a duplicate of one that was.
    #[must_use]
    pub fn topology(&self) -> Option<&Topology> {
        self.topology.as_deref()
    }

    /// The shared part. As long as somebody holds it, its context id is not used by another communicator.
    pub(crate) fn shared(&self) -> &Arc<CommShared> {
        &self.shared
    }

    /// The context id, which labels the communicator's messages. Collective calls within a host need none.
    #[inline]
    #[must_use]
    pub fn context(&self) -> u32 {
        self.context
    }

    /// The rank's seat: its rank, or in an inter-communicator its number among the ranks of both groups.
    #[inline]
    pub(crate) fn seat(&self) -> usize {
        self.seat as usize
    }

    /// The process with a rank that has been checked; in an inter-communicator the remote one.
    #[inline]
    pub(crate) fn process_of(&self, rank: i32) -> u32 {
        let peers = self.remote.as_ref().unwrap_or(&self.group);
        let process = usize::try_from(rank).ok().and_then(|rank| peers.process(rank));
        process.expect("the rank has been checked")
    }

    /// Whether this is the world's or the process's own communicator, which cannot be freed.
    #[must_use]
    pub fn is_predefined(&self) -> bool {
        self.predefined
    }

    /// Whether arguments of calls on it are checked.
    #[inline]
    pub(crate) fn is_checked(&self) -> bool {
        self.checks >= Checks::Arguments
    }

    /// The level of checks in calls on it.
    #[inline]
    pub(crate) fn checks(&self) -> Checks {
        self.checks
    }

    /// The session from which the communicator comes, through the group it was made from; `None` for communicators of
    /// the world.
    #[must_use]
    pub fn session(&self) -> Option<&Arc<Session>> {
        self.session.as_ref()
    }

    /// The place where the communicator's own buffer for buffered sends is attached.
    #[must_use]
    pub fn buffer(&self) -> &SendBuffer {
        &self.buffer
    }

    /// The partitioned operations with ranks of other hosts that have been set up.
    pub(crate) fn pairs(&self) -> &Pairs {
        &self.pairs
    }

    /// The error handler for calls on this communicator.
    #[must_use]
    pub fn errhandler(&self) -> ErrorHandler {
        let set = self.errhandler.lock().clone();
        set.unwrap_or_else(|| self.process.job().initial_errhandler())
    }

    /// Whether the error handler is the initial one, because nobody has set another.
    #[must_use]
    pub fn has_initial_errhandler(&self) -> bool {
        self.errhandler.lock().is_none()
    }

    /// Sets the error handler for calls on this communicator.
    pub fn set_errhandler(&self, handler: ErrorHandler) {
        let old = self.errhandler.lock().replace(handler);
        drop(old);
    }

    /// Frees the communicator (`MPI_Comm_free`): it goes when all its ranks and the operations on it have released it.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Comm`] for a predefined communicator.
    pub fn free(self: Arc<Self>) -> Result<()> {
        if self.predefined {
            let name = self.name();
            return Err(Error::new(
                ErrorClass::Comm,
                format!("{name} is predefined and cannot be freed"),
            ));
        }
        let process = Arc::clone(&self.process);
        process.forget_parent(&self);
        process.defer_free(self.context, self);
        Ok(())
    }
}

#[cold]
fn inter() -> Error {
    Error::new(
        ErrorClass::Comm,
        "the communicator is an inter-communicator, which this call does not take; MPI_Intercomm_merge makes one of \
         both groups",
    )
}

impl fmt::Debug for Comm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rank, shared, .. } = self;
        f.debug_struct("Comm")
            .field("rank", rank)
            .field("shared", shared)
            .finish_non_exhaustive()
    }
}
