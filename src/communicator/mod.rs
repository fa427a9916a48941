//! Communicators, as one rank sees them.

mod attribute;
mod buffered;
mod collective;
mod construct;
mod dynamic;
mod in_place;
mod inter;
mod neighbor;
mod point_to_point;
mod reduction;
mod rooted;
mod topology;
#[cfg(feature = "serde")]
mod value;
mod vector;
mod view;

pub use attribute::Attribute;
pub(crate) use attribute::Attributes;
pub use buffered::{BSEND_OVERHEAD, SendBuffer};
pub use dynamic::{Command, Spawned};
pub use inter::InterCommunicator;
pub use rooted::InterRoot;
pub use topology::dims_create;

use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::Arc;

use simurgh_core::Purpose;
use simurgh_mpi::{Comm, Comparison, Result};
use simurgh_sched::{DomainKind, DomainStats, VpStats};

use crate::RunError;
use crate::activity::{Activity, Call, Inside};
use crate::hints;
use crate::open_session::OpenSession;
use crate::run_state::{Abort, Failed, Leaving, RunState};

/// A group of ranks with a context of its own: its messages match no receive of another communicator (chapter 7 of the
/// standard).
///
/// A communicator belongs to its rank: it stays in the rank's thread of execution.
pub struct Communicator {
    comm: Arc<Comm>,
    run_state: Arc<RunState>,
    /// The place of the rank among those of its process.
    own: usize,
    /// The call that the rank is in.
    activity: Arc<Activity>,
    /// They also keep the type from being `Sync`: the collectives of a rank must follow one another.
    attributes: Rc<Attributes>,
    /// The session that it comes from, which lasts as long. It is dropped last.
    session: Option<Rc<OpenSession>>,
}

impl Communicator {
    pub(crate) fn new(comm: Arc<Comm>, run_state: &Arc<RunState>, own: usize) -> Self {
        Self {
            comm,
            run_state: Arc::clone(run_state),
            own,
            activity: Arc::clone(run_state.activity(own)),
            attributes: Rc::default(),
            session: None,
        }
    }

    /// The same communicator, as one that comes from a session.
    pub(crate) fn in_session(self, session: &Rc<OpenSession>) -> Self {
        Self {
            session: Some(Rc::clone(session)),
            ..self
        }
    }

    /// The calling rank, from zero (`MPI_Comm_rank`).
    #[inline]
    #[must_use]
    pub fn rank(&self) -> usize {
        self.comm.rank().unsigned_abs() as usize
    }

    /// Number of ranks (`MPI_Comm_size`).
    #[inline]
    #[must_use]
    pub fn size(&self) -> usize {
        self.comm.size()
    }

    /// The counters of the virtual processors of this process since its start: for each one switches, the time for
    /// which it has run and been idle, and what it has done for the network.
    #[must_use]
    pub fn processors(&self) -> Vec<VpStats> {
        self.comm.process().job().processors()
    }

    /// The counters of the virtual processors of this process, summed up for each piece of hardware of a kind, or of
    /// the next wider kind that the machine has.
    ///
    /// ```
    /// use simurgh::policy::DomainKind;
    ///
    /// let results = simurgh::Builder::new().ranks(4).vps(2).run(|world| {
    ///     let packages = world.domains(DomainKind::Package);
    ///     packages.iter().map(|package| package.vps).sum::<usize>()
    /// })?;
    /// assert_eq!(results, [2; 4]);
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    #[must_use]
    pub fn domains(&self, kind: DomainKind) -> Vec<DomainStats> {
        self.comm.process().job().domains(kind)
    }

    /// The number of ranks of this process that have a [purpose](crate::Purpose) at the moment: one that the rank has
    /// [set](crate::set_purpose), or that it has while it waits for the receiver of a long message, or for a file.
    #[must_use]
    pub fn ranks_about(&self, purpose: Purpose) -> usize {
        self.comm.process().job().purposes()[purpose as usize]
    }

    /// The name (`MPI_Comm_get_name`).
    #[must_use]
    pub fn name(&self) -> String {
        self.comm.name()
    }

    /// Sets the name, which appears in error messages. A name that is longer than the standard allows is cut off
    /// (`MPI_Comm_set_name`).
    pub fn set_name(&self, name: &str) {
        self.comm.set_name(name);
    }

