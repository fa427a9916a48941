//! One rank.

mod copied_sends;
mod deferred_frees;
mod launch;
mod level;
mod mailbox;
mod phase;
mod queues;
mod references;
mod tuning;

pub use launch::Launch;
pub use phase::{Phase, ThreadLevel};
pub use queues::Queues;

use crate::buffered::SendBuffer;
use crate::deadlock::Unmatched;
use crate::endpoint::{EagerBuffer, Endpoint, RequestToSend, RingPlace};
use crate::error::Result;
use crate::instrument::{self, Tool, Watched};
use crate::job::{Abort, Job};
use crate::layer_state::LayerState;
use crate::matching::Envelope;
use crate::memory::Target;
use crate::network::MatchedReceive;
use crate::request::{Request, RequestPool, Waiter};
use copied_sends::CopiedSends;
use deferred_frees::DeferredFrees;
use level::LevelCell;
use phase::PhaseCell;
use references::References;
use simurgh_core::sync::{Arc, Serialized, SpinLock, revoke_bias};
use simurgh_core::{AnyArc, RuntimeGuard};
use simurgh_settings::Id;
use std::any::Any;
use std::fmt;
use std::sync::OnceLock;
use tuning::Tuning;

/// A process in MPI's sense: a rank of the world. The fields that every call reads come first, in one cache line.
#[repr(C, align(64))]
pub struct Process {
    extension: OnceLock<AnyArc>,
    phase: PhaseCell,
    id: u32,
    job: Arc<Job>,
    requests: RequestPool,
    /// Active requests that the user has freed: they complete on their own, at the latest in finalize.
    freed: SpinLock<Vec<Arc<Request>>>,
    /// Communicators that the user has freed with operations on them under way.
    deferred_frees: DeferredFrees,
    /// Sends whose messages are still in the rank's own memory.
    references: References,
    /// Messages in buffers of the rank.
    copied_sends: CopiedSends,
    buffer: SendBuffer,
    tuning: Tuning,
    launch: OnceLock<Arc<Launch>>,
    /// The state that the layers above keep for the process: its sessions and its communicators.
    layer_state: LayerState<2>,
    level: LevelCell,
}

