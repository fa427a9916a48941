//! Execution contexts on this machine.

use std::cell::{Cell, UnsafeCell};
use std::ptr;

use super::external_wakers;
use super::footprint::{Footprint, fetch_control, fetch_line};
use super::yielding::YieldThrottle;
use crate::any_arc::AnyArc;
use crate::completion::Completion;
use crate::current_ec;
use crate::float_environment::FloatEnvironment;
use crate::interrupt::{Interrupts, attend_while_waiting};
use crate::intrusive_queue::{IntrusiveQueue, Node};
use crate::park_token::ParkToken;
use crate::poll_leader::PollLeader;
use crate::spawn::Body;
use crate::suspend::{EcYielder, Suspend};
use crate::sync::{AtomicPtr, AtomicU8, AtomicU64, Ordering, SpinGuard, SpinLock, relax};
use crate::wait_list::Slot;
use crate::worker::{Look, Worker};

/// Looks at its event that a waiting execution context could have had while it asked the network in vain.
pub(crate) const LOOKS_PER_POLL: u32 = 16;

/// What an execution context is for; policies treat them differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// Runs a rank or works on its behalf.
    Compute,
    /// Drives the network.
    Network,
    /// Waits for files.
    Io,
}

/// The memory an execution context runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackBounds {
    /// Lowest address of the guard page; a fault from here up to `low` is a stack overflow.
    pub guard: usize,
    /// Lowest usable address.
    pub low: usize,
    /// First address above the stack.
    pub high: usize,
}

/// Control block of an execution context.
///
/// The first line is what others touch when they wake it; the rest belongs to the EC and the worker that runs it.
#[repr(C, align(128))]
pub(crate) struct Ec {
    link: AtomicPtr<Ec>,
    token: ParkToken,
    attribute: AtomicU8,
    interrupts: Interrupts,
    /// The worker it runs on or ran on last; null for an attached thread.
    worker: AtomicPtr<Worker>,
    yielder: Cell<*const EcYielder>,
    /// Whether it goes on before others with whom it freezes the next time.
    goes_first: Cell<bool>,
    thread_pointer: Cell<u64>,
    environment: Cell<FloatEnvironment>,
    owner: UnsafeCell<Option<AnyArc>>,
    footprint: Footprint,
    body: UnsafeCell<Option<Body>>,
    id: AtomicU64,
    /// Of an attached thread.
    yield_throttle: YieldThrottle,
}

// SAFETY:
// - the atomics are for everybody; the cells are used only by whoever runs the EC, or makes or recycles it, and these
//   follow each other with synchronisation in between (token, run queue or pool lock).
unsafe impl Sync for Ec {}
// SAFETY:
// - as above; the coroutine inside may move between kernel threads because its thread pointer moves with it.
unsafe impl Send for Ec {}

// SAFETY:
// - `link` is one field; control blocks are leaked and pooled.
unsafe impl Node for Ec {
    fn link(&self) -> &AtomicPtr<Ec> {
        &self.link
    }
}

/// Control blocks whose execution contexts have ended.
static POOL: SpinLock<Vec<&'static Ec>> = SpinLock::new(Vec::new());
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

impl Ec {
    /// A control block of an EC that has no stack yet.
    pub(crate) fn obtain(attribute: Attribute) -> &'static Self {
        let pooled = POOL.lock().pop();
        let ec = pooled.unwrap_or_else(|| {
            Box::leak(Box::new(Self {
                link: AtomicPtr::new(ptr::null_mut()),
                token: ParkToken::new(),
                attribute: AtomicU8::new(0),
                interrupts: Interrupts::default(),
                worker: AtomicPtr::new(ptr::null_mut()),
                id: AtomicU64::new(0),
                yielder: Cell::new(ptr::null()),
                goes_first: Cell::new(false),
                thread_pointer: Cell::new(0),
                environment: Cell::new(FloatEnvironment::read()),
                owner: UnsafeCell::new(None),
                footprint: Footprint::new(),
                body: UnsafeCell::new(None),
                yield_throttle: YieldThrottle::default(),
            }))
        });
        ec.id
            .store(NEXT_ID.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        ec.attribute.store(attribute as u8, Ordering::Relaxed);
        ec.goes_first.set(false);
        ec.interrupts.reset();
        ec
    }

