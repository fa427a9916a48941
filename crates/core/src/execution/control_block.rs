//! The control block of an execution context, and the pool of control blocks.

use std::cell::{Cell, UnsafeCell};
use std::ptr;

use super::current_ec;
use super::footprint::{Footprint, fetch_control};
use super::interrupt::Interrupts;
use super::mailbox::Mailbox;
use super::park_token::ParkToken;
use super::poll_leader::PollLeader;
use super::purpose::Purpose;
use super::spawn::Body;
use super::suspend::Suspend;
use super::worker::{Takeovers, Worker};
use super::yielding::YieldThrottle;
use crate::any_arc::AnyArc;
use crate::machine::{FloatEnvironment, FloatEnvironmentCell, Stacks};
use crate::queue::Node;
use crate::sync::{
    Arc, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, SpinLock, prefetch_read,
};

/// Control block of an execution context.
///
/// The first line is what others touch when they wake it; the rest belongs to the execution context and the worker
/// that runs it.
#[repr(C, align(128))]
pub(crate) struct Ec {
    link: AtomicPtr<Ec>,
    token: ParkToken,
    pub(super) purpose: AtomicU8,
    /// 0, or 1 + the index of the worker to which somebody wants it to move.
    wanted_on: AtomicU16,
    interrupts: Interrupts,
    /// Number of revocable values that it is reading. Only the execution context itself writes it.
    pins: AtomicU32,
    /// The worker it runs on or ran on last; null for an attached thread.
    worker: AtomicPtr<Worker>,
    /// Its stack and that of the worker that runs it; none for an attached thread.
    pub(super) stacks: Stacks,
    /// What it has asked for when it left its stack.
    pub(super) request: Cell<Suspend>,
    /// Whether it is resumed before the others of the list on which it suspends next.
    pub(super) resume_first: Cell<bool>,
    /// Whether it looks into its mailbox while it waits, and closes it before it suspends.
    pub(super) minds_mailbox: Cell<bool>,
    /// That idle workers have got it from others.
    pub(super) takeovers: Takeovers,
    /// What is added to its address where it is the sleeper of an event.
    pub(super) sleeper_mark: Cell<usize>,
    /// The index of the worker to which it goes back from one that is for I/O alone.
    pub(super) origin: Cell<usize>,
    thread_pointer: Cell<u64>,
    environment: FloatEnvironmentCell,
    owner: UnsafeCell<Option<AnyArc>>,
    mailbox: UnsafeCell<Option<Arc<dyn Mailbox>>>,
    pub(super) footprint: Footprint,
    body: UnsafeCell<Option<Body>>,
    pub(super) id: AtomicU64,
    /// Only attached threads use it.
    pub(super) yield_throttle: YieldThrottle,
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
/// All control blocks, including those in the pool.
static ALL: SpinLock<Vec<&'static Ec>> = SpinLock::new(Vec::new());
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

impl Ec {
    /// A control block, from the pool or new, for an execution context that has no stack yet.
    pub(crate) fn obtain(purpose: Purpose) -> &'static Self {
        let pooled = POOL.lock().pop();
        let ec = pooled.unwrap_or_else(|| {
            let new: &'static Self = Box::leak(Box::new(Self::new()));
            ALL.lock().push(new);
            new
        });
        ec.id
            .store(NEXT_ID.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        ec.set_purpose(purpose);
        ec.wanted_on.store(0, Ordering::Relaxed);
        ec.resume_first.set(false);
        ec.minds_mailbox.set(false);
        ec.takeovers.reset();
        ec.interrupts.reset();
        ec
    }

    fn new() -> Self {
        Self {
            link: AtomicPtr::new(ptr::null_mut()),
            token: ParkToken::new(),
            purpose: AtomicU8::new(0),
            wanted_on: AtomicU16::new(0),
            interrupts: Interrupts::default(),
            pins: AtomicU32::new(0),
            worker: AtomicPtr::new(ptr::null_mut()),
            id: AtomicU64::new(0),
            stacks: Stacks::none(),
            request: Cell::new(Suspend::Yield),
            resume_first: Cell::new(false),
            minds_mailbox: Cell::new(false),
            takeovers: Takeovers::default(),
            sleeper_mark: Cell::new(0),
            origin: Cell::new(0),
            thread_pointer: Cell::new(0),
            environment: FloatEnvironmentCell::new(FloatEnvironment::read()),
            owner: UnsafeCell::new(None),
            mailbox: UnsafeCell::new(None),
            footprint: Footprint::new(),
            body: UnsafeCell::new(None),
            yield_throttle: YieldThrottle::default(),
        }
    }

    /// Gives the control block back to the pool. Nothing of the execution context may be in use any more.
    pub(crate) fn recycle(&'static self) {
        self.worker.store(ptr::null_mut(), Ordering::Relaxed);
        // SAFETY:
        // - the EC has ended, so nobody uses its slots.
        unsafe {
            drop((*self.owner.get()).take());
            drop((*self.mailbox.get()).take());
        }
        POOL.lock().push(self);
    }

