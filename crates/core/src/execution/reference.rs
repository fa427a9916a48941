//! The reference to an execution context.

use std::ptr;

use super::control_block::Ec;
use super::external_wakers;
use super::purpose::Purpose;
use super::slot::Slot;
use super::spawn::Body;
use super::suspend::Suspend;
use super::worker::Worker;
use crate::machine::ThreadBlock;
use crate::sync::{AtomicU32, Ordering, SpinGuard};

/// The memory of an execution context's stack, as addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackBounds {
    /// Lowest address of the guard region; a fault from here up to `low` is a stack overflow.
    pub guard: usize,
    /// Lowest usable address.
    pub low: usize,
    /// First address above the stack.
    pub high: usize,
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
    #[inline]
    pub(crate) fn new(ec: &'static Ec) -> Self {
        Self(ec)
    }

    #[inline]
    pub(crate) fn control(self) -> &'static Ec {
        self.0
    }

    /// Number of revocable values that it is reading.
    #[inline]
    pub(crate) fn pins(self) -> &'static AtomicU32 {
        self.0.pins()
    }

    /// A number no other execution context of this process has had.
    #[must_use]
    pub fn id(self) -> u64 {
        self.0.id.load(Ordering::Relaxed)
    }

    /// Wakes the execution context from [`park`](super::park), or lets its next `park` return at once.
    #[inline]
    pub fn unpark(self) {
        if self.is_attached() {
            self.unpark_thread();
        } else if self.0.token().give() {
            match self.purpose() {
                Purpose::Network => self.0.make_ready_first(),
                Purpose::Compute | Purpose::Io => self.0.make_ready(),
            }
        }
    }

    /// [`EcRef::unpark`] of an attached thread. With its token it may run on at once, and block again, before the
    /// caller goes on. It counts as a waker before, so that it never counts as blocked twice: the caller, which runs,
    /// would not count any more.
    fn unpark_thread(self) {
        let token = self.0.token();
        if token.give_after(external_wakers::note_running, external_wakers::note_blocked) {
            self.0.wake_thread();
        }
    }

    /// As [`EcRef::wake_sleeper`], before others where the policy wants that for what waits for the network.
    #[cold]
    pub(crate) fn wake_urgent_sleeper(self) {
        self.0.make_ready_first();
    }

    /// The word that names it as the sleeper of an event. The bits below the address say how it is woken.
    #[inline]
    pub(crate) fn to_sleeper_word(self) -> usize {
        self.to_word() | self.0.sleeper_mark.get()
    }

    /// Makes a coroutine run again that slept on one completion only, and is on no list.
    #[inline]
    pub(crate) fn wake_sleeper(self) {
        self.0.make_ready();
    }

    /// Its purpose at the moment.
    #[must_use]
    pub fn purpose(self) -> Purpose {
        // Relaxed: nothing depends on it but where and when it runs.
        Purpose::of_note(self.0.purpose.load(Ordering::Relaxed))
    }

    /// Whether it is an OS thread that was attached, not a coroutine.
    #[inline]
    #[must_use]
    pub fn is_attached(self) -> bool {
        self.0.worker().is_null()
    }

    /// Whether it waits by its park token alone, which anybody may give. That is so for attached threads, and for
    /// execution contexts that [listen](EcRef::listen) for interrupts.
    #[inline]
    pub(crate) fn waits_by_token(self) -> bool {
        self.is_attached() || self.0.interrupts().is_listening()
    }

    /// The kernel thread that runs it at the moment, if it is a coroutine and runs.
    pub(crate) fn kernel_thread(self) -> Option<i32> {
        // SAFETY:
        // - workers live for the rest of the program.
        let worker = unsafe { self.0.worker().as_ref() }?;
        worker.thread_if_loaded(self.0.thread_pointer())
    }

    /// The index of the worker it runs on or ran on last; none for an attached thread.
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
        let body = unsafe { &*self.0.body().get() };
        body.as_ref().map(Body::bounds)
    }

    /// The thread block of the calling execution context; none if the maker has not chosen the place of its stack, or
    /// if the C library's block is not as expected.
    #[must_use]
    pub fn thread_block(self) -> Option<ThreadBlock> {
        // SAFETY:
        // - read only, as above.
        let body = unsafe { &*self.0.body().get() };
        body.as_ref().and_then(Body::thread_block)
    }

    /// The slot of wait lists in which it waits: that of its worker.
    #[inline]
    pub(crate) fn slot(self) -> usize {
        self.vp().unwrap_or(0)
    }

    #[inline]
    pub(crate) fn to_word(self) -> usize {
        ptr::from_ref(self.0).expose_provenance()
    }

    #[inline]
    pub(crate) fn from_word(word: usize) -> Self {
        // SAFETY:
        // - words come from `to_word`; control blocks live for the rest of the program.
        Self(unsafe { &*ptr::with_exposed_provenance(word) })
    }

    /// Blocks the calling attached thread, which is `self`, until its token is given.
    pub(crate) fn sleep_in_kernel(self) {
        // It counts as blocked only after it has settled, and as running again before it is woken, by its waker. So
        // the count of external wakers is never too low.
        if self.0.token().settle() {
            external_wakers::note_blocked();
            self.0.token().wait_in_kernel();
        }
        self.0.token().clear();
    }

    /// Has the calling execution context, which is `self`, resumed before the others with which it suspends next:
    /// others are going to wait for what it does.
    #[inline]
    pub(crate) fn resume_first(self) {
        self.0.resume_first.set(true);
    }

    /// Suspends the calling execution context, which is `self`, into a slot that it has locked.
    #[inline]
    pub(crate) fn suspend_into(self, slot: SpinGuard<'_, Slot>) {
        // The worker unlocks the slot once the EC is linked into it.
        self.0.suspend(Suspend::Link(slot.leave_held()));
    }
}