    /// Gives the control block back. Nothing of the EC may be in use any more.
    pub(crate) fn recycle(&'static self) {
        self.worker.store(ptr::null_mut(), Ordering::Relaxed);
        // SAFETY:
        // - the EC has ended, so nobody uses its owner slot.
        drop(unsafe { &mut *self.owner.get() }.take());
        POOL.lock().push(self);
    }

    pub(crate) fn body(&self) -> &UnsafeCell<Option<Body>> {
        &self.body
    }

    pub(crate) fn owner(&self) -> &UnsafeCell<Option<AnyArc>> {
        &self.owner
    }

    pub(crate) fn token(&self) -> &ParkToken {
        &self.token
    }

    #[inline]
    pub(crate) fn interrupts(&self) -> &Interrupts {
        &self.interrupts
    }

    #[inline]
    pub(crate) fn thread_pointer(&self) -> u64 {
        self.thread_pointer.get()
    }

    pub(crate) fn set_thread_pointer(&self, value: u64) {
        self.thread_pointer.set(value);
    }

    /// Its floating-point environment, while it does not run.
    #[inline]
    pub(crate) fn environment(&self) -> FloatEnvironment {
        self.environment.get()
    }

    #[inline]
    pub(crate) fn set_environment(&self, environment: FloatEnvironment) {
        self.environment.set(environment);
    }

    pub(crate) fn set_yielder(&self, yielder: *const EcYielder) {
        self.yielder.set(yielder);
    }

    /// The worker it runs on or ran on last.
    #[inline]
    pub(crate) fn worker(&self) -> *mut Worker {
        // Relaxed: written by the worker that runs the EC; who reads it was synchronised with by the token or a lock.
        self.worker.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn set_worker(&self, worker: *const Worker) {
        self.worker.store(worker.cast_mut(), Ordering::Relaxed);
    }

    /// Asks for the memory that the EC, the first of a run queue, touches when it is resumed, and for the control block
    /// of the one behind it.
    #[inline]
    pub(crate) fn warm(&self) {
        // Relaxed: the queue is the caller's.
        fetch_control(self.link.load(Ordering::Relaxed));
        fetch_line(current_ec::word_of(self.thread_pointer.get()));
        self.footprint.fetch();
    }

    /// Leaves the stack of the calling EC, which is `self`.
    #[inline]
    fn suspend(&self, how: Suspend) {
        self.footprint.leave_stack();
        // SAFETY:
        // - `self` is the running EC, so its coroutine is alive and the yielder with it.
        unsafe { (*self.yielder.get()).suspend(how) };
    }

    /// Makes an EC that is off every list and asleep run again.
    fn make_ready(&'static self) {
        let worker = self.worker();
        // SAFETY:
        // - a worker lives for the rest of the program; so do control blocks;
        // - the local queue is touched only if the caller runs on that very worker.
        unsafe {
            if worker.is_null() {
                external_wakers::note_running();
                self.token.wake_in_kernel();
                if let Some(poll_leader) = PollLeader::get() {
                    poll_leader.ring();
                }
            } else if current_ec::get()
                .as_ref()
                .is_some_and(|here| here.worker() == worker)
            {
                (*worker).push_local(self);
            } else {
                (*worker).inbox().push(self);
            }
        }
    }
}

/// Names an execution context; cheap to copy, valid for ever.
#[derive(Clone, Copy)]
pub struct EcRef(&'static Ec);

impl PartialEq for EcRef {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.0, other.0)
    }
}

impl Eq for EcRef {}