impl Process {
    /// Process `id` of a job; call once for each.
    ///
    /// # Panics
    ///
    /// When no process of this number lives on this host.
    #[must_use]
    pub fn new(job: Arc<Job>, id: u32) -> Arc<Self> {
        instrument::set_caller(tool_of_caller);
        let here = job.layout().here();
        assert!(here.contains(&id), "process {id} is not one of {here:?}");
        let tuning = Tuning::new(job.settings());
        Arc::new(Self {
            extension: OnceLock::new(),
            phase: PhaseCell::default(),
            id,
            job,
            requests: RequestPool::new(),
            freed: SpinLock::new(Vec::new()),
            deferred_frees: DeferredFrees::default(),
            references: References::default(),
            copied_sends: CopiedSends::default(),
            buffer: SendBuffer::default(),
            tuning,
            launch: OnceLock::new(),
            layer_state: LayerState::default(),
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

    /// [`Process::with_current`] for a context that is within the runtime.
    #[inline]
    pub fn with_current_inside<R>(inside: &RuntimeGuard, f: impl FnOnce(Option<&Arc<Self>>) -> R) -> R {
        inside.with_owner(f)
    }

    /// Makes the calling execution context work for `process`.
    pub fn bind(process: Arc<Self>) {
        process.add_thread();
        process.job.note_context(process.id);
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

    /// Sets how the process was started; the first setting counts. Returns whether it was the first.
    pub fn set_launch(&self, launch: Arc<Launch>) -> bool {
        self.launch.set(launch).is_ok()
    }

    /// How the process was started, if a launcher has set it.
    #[must_use]
    pub fn launch(&self) -> Option<&Launch> {
        self.launch.get().map(|launch| &**launch)
    }

    #[inline]
    pub(crate) fn endpoint(&self) -> &Endpoint {
        self.job.endpoint(self.id)
    }

    /// The instrumentation of the process, which its tools use.
    #[must_use]
    pub fn tool(&self) -> &Arc<Tool> {
        self.endpoint().tool_or_new()
    }

    /// Notes a send whose message is in the rank's own memory, with its address at this place.
    #[inline]
    pub(crate) fn add_reference(&self, waiter: Waiter, place: RingPlace) {
        self.references.add(waiter, place);
    }

    /// A buffer for a message of so many bytes that the rank sends by its address.
    #[inline]
    pub(crate) fn send_buffer(&self, bytes: usize) -> EagerBuffer {
        self.copied_sends.buffer(self.job().host(), bytes)
    }

    /// Keeps such a buffer: with the place of its address, if it is in a ring.
    #[inline]
    pub(crate) fn keep_send_buffer(&self, buffer: EagerBuffer, place: Option<RingPlace>) {
        match place {
            Some(place) => self.copied_sends.add(buffer, place),
            None => self.copied_sends.give_back(buffer),
        }
    }

    /// Completes the sends whose messages are in the rank's own memory.
    pub(crate) fn drain_references(&self) {
        self.references.drain(self.job().host());
    }

    #[inline]
    pub(crate) fn requests(&self) -> &RequestPool {
        &self.requests
    }

    /// The lengths of the process's queues.
    #[must_use]
    pub fn queues(&self) -> Queues<'_> {
        Queues(self.endpoint())
    }

    /// The value of a setting that the process may change; none for all others.
    #[must_use]
    pub fn setting(&self, id: Id) -> Option<u64> {
        self.tuning.get(id)
    }

    /// Changes a setting of the process; `false` if it is not one that a process may change.
    #[must_use]
    pub fn set(&self, id: Id, value: usize) -> bool {
        self.tuning.set(id, value)
    }

    /// The settings that the process may change.
    #[inline]
    pub(crate) fn tuning(&self) -> &Tuning {
        &self.tuning
    }

    /// The buffer that is attached to the process for buffered sends.
    #[must_use]
    pub fn buffer(&self) -> &SendBuffer {
        &self.buffer
    }

    /// Whether the threads of the process call MPI one at a time, which is so only if the program has promised it.
    /// Threads of the library that work in the name of the process do not count.
    #[inline]
    #[must_use]
    pub fn serialized(&self) -> &Serialized {
        self.requests.serialized()
    }

    /// Which threads of the process may call MPI: the highest level that has been promised.
    #[must_use]
    pub fn thread_level(&self) -> ThreadLevel {
        self.level.get()
    }

    /// Promises a level of thread support. With the highest, threads call MPI at any time from now on.
    pub fn promise(&self, level: ThreadLevel) {
        self.level.raise(level);
        if level == ThreadLevel::Multiple {
            self.serialized().end();
            revoke_bias();
        }
    }

    /// Begins the use of MPI by the world model, with a promise of this level of thread support.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Other`](crate::ErrorClass::Other) if MPI has been initialised before.
    pub(crate) fn begin_world(&self, level: ThreadLevel) -> Result<()> {
        self.phase.begin()?;
        self.promise(level);
        Ok(())
    }

    /// Ends the use of MPI by the world model: waits for the operations whose requests were freed.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Other`](crate::ErrorClass::Other) if MPI is not initialised or has been finalized before.
    pub(crate) fn end_world(&self) -> Result<()> {
        if self.phase() == Phase::Active {
            self.complete_freed();
        }
        self.phase.end()
    }

    fn complete_freed(&self) {
        let freed = std::mem::take(&mut *self.freed.lock());
        for request in freed {
            request.wait();
            self.requests.give_back(request);
        }
        self.deferred_frees.forget();
    }

    /// The state that the layers above keep for the process.
    pub(crate) fn layer_state(&self) -> &LayerState<2> {
        &self.layer_state
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
    /// [`ErrorClass::Other`](crate::ErrorClass::Other) if neither is so.
    #[inline]
    pub fn check_active(&self) -> Result<()> {
        self.phase.check_active()
    }

    /// Whether MPI is initialised for this process, or a session open.
    #[inline]
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.phase.is_active()
    }

    /// The messages to this process that it has not received so far.
    #[must_use]
    pub fn unreceived(&self) -> Vec<Unmatched> {
        let name = self.rank().to_string();
        self.endpoint().table().unreceived(&name).collect()
    }

    /// Takes a request out of use (`MPI_Request_free`, and after a completed wait or test): one that is done is
    /// kept for reuse, an active one completes on its own.
    #[inline(always)]
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
            // Finalize does not wait for it: the program completes it, and may do so later.
            return;
        }
        let mut freed = self.freed.lock();
        for done in freed.extract_if(.., |request| request.is_done()) {
            self.requests.give_back(done);
        }
        freed.push(request);
    }

    /// The number of requests that have been freed and are not done.
    #[must_use]
    pub fn freed_under_way(&self) -> usize {
        let freed = self.freed.lock();
        freed.iter().filter(|request| !request.is_done()).count()
    }

    /// Receives a message of another host by the rendezvous protocol; `waiter` is completed at the end.
    pub(crate) fn receive_rendezvous(
        &self,
        request: &RequestToSend,
        envelope: Envelope,
        target: &Target,
        waiter: Waiter,
    ) {
        let matched = MatchedReceive {
            user: self.id,
            envelope,
            target: target.clone(),
            waiter,
        };
        self.job
            .connected()
            .receive_rendezvous(self.job.host(), request, matched);
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

impl Drop for Process {
    fn drop(&mut self) {
        self.copied_sends.drain(self.job.host());
    }
}

impl Watched for Process {
    fn active_tool(&self) -> Option<&Arc<Tool>> {
        self.endpoint().active_tool()
    }
}

/// The instrumentation of the calling rank, if the rank has used the tool information interface.
fn tool_of_caller() -> Option<Arc<Tool>> {
    Process::with_current(|process| process.and_then(|process| process.active_tool().cloned()))
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process")
            .field("id", &self.id)
            .field("phase", &self.phase())
            .finish_non_exhaustive()
    }
}
