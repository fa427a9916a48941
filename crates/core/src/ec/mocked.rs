//! Execution contexts for the model checker: loom's threads.

use crate::sync::{SpinGuard, SpinLock};
use crate::wait_list::Slot;

/// A loom thread, leaked for the length of the model run.
#[derive(Clone, Copy)]
pub struct EcRef(&'static loom::thread::Thread);

/// No frozen execution contexts: every loom thread is attached.
#[derive(Default)]
pub struct Frozen;

impl Frozen {
    /// Nothing to thaw.
    pub fn thaw(self) {}
}

impl EcRef {
    /// Wakes the thread.
    pub fn unpark(self) {
        self.0.unpark();
    }

    /// Every loom thread is attached.
    pub fn is_attached(self) -> bool {
        true
    }

    pub(crate) fn slot(self) -> usize {
        0
    }

    pub(crate) fn to_word(self) -> usize {
        std::ptr::from_ref(self.0).expose_provenance()
    }

    pub(crate) fn from_word(word: usize) -> Self {
        // SAFETY:
        // - words come from `to_word`, and the thread handle is leaked.
        Self(unsafe { &*std::ptr::with_exposed_provenance(word) })
    }

    pub(crate) fn freeze(self, _slot: &SpinLock<Slot>, _guard: SpinGuard<'_, Slot>) {
        unreachable!("loom threads are attached")
    }
}

/// The calling thread.
pub fn current() -> EcRef {
    EcRef(Box::leak(Box::new(loom::thread::current())))
}

/// Blocks until unparked.
pub fn park() {
    loom::thread::park();
}

/// Lets others run.
pub fn yield_now() {
    loom::thread::yield_now();
}

pub(crate) fn spin_while_idle(_done: impl Fn() -> bool) -> bool {
    false
}

pub(crate) fn slot_count() -> usize {
    1
}