impl std::hash::Hash for EcRef {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        ptr::from_ref(self.0).hash(state);
    }
}

impl std::fmt::Debug for EcRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "EcRef({})", self.id())
    }
}

impl EcRef {
    pub(crate) fn new(ec: &'static Ec) -> Self {
        Self(ec)
    }

    pub(crate) fn control(self) -> &'static Ec {
        self.0
    }

    /// A number no other execution context of this process has had.
    #[must_use]
    pub fn id(self) -> u64 {
        self.0.id.load(Ordering::Relaxed)
    }

    /// Wakes the execution context from [`park`], or lets its next `park` return at once.
    #[inline]
    pub fn unpark(self) {
        if self.0.token.give() {
            self.0.make_ready();
        }
    }

    /// Makes a coroutine run again that slept on one event only, and is on no list.
    #[inline]
    pub(crate) fn wake_sleeper(self) {
        self.0.make_ready();
    }

    /// What it is for; attached threads compute.
    #[must_use]
    pub fn attribute(self) -> Attribute {
        // Relaxed: written before the execution context starts.
        match self.0.attribute.load(Ordering::Relaxed) {
            value if value == Attribute::Network as u8 => Attribute::Network,
            value if value == Attribute::Io as u8 => Attribute::Io,
            _ => Attribute::Compute,
        }
    }

    /// Whether it is an OS thread that was attached, not a coroutine.
    #[inline]
    #[must_use]
    pub fn is_attached(self) -> bool {
        self.0.worker().is_null()
    }

    /// Whether it waits by its token alone, which anybody may give it: as attached threads do, and who listens for
    /// interrupts.
    #[inline]
    pub(crate) fn waits_by_token(self) -> bool {
        self.is_attached() || self.0.interrupts.is_listening()
    }

    /// The kernel thread that runs it at the moment, if it is a coroutine.
    pub(crate) fn kernel_thread(self) -> Option<i32> {
        // SAFETY:
        // - workers live for the rest of the program.
        let worker = unsafe { self.0.worker().as_ref() }?;
        worker.thread_if_loaded(self.0.thread_pointer())
    }

    /// The worker it runs on or ran on last; none for an attached thread.
    #[inline]
    #[must_use]
    pub fn vp(self) -> Option<usize> {
        // SAFETY:
        // - workers live for the rest of the program.
        unsafe { self.0.worker().as_ref() }.map(Worker::index)
    }

    /// Bounds of the stack of the calling execution context; none for an attached thread.
    #[must_use]
    pub fn stack_bounds(self) -> Option<StackBounds> {
        // SAFETY:
        // - read only: the bounds of a body do not change while it exists, and the calling EC's exists.
        let body = unsafe { &*self.0.body.get() };
        body.as_ref().map(Body::bounds)
    }

    #[inline]
    pub(crate) fn slot(self) -> usize {
        self.vp().unwrap_or(0)
    }

    pub(crate) fn to_word(self) -> usize {
        ptr::from_ref(self.0).expose_provenance()
    }

    pub(crate) fn from_word(word: usize) -> Self {
        // SAFETY:
        // - words come from `to_word`; control blocks live for the rest of the program.
        Self(unsafe { &*ptr::with_exposed_provenance(word) })
    }

    /// Blocks the calling attached thread, which is `self`, until its token is given.
    pub(crate) fn sleep_in_kernel(self) {
        // Counted as blocked only once it is, and as running again by who wakes it: the count is never too low.
        if self.0.token.settle() {
            external_wakers::note_blocked();
            self.0.token.wait_in_kernel();
        }
        self.0.token.clear();
    }

    /// Of those who wait together the calling EC, which is `self`, goes on first the next time: others are going to
    /// wait for what it does.
    #[inline]
    pub(crate) fn go_first(self) {
        self.0.goes_first.set(true);
    }

    /// Suspends the calling EC, which is `self`, into a slot it has locked.
    #[inline]
    pub(crate) fn freeze(self, slot: SpinGuard<'_, Slot>) {
        // The worker unlocks the slot once the EC is linked into it.
        self.0.suspend(Suspend::Freeze(slot.leave_held()));
    }
}

