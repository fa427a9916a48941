//! Sessions: the use of MPI without a world (section 11.3 of the standard).

use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use simurgh_mpi::constants::UNDEFINED;
use simurgh_mpi::{Comm, Error, ErrorClass, ErrorHandler, Process, Result};

use crate::activity::Call;
use crate::hints;
use crate::open_session::OpenSession;
use crate::run_state::RunState;
use crate::{Communicator, Group};

/// A rank that has not begun to use MPI; [`Builder::run_sessions`](crate::Builder::run_sessions) runs a function with
/// it. It communicates in sessions.
pub struct Rank {
    process: Arc<Process>,
    run_state: Arc<RunState>,
    /// The place among the ranks of this process.
    own: usize,
    /// A rank stays in its thread of execution.
    of_rank: PhantomData<Rc<()>>,
}

impl Rank {
    pub(crate) fn new(process: &Arc<Process>, run_state: &Arc<RunState>, own: usize) -> Self {
        Self {
            process: Arc::clone(process),
            run_state: Arc::clone(run_state),
            own,
            of_rank: PhantomData,
        }
    }

    /// Opens a session (`MPI_Session_init`). A rank may have several at a time, which know nothing of each other. It
    /// waits for nobody.
    ///
    /// ```
    /// let sums = simurgh::Builder::new().ranks(4).run_sessions(|rank| {
    ///     // A library that nobody has told of a communicator.
    ///     let session = rank.session();
    ///     let world = session.communicator(&session.group("mpi://WORLD")?, "org.example.library")?;
    ///     let mut sum = 0;
    ///     world.all_reduce(&world.rank(), &mut sum, &simurgh::Op::sum())?;
    ///     Ok::<_, simurgh::Error>(sum)
    /// })?;
    /// assert_eq!(sums, [Ok(6), Ok(6), Ok(6), Ok(6)]);
    /// # Ok::<(), simurgh::RunError>(())
    /// ```
    #[must_use = "a session that is dropped ends"]
    pub fn session(&self) -> Session<'_> {
        self.run_state.check();
        // Errors are results here. The handler would concern calls of C.
        let session = simurgh_mpi::Session::init(&self.process, ErrorHandler::Return);
        Session {
            open: Rc::new(OpenSession::new(session)),
            process: Arc::clone(&self.process),
            run_state: Arc::clone(&self.run_state),
            own: self.own,
            of_rank: PhantomData,
        }
    }

    /// Runs a function in the world model, between `MPI_Init` and `MPI_Finalize`.
    pub(crate) fn in_world<T>(&self, f: impl FnOnce(&Communicator) -> T) -> Result<T> {
        self.process.init()?;
        let world = Communicator::new(self.process.comm_world()?, &self.run_state, self.own);
        let value = f(&world);
        drop(world);
        self.process.finalize()?;
        Ok(value)
    }

    /// Refuses to end the rank while a session is open.
    pub(crate) fn check_ended(&self) -> Result<()> {
        match self.process.check_active() {
            Err(_) => Ok(()),
            Ok(()) => Err(Error::new(
                ErrorClass::Session,
                "a session has not been ended: it, or what was made from it, has been leaked",
            )),
        }
    }
}

impl fmt::Debug for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rank").field(&self.process.rank()).finish()
    }
}

impl Communicator {
    /// Opens a session besides the world (`MPI_Session_init`), as [`Rank::session`].
    #[must_use = "a session that is dropped ends"]
    pub fn session(&self) -> Session<'_> {
        let rank = Rank::new(self.engine().process(), self.run_state(), self.own());
        Session {
            of_rank: PhantomData,
            ..rank.session()
        }
    }
}

