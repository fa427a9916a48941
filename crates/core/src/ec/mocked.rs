//! Execution contexts for the model checker: loom's threads, all of them attached, with the real token.

use crate::completion::Completion;
use crate::park_token::ParkToken;
use crate::sync::SpinGuard;
use crate::wait_list::Slot;

loom::thread_local! {
    static ME: EcRef = EcRef(Box::leak(Box::new(Ec { token: ParkToken::new() })));
    static SLOT: std::cell::Cell<usize> = std::cell::Cell::new(0);
    static SLOTS: std::cell::Cell<usize> = std::cell::Cell::new(2);
}

#[repr(align(8))]
struct Ec {
    token: ParkToken,
}

/// A loom thread, leaked for the length of the model run.
#[derive(Clone, Copy)]
pub struct EcRef(&'static Ec);

/// No frozen execution contexts: every loom thread is attached.
#[derive(Default)]
pub struct Frozen;

impl Frozen {
    /// Nothing to move.
    pub(crate) fn even_out(&mut self) {}

    /// Nothing to thaw.
    pub fn thaw(self) {}
}

impl EcRef {
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

    /// Loom decides who goes first.
    pub(crate) fn go_first(self) {}

    pub(crate) fn freeze(self, _slot: SpinGuard<'_, Slot>) {
        unreachable!("loom threads are attached")
    }
}

/// The calling thread.
pub fn current() -> EcRef {
    ME.with(|me| *me)
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

pub(crate) fn sleep_on(_event: &Completion) -> bool {
    false
}

/// So that the shortest way to sleep is checked.
pub(crate) fn others_are_ready() -> bool {
    true
}

pub(crate) fn spin_while_idle(_done: impl Fn() -> bool) -> bool {
    false
}

/// Makes the calling thread one of worker `slot`.
pub fn wander(slot: usize) {
    SLOT.with(|mine| mine.set(slot));
}

/// Makes it so many workers for what the calling thread makes from now on; two if nothing is said.
pub fn employ(workers: usize) {
    SLOTS.with(|slots| slots.set(workers));
}

pub(crate) fn slot_count() -> usize {
    SLOTS.with(std::cell::Cell::get)
}