/// Execution contexts frozen together on one worker.
#[derive(Default)]
pub(crate) struct Frozen {
    /// Who goes on before all others.
    first: Option<&'static Ec>,
    others: IntrusiveQueue<Ec>,
}

impl Frozen {
    pub(crate) fn push(&mut self, ec: &'static Ec) {
        if ec.goes_first.take() && self.first.is_none() {
            self.first = Some(ec);
        } else {
            self.others.push_back(ec);
        }
    }

    /// Moves some of them to another worker if theirs has many more than that.
    pub(crate) fn even_out(&mut self) {
        // SAFETY:
        // - a frozen EC has run on a worker, and workers live for the rest of the program.
        let worker_of = |ec: &'static Ec| unsafe { &*ec.worker() };
        let Some((target, surplus)) = self.others.front().and_then(|one| worker_of(one).surplus()) else {
            return;
        };
        let leaving = self.others.split_off(self.others.len().saturating_sub(surplus));
        leaving.for_each(|ec| {
            worker_of(ec).ec_count().remove();
            target.ec_count().add();
            ec.set_worker(target);
        });
        target.inbox().push_all(leaving);
    }

    /// Makes all of them ready with one splice.
    pub(crate) fn thaw(self) {
        let (first, mut all) = (self.first, self.others);
        let Some(worker) = first.or(all.front()).map(Ec::worker) else {
            return;
        };
        // SAFETY:
        // - a frozen EC has run on a worker, and workers live for the rest of the program;
        // - the local queue is touched only if the caller runs on that very worker.
        unsafe {
            if current_ec::get()
                .as_ref()
                .is_some_and(|here| here.worker() == worker)
            {
                first.into_iter().for_each(|first| all.push_front(first));
                (*worker).append_local(&mut all);
            } else {
                // The inbox reverses the order.
                first.into_iter().for_each(|first| all.push_back(first));
                (*worker).inbox().push_all(all);
            }
        }
    }
}

/// The calling execution context; attaches the calling OS thread if it is none yet.
#[inline]
#[must_use]
pub fn current() -> EcRef {
    try_current().unwrap_or_else(attach)
}

/// Tells what memory the calling execution context uses again and again, a few lines of it: it will be on its way to
/// the cache before the execution context goes on after a wait.
pub fn keep_warm(lines: &[*const u8]) {
    current().0.footprint.note(lines);
}

/// The calling execution context, or none on an OS thread that was never attached.
#[inline]
#[must_use]
pub fn try_current() -> Option<EcRef> {
    // SAFETY:
    // - the word is null or the address of a control block, and these live for the rest of the program.
    unsafe { current_ec::get().as_ref() }.map(EcRef)
}

