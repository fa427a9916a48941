//! One rank.

mod launch;
mod level;
mod phase;
mod tuning;

pub use launch::Launch;
pub use phase::{Phase, ThreadLevel};

use crate::buffered::SendBuffer;
use crate::comm::{Comm, Lingering};
use crate::deadlock::Unmatched;
use crate::endpoint::Endpoint;
use crate::error::{Error, ErrorClass, Result};
use crate::group::SessionId;
use crate::job::{Abort, Job};
use crate::matching::Envelope;
use crate::memory::Target;
use crate::remote::{Promise, Wanted};
use crate::request::{Request, RequestPool, Waiter};
use crate::session::{Session, Sessions};
use crate::tool::Tool;
use level::LevelCell;
use phase::PhaseCell;
use simurgh_core::AnyArc;
use simurgh_core::sync::{Arc, Serialized, SpinLock, revoke_bias};
use std::any::Any;
use std::fmt;
use std::sync::OnceLock;
use tuning::Tuning;

/// A process in MPI's sense: a rank of the world. What every call looks at comes first, in one cache line.
#[repr(C, align(64))]
pub struct Process {
    extension: OnceLock<AnyArc>,
    phase: PhaseCell,
    id: u32,
    job: Arc<Job>,
    predefined: SpinLock<Option<Predefined>>,
    requests: RequestPool,
    /// Active requests that the user has freed: they complete on their own, at the latest in finalize.
    freed: SpinLock<Vec<Arc<Request>>>,
    /// Communicators that the user has freed with operations on them under way.
    lingering: Lingering,
    buffer: SendBuffer,
    tuning: Tuning,
    launch: OnceLock<Arc<Launch>>,
    sessions: Sessions,
    level: LevelCell,
}

/// The communicators every process has.
struct Predefined {
    world: Arc<Comm>,
    own: Arc<Comm>,
    /// Those who have started the world; none if nobody has, or when it has been given up.
    parent: Option<Arc<Comm>>,
}

impl Process {
    /// Process `id` of a job; call once for each.
    ///
    /// # Panics
    ///
    /// When no process of this number lives on this host.
    #[must_use]
    pub fn new(job: Arc<Job>, id: u32) -> Arc<Self> {
        let here = job.layout().here();
        assert!(here.contains(&id), "process {id} is not one of {here:?}");
        let tuning = Tuning::new(job.settings());
        Arc::new(Self {
            extension: OnceLock::new(),
            phase: PhaseCell::default(),
            id,
            job,
            predefined: SpinLock::new(None),
            requests: RequestPool::new(),
            freed: SpinLock::new(Vec::new()),
            lingering: Lingering::default(),
            buffer: SendBuffer::default(),
            tuning,
            launch: OnceLock::new(),
            sessions: Sessions::default(),
            level: LevelCell::default(),
        })
    }

    /// The only process of a job of one.
    #[must_use]
    pub fn singleton() -> Arc<Self> {
        Self::new(Job::new(1), 0)
    }

    /// Calls `f` with the process that the calling execution context works for.
    #[inline]
    pub fn with_current<R>(f: impl FnOnce(Option<&Arc<Self>>) -> R) -> R {
        simurgh_core::with_owner(f)
    }

    /// Makes the calling execution context work for `process`.
    pub fn bind(process: Arc<Self>) {
        simurgh_core::set_owner(Some(process));
    }

    /// The job.
    #[inline]
    #[must_use]
    pub fn job(&self) -> &Arc<Job> {
        &self.job
    }

    /// The process's number in its universe.
    #[inline]
    #[must_use]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The process's rank in its world.
    #[must_use]
    pub fn rank(&self) -> u32 {
        self.id - self.job.layout().processes().start
    }

    /// Says how the process was started; the first saying counts. Returns whether it was the first.
    pub fn set_launch(&self, launch: Arc<Launch>) -> bool {
        self.launch.set(launch).is_ok()
    }