/// A session: a use of MPI by itself, which does not depend on the world or on other sessions; made by
/// [`Rank::session`] and [`Communicator::session`].
///
/// It finds groups by the names of process sets, and makes communicators of groups. It ends when it and all
/// communicators, windows and files that come from it have been dropped (`MPI_Session_finalize`). So none of them can
/// be used too late.
///
/// ```
/// # simurgh::Builder::new().ranks(4).run(|world| {
/// let communicator = {
///     let session = world.session();
///     let names: Vec<_> = session.process_sets().into_iter().map(|set| set.name().to_owned()).collect();
///     assert_eq!(names[..3], ["mpi://WORLD", "mpi://SELF", "simurgh://host"]);
///     let group = session.group("mpi://world")?.include([3, 1])?;
///     match group.rank() {
///         Some(_) => Some(session.communicator(&group, "odd")?),
///         None => None,
///     }
/// };
/// assert_eq!(communicator.map(|comm| comm.rank()), [None, Some(1), None, Some(0)][world.rank()]);
/// # Ok::<(), simurgh::Error>(()) })?.into_iter().collect::<Result<(), _>>().unwrap();
/// # Ok::<(), simurgh::RunError>(())
/// ```
///
/// A session does not outlive the run, and stays in the thread of execution of its rank:
///
/// ```compile_fail,E0521
/// # use std::cell::RefCell;
/// thread_local!(static KEPT: RefCell<Option<simurgh::Session<'static>>> = RefCell::default());
/// simurgh::Builder::new().run_sessions(|rank| KEPT.set(Some(rank.session())));
/// ```
///
/// ```compile_fail,E0277
/// simurgh::Builder::new().run_sessions(|rank| {
///     let session = rank.session();
///     std::thread::scope(|scope| {
///         scope.spawn(|| session.process_sets().len());
///     });
/// });
/// ```
///
/// A session that is leaked is an error of the run ([`RunError::Engine`](crate::RunError::Engine)) when its rank ends.
pub struct Session<'rank> {
    open: Rc<OpenSession>,
    process: Arc<Process>,
    run_state: Arc<RunState>,
    own: usize,
    of_rank: PhantomData<&'rank ()>,
}

impl Session<'_> {
    /// The process sets, in order (`MPI_Session_get_num_psets`, `MPI_Session_get_nth_pset`). All ranks of a host see
    /// the same ones: the world, the calling process, those of its host, and those on each piece of its hardware.
    #[must_use]
    pub fn process_sets(&self) -> Vec<ProcessSet> {
        let sets = self.open.engine().process_sets().into_iter();
        sets.map(|set| ProcessSet {
            group: self.own_group(set.group),
            name: set.name,
        })
        .collect()
    }

    /// The members of a process set (`MPI_Group_from_session_pset`). Names are not case-sensitive.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if there is no such set.
    pub fn group(&self, process_set: &str) -> Result<Group> {
        self.open
            .engine()
            .group(process_set)
            .map(|group| self.own_group(group))
    }

    /// A communicator of a group, made by its members alone (`MPI_Comm_create_from_group`). Collective over the group;
    /// `tag` tells apart calls for the same group that are made at the same time.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Group`] if the calling process is not in the group; when there are too many communicators.
    pub fn communicator(&self, group: &Group, tag: &str) -> Result<Communicator> {
        let _inside = self
            .run_state
            .enter(self.own, Call::CreateFromGroup, UNDEFINED, UNDEFINED);
        let group = group.engine().clone().in_session(self.open.engine().id());
        let made = Comm::create_from_group(&self.process, &group, tag)?;
        let made = made.ok_or_else(|| {
            let message = "the group is empty: it has no communicator";
            Error::new(ErrorClass::Group, message)
        })?;
        Ok(Communicator::new(made, &self.run_state, self.own).in_session(&self.open))
    }

    /// The properties of the session, as keys and values (`MPI_Session_get_info`).
    #[must_use]
    pub fn info(&self) -> Vec<(String, String)> {
        hints::texts(&self.open.engine().info())
    }

    fn own_group(&self, group: simurgh_mpi::Group) -> Group {
        Group::new(group, self.process.id())
    }
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.open.engine().fmt(f)
    }
}

/// A group of processes that has a name; one of [`Session::process_sets`].
#[derive(Clone, Debug)]
pub struct ProcessSet {
    name: String,
    group: Group,
}

impl ProcessSet {
    /// The name, a URI.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The members.
    #[must_use]
    pub fn group(&self) -> &Group {
        &self.group
    }
}