    /// How two communicators relate (`MPI_Comm_compare`): [`Comparison::Identical`] if they are the same one,
    /// [`Comparison::Congruent`] if only the context differs, [`Comparison::Similar`] if the order of ranks differs,
    /// too, or [`Comparison::Unequal`].
    #[must_use]
    pub fn compare(&self, other: &Self) -> Comparison {
        self.comm.compare(&other.comm)
    }

    /// The hints that are in use, with their values (`MPI_Comm_get_info`).
    #[must_use]
    pub fn hints(&self) -> Vec<(String, String)> {
        hints::texts(&self.comm.info())
    }

    /// Gives a hint, as the user guide lists them (`MPI_Comm_set_info`). Hints that are not known mean nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::InfoKey`](crate::ErrorClass::InfoKey) and [`ErrorClass::InfoValue`](crate::ErrorClass::InfoValue)
    /// if the key or the value is longer than the standard allows.
    ///
    /// ```
    /// # simurgh::Builder::new().ranks(1).run(|world| {
    /// let quiet = world.dup()?;
    /// quiet.set_hint("mpi_assert_no_any_source", "true")?;
    /// assert!(quiet.hints().contains(&("mpi_assert_no_any_source".to_owned(), "true".to_owned())));
    /// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    pub fn set_hint(&self, key: &str, value: &str) -> Result<()> {
        self.comm.set_info(&hints::one(key, value)?);
        Ok(())
    }

    /// Ends the run, which fails with [`RunError::Aborted`] (`MPI_Abort`).
    pub fn abort(&self, code: i32) -> ! {
        resume_unwind(Box::new(Abort(code)))
    }

    /// Ends the run, which fails with this error of the rank.
    pub(crate) fn fail(&self, error: &dyn fmt::Display) -> ! {
        resume_unwind(Box::new(Failed(error.to_string())))
    }

    /// Runs what ranks do before they wait for each other. If it fails, the place has a note of that, which is to be
    /// kept until the rank need not wait any more.
    pub(crate) fn attempt<'a, R>(
        &'a self,
        leaving: &Cell<Option<Leaving<'a>>>,
        f: impl FnOnce() -> Result<R>,
    ) -> Result<R> {
        let ended = catch_unwind(AssertUnwindSafe(f));
        let rank = self.comm.process().rank() as usize;
        let failure = match &ended {
            Ok(Ok(_)) => None,
            Ok(Err(error)) => Some(RunError::Failed {
                rank,
                message: error.to_string(),
            }),
            Err(payload) => RunState::failure_of(rank, &**payload),
        };
        let job = self.comm.process().job();
        leaving.set(failure.map(|failure| self.run_state.note_leaving(job, self.own, failure)));
        ended.unwrap_or_else(|payload| resume_unwind(payload))
    }

    /// The state of the run.
    pub(crate) fn run_state(&self) -> &Arc<RunState> {
        &self.run_state
    }

    /// The place of the rank among those of its process.
    pub(crate) fn own(&self) -> usize {
        self.own
    }

    /// The communicator of the engine.
    pub(crate) fn engine(&self) -> &Comm {
        &self.comm
    }

    /// The communicator of the engine, for an object that keeps it.
    pub(crate) fn shared_engine(&self) -> &Arc<Comm> {
        &self.comm
    }

    /// The same communicator, for an object that belongs to it.
    pub(crate) fn twin(&self) -> Self {
        Self {
            attributes: Rc::clone(&self.attributes),
            ..self.child(Arc::clone(&self.comm))
        }
    }

    /// Unwinds the calling rank if the run has failed.
    #[inline]
    pub(crate) fn check(&self) {
        self.run_state.check();
    }

    /// Enters a call that may block.
    #[inline]
    pub(crate) fn enter(&self, call: Call, peer: i32, tag: i32) -> Inside<'_> {
        self.check();
        self.activity.enter(call, peer, tag)
    }
}

impl fmt::Debug for Communicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, rank, size) = (self.name(), self.rank(), self.size());
        f.debug_struct("Communicator")
            .field("name", &name)
            .field("rank", &rank)
            .field("size", &size)
            .finish()
    }
}
