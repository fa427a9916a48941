//! Communicators.
//!
//! What the ranks of a communicator share exists once per host ([`CommShared`]); each rank holds a small object of
//! its own ([`Comm`]) with its rank and what it may set for itself: name and error handler. A communicator lives
//! as long as one of its ranks, or an operation on it, refers to it; then its context ids are free again.

mod compare;
mod construct;
mod context;
mod create_group;

pub(crate) use context::ContextPool;
pub(crate) use create_group::Gatherings;

use crate::collective::Board;
use crate::errhandler::ErrorHandler;
use crate::error::{Error, ErrorClass, Result};
use crate::group::Group;
use crate::limits::MAX_OBJECT_NAME;
use crate::process::Process;
use crate::session::Session;
use crate::topology::Topology;
use context::Context;
use simurgh_core::sync::{Arc, SpinLock};
use std::fmt;

/// The part of a communicator that its ranks on a host share.
pub struct CommShared {
    context: Context,
    group: Group,
    board: Board,
}

impl CommShared {
    /// A new communicator over `group`.
    pub(crate) fn new(contexts: &Arc<ContextPool>, group: Group) -> Result<Arc<Self>> {
        let board = Board::new(group.size());
        Ok(Arc::new(Self {
            context: Context::take(contexts)?,
            group,
            board,
        }))
    }
}

/// A communicator, as one of its ranks sees it.
pub struct Comm {
    process: Arc<Process>,
    shared: Arc<CommShared>,
    rank: u32,
    size: u32,
    context: u32,
    predefined: bool,
    topology: Option<Arc<Topology>>,
    /// The session that the communicator goes back to, if it does not go back to the world.
    session: Option<Arc<Session>>,
    name: SpinLock<String>,
    errhandler: SpinLock<ErrorHandler>,
}

impl Comm {
    fn new(process: Arc<Process>, shared: Arc<CommShared>, rank: usize) -> Self {
        let small = |number: usize| u32::try_from(number).expect("no communicator is larger than the job");
        Self {
            rank: small(rank),
            size: small(shared.group.size()),
            context: shared.context.id(),
            process,
            shared,
            predefined: false,
            topology: None,
            session: None,
            name: SpinLock::default(),
            errhandler: SpinLock::default(),
        }
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
        let shared = Arc::clone(process.job().world());
        Self::predefined(process, shared, process.id() as usize, "MPI_COMM_WORLD")
    }

    /// The communicator of one process.
    pub(crate) fn own(process: &Arc<Process>) -> Result<Arc<Self>> {
        let shared = CommShared::new(process.job().contexts(), Group::run(process.id(), 1))?;
        Ok(Self::predefined(process, shared, 0, "MPI_COMM_SELF"))
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

    /// The members.
    #[inline]
    #[must_use]
    pub fn group(&self) -> &Group {
        &self.shared.group
    }

    /// The process that holds this object.
    #[inline]
    #[must_use]
    pub fn process(&self) -> &Arc<Process> {
        &self.process
    }

    /// Who is whose neighbour, if the communicator was made with a virtual topology or is a duplicate of one that was.
    #[must_use]
    pub fn topology(&self) -> Option<&Topology> {
        self.topology.as_deref()
    }

    /// Where the ranks meet for collective calls.
    #[inline]
    #[must_use]
    pub(crate) fn board(&self) -> &Board {
        &self.shared.board
    }

    /// The label of its messages; collective calls meet on the board and need none.
    #[inline]
    pub(crate) fn context(&self) -> u32 {
        self.context
    }

    /// The process with a rank that has been checked.
    #[inline]
    pub(crate) fn process_of(&self, rank: i32) -> u32 {
        let process = usize::try_from(rank)
            .ok()
            .and_then(|rank| self.shared.group.process(rank));
        process.expect("the rank has been checked")
    }

    /// Whether this is the world's or the process's own communicator, which cannot be freed.
    #[must_use]
    pub fn is_predefined(&self) -> bool {
        self.predefined
    }

    /// The session that the communicator goes back to, through the group it was made from; none for those of the world.
    #[must_use]
    pub fn session(&self) -> Option<&Arc<Session>> {
        self.session.as_ref()
    }

    /// The name, empty unless it has been set.
    #[must_use]
    pub fn name(&self) -> String {
        self.name.lock().clone()
    }

    /// Sets the name; what does not fit in the standard's length is cut off.
    pub fn set_name(&self, name: &str) {
        let mut end = name.len().min(MAX_OBJECT_NAME - 1);
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        let name = name[..end].to_owned();
        let old = std::mem::replace(&mut *self.name.lock(), name);
        drop(old);
    }

    /// What happens when a call on this communicator fails.
    #[must_use]
    pub fn errhandler(&self) -> ErrorHandler {
        self.errhandler.lock().clone()
    }

    /// Sets what happens when a call on this communicator fails.
    pub fn set_errhandler(&self, handler: ErrorHandler) {
        let old = std::mem::replace(&mut *self.errhandler.lock(), handler);
        drop(old);
    }

    /// Gives the communicator up (`MPI_Comm_free`): it goes when all its ranks and the operations on it have let go.
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
        Ok(())
    }
}

impl fmt::Debug for CommShared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommShared")
            .field("context", &self.context)
            .field("group", &self.group)
            .finish_non_exhaustive()
    }
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