    /// How the process was started, if a launcher has said so.
    #[must_use]
    pub fn launch(&self) -> Option<&Launch> {
        self.launch.get().map(|launch| &**launch)
    }

    #[inline]
    pub(crate) fn endpoint(&self) -> &Endpoint {
        self.job.endpoint(self.id)
    }

    /// What the process's tools use.
    #[must_use]
    pub fn tool(&self) -> &Arc<Tool> {
        self.endpoint().tool_or_new()
    }

    #[inline]
    pub(crate) fn requests(&self) -> &RequestPool {
        &self.requests
    }

    /// Communicators that are freed and still in use.
    pub(crate) fn lingering(&self) -> &Lingering {
        &self.lingering
    }

    /// The settings that the process may change.
    #[inline]
    pub(crate) fn tuning(&self) -> &Tuning {
        &self.tuning
    }

    /// Where the process's buffer for buffered sends is attached.
    #[must_use]
    pub fn buffer(&self) -> &SendBuffer {
        &self.buffer
    }

    /// Whether the threads of the process that call MPI take turns, as they do not unless somebody vouches for it.
    /// What the library itself does in the process's name in threads of its own takes no part in that.
    #[inline]
    #[must_use]
    pub fn serialized(&self) -> &Serialized {
        self.requests.serialized()
    }

    /// Which threads of the process may call MPI: the highest level that anybody has been promised.
    #[must_use]
    pub fn thread_level(&self) -> ThreadLevel {
        self.level.get()
    }

    /// Promises a level of thread support; with the highest, turns are not taken from now on.
    pub fn promise(&self, level: ThreadLevel) {
        self.level.raise(level);
        if level == ThreadLevel::Multiple {
            self.serialized().end();
            revoke_bias();
        }
    }

    /// Begins the use of MPI, for any threads at any time.
    ///
    /// # Errors
    ///
    /// As [`Process::init_thread`].
    pub fn init(self: &Arc<Self>) -> Result<()> {
        self.init_thread(ThreadLevel::Multiple)
    }

    /// Begins the use of MPI (`MPI_Init_thread`), with a promise of this level of thread support.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Other`] if MPI has been initialised before.
    pub fn init_thread(self: &Arc<Self>, level: ThreadLevel) -> Result<()> {
        self.phase.begin()?;
        self.promise(level);
        let world = Comm::world(self);
        let own = Comm::own(self)?;
        let parent = Comm::parent(self);
        *self.predefined.lock() = Some(Predefined { world, own, parent });
        Ok(())
    }

    /// Ends the use of MPI (`MPI_Finalize`): waits for the operations whose requests were freed.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Other`] if MPI is not initialised or has been finalized before.
    pub fn finalize(&self) -> Result<()> {
        if self.phase() == Phase::Active {
            self.complete_freed();
        }
        self.phase.end()?;
        self.job.universe().stay_connected(self.job.layout().here().len());
        let predefined = self.predefined.lock().take();
        drop(predefined);
        Ok(())
    }

    fn complete_freed(&self) {
        let freed = std::mem::take(&mut *self.freed.lock());
        for request in freed {
            request.wait();
            self.requests.give_back(request);
        }
        self.lingering.forget();
    }

    /// The open sessions.
    pub(crate) fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// The open session with this number.
    #[must_use]
    pub fn session(&self, id: SessionId) -> Option<Arc<Session>> {
        self.sessions.get(id)
    }

    /// Notes that a session begins: communication is allowed.
    pub(crate) fn open_session(&self) {
        self.promise(ThreadLevel::Multiple);
        self.phase.enter();
    }

    /// Notes that a session ends.
    pub(crate) fn close_session(&self) {
        if self.phase.is_last_user() {
            self.complete_freed();
        }
        self.phase.leave();
    }

