//! Execution contexts for the model checker: loom's threads, all of them attached, with the real park token.

use super::completion::Completion;
use super::park_token::ParkToken;
use super::slot::Slot;
use crate::sync::{AtomicU32, Ordering, SpinGuard, SpinLock};

loom::thread_local! {
    static ME: EcRef = EcRef::make();
    static SLOT: std::cell::Cell<usize> = std::cell::Cell::new(0);
    static SLOTS: std::cell::Cell<usize> = std::cell::Cell::new(2);
}

loom::lazy_static! {
    static ref ALL: SpinLock<Vec<EcRef>> = SpinLock::new(Vec::new());
}

#[repr(align(16))]
struct Ec {
    token: ParkToken,
    pins: AtomicU32,
}

/// A loom thread, leaked for the length of the model run.
#[derive(Clone, Copy)]
pub struct EcRef(&'static Ec);

/// No suspended coroutines: every loom thread is attached.
#[derive(Default)]
pub(crate) struct Suspended;

impl Suspended {
    /// Nothing to move.
    pub(crate) fn rebalance(&mut self) {}

    /// Nothing to make ready.
    pub(crate) fn make_ready(self) {}
}

impl EcRef {
    fn make() -> Self {
        let ec = Self(Box::leak(Box::new(Ec {
            token: ParkToken::new(),
            pins: AtomicU32::new(0),
        })));
        ALL.lock().push(ec);
        ec
    }

    pub(crate) fn pins(self) -> &'static AtomicU32 {
        &self.0.pins
    }

    /// Wakes the thread.
    pub fn unpark(self) {
        if self.0.token.give() {
            self.0.token.wake_in_kernel();
        }
    }

    /// Every loom thread is attached.
    pub(crate) fn waits_by_token(self) -> bool {
        true
    }

    pub(crate) fn wake_urgent_sleeper(self) {
        unreachable!("loom threads are attached")
    }

    pub(crate) fn wake_sleeper(self) {
        unreachable!("loom threads are attached")
    }

    pub(crate) fn slot(self) -> usize {
        SLOT.with(std::cell::Cell::get)
    }

    pub(crate) fn to_word(self) -> usize {
        std::ptr::from_ref(self.0).expose_provenance()
    }

    pub(crate) fn from_word(word: usize) -> Self {
        // SAFETY:
        // - words come from `to_word`, and the control block is leaked.
        Self(unsafe { &*std::ptr::with_exposed_provenance(word) })
    }

    /// Loom decides the order.
    pub(crate) fn resume_first(self) {}

    pub(crate) fn suspend_into(self, _slot: SpinGuard<'_, Slot>) {
        unreachable!("loom threads are attached")
    }
}

/// The calling thread.
pub fn current() -> EcRef {
    ME.with(|me| *me)
}

pub(crate) fn try_current() -> Option<EcRef> {
    Some(current())
}

pub(crate) fn is_any_pinned() -> bool {
    // Acquire pairs with the Release in `Pin::drop`.
    ALL.lock().iter().any(|ec| ec.0.pins.load(Ordering::Acquire) != 0)
}

/// Blocks until unparked.
pub fn park() {
    let me = current();
    if me.0.token.take() {
        return;
    }
    if me.0.token.settle() {
        me.0.token.wait_in_kernel();
    }
    me.0.token.clear();
}

/// Lets others run.
pub fn yield_now() {
    loom::thread::yield_now();
}

pub(super) fn sleep_on(_event: &Completion) -> bool {
    false
}

/// True, so that the shortest way to sleep is checked.
pub(crate) fn others_are_ready() -> bool {
    true
}

/// True, so that promises of those who would spin are checked.
pub(crate) fn may_spin() -> bool {
    true
}

pub(crate) fn spin_while_idle(_done: impl Fn() -> bool) -> bool {
    false
}

/// Makes the calling thread one of the worker with index `slot`.
pub fn set_worker(slot: usize) {
    SLOT.with(|mine| mine.set(slot));
}

/// Sets the number of workers for what the calling thread makes from now on; it is two at first.
pub fn set_worker_count(workers: usize) {
    SLOTS.with(|slots| slots.set(workers));
}

pub(crate) fn slot_count() -> usize {
    SLOTS.with(std::cell::Cell::get)
}