    #[inline]
    pub(crate) fn body(&self) -> &UnsafeCell<Option<Body>> {
        &self.body
    }

    #[inline]
    pub(crate) fn owner(&self) -> &UnsafeCell<Option<AnyArc>> {
        &self.owner
    }

    #[inline]
    pub(super) fn mailbox(&self) -> &UnsafeCell<Option<Arc<dyn Mailbox>>> {
        &self.mailbox
    }

    #[inline]
    pub(crate) fn token(&self) -> &ParkToken {
        &self.token
    }

    #[inline]
    pub(crate) fn interrupts(&self) -> &Interrupts {
        &self.interrupts
    }

    /// Number of revocable values that it is reading.
    #[inline]
    pub(super) fn pins(&self) -> &AtomicU32 {
        &self.pins
    }

    /// 0, or 1 + the index of the worker to which somebody wants it to move.
    pub(super) fn wanted_on(&self) -> &AtomicU16 {
        &self.wanted_on
    }

    #[inline]
    pub(crate) fn thread_pointer(&self) -> u64 {
        self.thread_pointer.get()
    }

    pub(crate) fn set_thread_pointer(&self, value: u64) {
        self.thread_pointer.set(value);
    }

    /// Its floating-point environment, while it does not run. It is [`UNSAVED`](FloatEnvironment::UNSAVED) for a moment
    /// after the execution context has left its stack.
    #[inline]
    pub(crate) fn environment(&self) -> FloatEnvironment {
        self.environment.get()
    }

    #[inline]
    pub(crate) fn set_environment(&self, environment: FloatEnvironment) {
        self.environment.set(environment);
    }

    /// The worker it runs on or ran on last; null for an attached thread.
    #[inline]
    pub(crate) fn worker(&self) -> *mut Worker {
        // Relaxed: the worker that runs the EC writes it; the token or a lock synchronises with whoever reads it.
        self.worker.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn set_worker(&self, worker: *const Worker) {
        self.worker.store(worker.cast_mut(), Ordering::Relaxed);
    }

    /// Prefetches the memory that the execution context, the first of a run queue, touches when it is resumed, and the
    /// control block of the one behind it.
    #[inline]
    pub(crate) fn prefetch(&self) {
        // Relaxed: the queue is the caller's.
        fetch_control(self.link.load(Ordering::Relaxed));
        self.prefetch_own();
    }

    /// Prefetches the memory that the execution context touches when it is resumed, its control block apart.
    #[inline]
    pub(crate) fn prefetch_own(&self) {
        prefetch_read(current_ec::word_of(self.thread_pointer.get()));
        self.footprint.fetch();
    }

    /// Leaves the stack of the calling execution context, which is `self`.
    #[inline]
    pub(super) fn suspend(&self, how: Suspend) {
        self.footprint.leave_stack();
        self.request.set(how);
        // SAFETY:
        // - `self` is the running EC.
        unsafe { self.stacks.leave() };
    }

    /// As [`Ec::make_ready`], but it runs before the others of its worker where the policy wants that for what waits
    /// for the network.
    pub(super) fn make_ready_first(&'static self) {
        let worker = self.worker();
        // SAFETY:
        // - a worker lives for the rest of the program;
        // - the local queue is touched only if the caller runs on that very worker.
        unsafe {
            match worker.as_ref() {
                Some(home) if home.runs_network_first() => {
                    if current_ec::get().as_ref().is_some_and(|me| me.worker() == worker) {
                        home.push_local_first(self);
                    } else {
                        home.inbox().push(self);
                        home.ask_to_sort();
                    }
                }
                _ => self.make_ready(),
            }
        }
    }

    /// Wakes an attached thread that has got its token.
    pub(super) fn wake_thread(&self) {
        self.token.wake_in_kernel();
        if let Some(leader) = PollLeader::get() {
            leader.ring();
        }
    }

    /// Makes a coroutine run again that is asleep and on no list.
    pub(super) fn make_ready(&'static self) {
        let worker = self.worker();
        // SAFETY:
        // - a coroutine that has slept has run on a worker, which lives for the rest of the program; so do control
        //   blocks;
        // - the local queue is touched only if the caller runs on that very worker.
        unsafe {
            if current_ec::get().as_ref().is_some_and(|me| me.worker() == worker) {
                (*worker).push_local(self);
            } else {
                (*worker).inbox().push(self);
            }
        }
    }
}

/// Whether any execution context is reading a revocable value.
pub(crate) fn is_any_pinned() -> bool {
    // Acquire pairs with the Release in `Pin::drop`.
    ALL.lock().iter().any(|ec| ec.pins.load(Ordering::Acquire) != 0)
}