    /// How far the process has come in the world model.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase.get()
    }

    /// Whether MPI calls are allowed now: the world is initialised or a session is open.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Other`] if neither is so.
    #[inline]
    pub fn check_active(&self) -> Result<()> {
        self.phase.check_active()
    }

    /// The communicator of all processes.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Comm`] before initialisation and after finalization.
    pub fn comm_world(&self) -> Result<Arc<Comm>> {
        self.predefined(|predefined| &predefined.world)
    }

    /// The communicator of this process alone.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Comm`] before initialisation and after finalization.
    pub fn comm_self(&self) -> Result<Arc<Comm>> {
        self.predefined(|predefined| &predefined.own)
    }

    /// The inter-communicator with those who have started the world (`MPI_Comm_get_parent`); none if nobody has, or
    /// when it has been freed.
    ///
    /// # Errors
    ///
    /// As [`Process::comm_world`].
    pub fn comm_parent(&self) -> Result<Option<Arc<Comm>>> {
        self.comm_world()?;
        let predefined = self.predefined.lock();
        Ok(predefined
            .as_ref()
            .and_then(|predefined| predefined.parent.clone()))
    }

    /// The process gives a communicator up: if it is that with its parents, it has none any more.
    pub(crate) fn forget_parent(&self, comm: &Arc<Comm>) {
        let mut predefined = self.predefined.lock();
        let parent = predefined
            .as_mut()
            .and_then(|predefined| predefined.parent.take_if(|parent| Arc::ptr_eq(parent, comm)));
        drop(predefined);
        drop(parent);
    }

    fn predefined(&self, choose: impl FnOnce(&Predefined) -> &Arc<Comm>) -> Result<Arc<Comm>> {
        let predefined = self.predefined.lock();
        predefined.as_ref().map(choose).map(Arc::clone).ok_or_else(|| {
            Error::new(
                ErrorClass::Comm,
                "there are no communicators before MPI_Init and after MPI_Finalize",
            )
        })
    }

    /// The messages to this process that it has not received so far.
    #[must_use]
    pub fn unreceived(&self) -> Vec<Unmatched> {
        let name = self.rank().to_string();
        self.endpoint().table().unreceived(&name).collect()
    }

    /// Takes a request out of use (`MPI_Request_free`, and after a completed wait or test): one that is done is
    /// kept for reuse, an active one completes on its own.
    #[inline]
    pub fn release(&self, request: Arc<Request>) {
        if request.is_done() {
            self.requests.give_back(request);
        } else {
            self.set_free(request);
        }
    }

    /// Takes a request out of use that is not done.
    fn set_free(&self, request: Arc<Request>) {
        if request.is_generalised() {
            // Not ours to wait for in finalize: the program completes it, and may do so after that.
            return;
        }
        let mut freed = self.freed.lock();
        for done in freed.extract_if(.., |request| request.is_done()) {
            self.requests.give_back(done);
        }
        freed.push(request);
    }

    /// Has a message of another host come to a target; `waiter` is told of its end.
    pub(crate) fn fetch(&self, promise: &Promise, envelope: Envelope, target: &Target, waiter: Waiter) {
        let wanted = Wanted {
            user: self.id,
            envelope,
            target: target.clone(),
            waiter,
        };
        self.job.remote().fetch(&self.job, promise, wanted);
    }

    /// Ends the job.
    pub fn abort(&self, code: i32, reason: impl Into<String>) -> ! {
        self.job.abort(&Abort {
            process: self.id,
            code,
            reason: reason.into(),
        })
    }

    /// The object of the calling layer, made by `make` at the first call; none if it is of another type.
    pub fn extension_or<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Option<&T> {
        self.extension.get_or_init(|| AnyArc::new(Arc::new(make()))).get()
    }

    /// The object of the calling layer, if it is of this type.
    #[inline]
    #[must_use]
    pub fn extension<T: Any>(&self) -> Option<&T> {
        self.extension.get().and_then(AnyArc::get)
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process")
            .field("id", &self.id)
            .field("phase", &self.phase())
            .finish_non_exhaustive()
    }
}