#[cold]
fn attach() -> EcRef {
    /// Gives the control block back when the thread ends.
    struct Attachment(&'static Ec);
    impl Drop for Attachment {
        fn drop(&mut self) {
            current_ec::set(ptr::null());
            external_wakers::detach();
            self.0.recycle();
        }
    }
    std::thread_local! {
        static ATTACHMENT: std::cell::OnceCell<Attachment> = const { std::cell::OnceCell::new() };
    }
    let ec = Ec::obtain(Attribute::Compute);
    current_ec::set(ec);
    external_wakers::attach();
    // A thread that is already running its destructors keeps the control block: it leaks, harmlessly.
    let _ = ATTACHMENT.try_with(|cell| cell.set(Attachment(ec)).is_ok());
    EcRef(ec)
}

/// Blocks the calling execution context until [`EcRef::unpark`]; may also return for no reason.
#[inline]
pub fn park() {
    let me = current();
    if me.0.token.take() {
        // It has been given already.
    } else if !me.is_attached() {
        me.0.suspend(Suspend::Park);
        me.0.token.clear();
    } else if let Some(poll_leader) = PollLeader::get() {
        poll_leader.park(me);
    } else {
        me.sleep_in_kernel();
    }
    if me.has_attention() {
        attend_while_waiting(me);
    }
}

/// Suspends the calling execution context until `event` has happened, or for a moment if somebody else waits for it.
/// False, at once, for one that waits by its token.
#[inline]
pub(crate) fn sleep_on(event: &Completion) -> bool {
    let me = current();
    let suspends = !me.waits_by_token();
    if suspends {
        me.0.suspend(Suspend::Await(event));
    }
    suspends
}

/// Lets other execution contexts of this worker run, after doing a piece of an task if there is one and looking after
/// the network: who polls leaves no processor idle that would do it. For an attached thread, lets other threads run now
/// and then.
#[inline]
pub fn yield_now() {
    let me = current();
    // SAFETY:
    // - workers live for the rest of the program.
    if let Some(worker) = unsafe { me.0.worker().as_ref() } {
        if worker.sees_shared_work() {
            worker.run_idle_task();
        }
        worker.look_after_network();
    } else if PollLeader::get().is_some_and(PollLeader::look) {
        return me.0.yield_throttle.reset();
    }
    let_others_run(me);
}

/// Lets other execution contexts of this worker run; for an attached thread, and for a worker that does an task,
/// other threads, now and then.
#[inline]
pub(crate) fn let_others_run(me: EcRef) {
    if me.0.yielder.get().is_null() {
        me.0.yield_throttle.yield_thread();
    } else {
        me.0.suspend(Suspend::Yield);
    }
}

/// Continues the calling execution context on the worker with index `vp`, modulo their number.
///
/// Without effect for an attached thread.
pub fn migrate(vp: usize) {
    let me = current();
    // SAFETY:
    // - workers live for the rest of the program.
    let Some(worker) = (unsafe { me.0.worker().as_ref() }) else {
        return;
    };
    let workers = worker.team_mates();
    let target = workers[vp % workers.len()];
    if !ptr::eq(target, worker) {
        me.0.suspend(Suspend::Move(target));
    }
}

/// Looks at `done` for a bounded time, as long as nobody else could use the worker. True if it became true.
#[inline]
pub(crate) fn spin_while_idle(done: impl Fn() -> bool) -> bool {
    let Some(me) = try_current() else { return false };
    // SAFETY:
    // - workers live for the rest of the program, and the calling EC runs on this one.
    let Some(worker) = (unsafe { me.0.worker().as_ref() }) else {
        return PollLeader::get().is_some_and(|poll_leader| poll_leader.watch_for(done));
    };
    let mut looks = worker.spin_limit();
    while looks > 0 {
        if done() {
            return true;
        }
        if worker.has_ready() {
            return false;
        }
        looks = looks.saturating_sub(match worker.look_after_network() {
            Look::Found => 1,
            Look::Vain => LOOKS_PER_POLL,
            Look::Nothing => {
                relax();
                1
            }
        });
    }
    false
}

/// Whether other execution contexts could use the caller's worker.
#[inline]
pub(crate) fn others_are_ready() -> bool {
    // SAFETY:
    // - workers live for the rest of the program, and the calling EC runs on this one.
    let worker = unsafe { current().0.worker().as_ref() };
    worker.is_some_and(Worker::has_ready)
}

/// The worker that runs the caller, until it suspends; none if the caller is no execution context of a worker.
pub fn current_worker() -> Option<&'static Worker> {
    // SAFETY:
    // - workers live for the rest of the program, and the calling EC, if it is a coroutine, runs on this one.
    try_current().and_then(|ec| unsafe { ec.0.worker().as_ref() })
}

/// Slots a wait list needs: the largest number of workers a runtime of this process has had.
#[inline]
pub(crate) fn slot_count() -> usize {
    crate::worker::largest_count()
}
