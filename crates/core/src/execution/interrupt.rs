//! Interrupts: signals that are for one execution context reach it wherever it is.
//!
//! A sender sets the *attention* of the execution context and calls [`interrupt`]. What happens then depends on where
//! the context is:
//!
//! * It waits in the runtime: it is woken, and attends before it checks again what it waits for.
//! * A kernel thread runs its program: the sender sends that thread a signal, whose handler attends at once.
//! * A kernel thread runs it within the runtime, which may hold locks: it attends when it leaves the runtime.
//!
//! # Cost
//!
//! A call into the runtime stores a word of the control block twice and loads another one. A wait can be interrupted
//! only after the context has begun to [listen](EcRef::listen): then it takes the park token, which costs three locked
//! instructions more. All others pay one load.

use std::sync::OnceLock;

use super::{EcRef, current, try_current};
use crate::sync::asymmetric_fence::{enable_heavy_fence, heavy_fence, light_fence};
use crate::sync::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

/// The part of a control block that concerns interrupts.
#[derive(Default)]
pub(crate) struct Interrupts {
    attention: AtomicU32,
    /// Whether its waits can be interrupted.
    listening: AtomicBool,
    /// The address of the frame in which its program has called the runtime; 0 while the program itself runs. Signal
    /// handlers of the thread that runs it read it, too.
    inside: AtomicUsize,
}

impl Interrupts {
    /// Prepares a control block for its next execution context.
    pub(crate) fn reset(&self) {
        // Relaxed: nobody else knows of the context yet.
        self.attention.store(0, Ordering::Relaxed);
        self.listening.store(false, Ordering::Relaxed);
        self.inside.store(0, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn is_listening(&self) -> bool {
        // Relaxed: listening takes effect from some wait on.
        self.listening.load(Ordering::Relaxed)
    }
}

/// The function that an execution context with attention calls.
static ATTEND: OnceLock<fn()> = OnceLock::new();

/// Sets the function that an execution context with attention calls, on its own stack; only the first call has an
/// effect. The function has to take the attention back.
pub fn set_attend(attend: fn()) {
    let _ = ATTEND.set(attend);
}

/// Keeps the calling execution context within the runtime, where it is not interrupted, until this is dropped.
#[must_use = "the runtime is left when it is dropped"]
pub struct RuntimeGuard {
    ec: Option<EcRef>,
    outer: usize,
}

/// Has the calling execution context enter the runtime.
#[inline(always)]
pub fn enter_runtime() -> RuntimeGuard {
    let Some(ec) = try_current() else {
        return RuntimeGuard { ec: None, outer: 0 };
    };
    // The frames of all that is called from here on lie below this one. Not the address of the guard, which can then
    // stay in registers.
    let here = 0_u8;
    let frame = std::ptr::from_ref(&here).addr();
    let place = &ec.control().interrupts().inside;
    let outer = place.load(Ordering::Relaxed);
    place.store(frame, Ordering::Relaxed);
    light_fence();
    RuntimeGuard { ec: Some(ec), outer }
}

impl RuntimeGuard {
    /// The calling execution context.
    #[inline]
    pub(crate) fn execution_context(&self) -> Option<EcRef> {
        self.ec
    }
}

impl Drop for RuntimeGuard {
    #[inline]
    fn drop(&mut self) {
        let Some(ec) = self.ec else { return };
        light_fence();
        ec.control()
            .interrupts()
            .inside
            .store(self.outer, Ordering::Relaxed);
        // A signal handler that runs from here on attends itself; one that ran before has left that to this function.
        light_fence();
        if self.outer == 0 && ec.has_attention() {
            attend();
        }
    }
}

/// Tells whether handlers may interrupt attached threads, in a process whose signals are its own.
static NATIVE: OnceLock<fn() -> bool> = OnceLock::new();

/// Sets the function that tells whether handlers of the process may interrupt its threads; only the first call has an
/// effect.
pub fn set_native_handlers(there_are: fn() -> bool) {
    let _ = NATIVE.set(there_are);
}

/// Whether the program has handlers that may run while the calling execution context waits, and that may do what it
/// waits for.
#[must_use]
pub fn may_be_interrupted() -> bool {
    current().control().interrupts().is_listening() || NATIVE.get().is_some_and(|there_are| there_are())
}

#[cold]
fn attend() {
    if let Some(attend) = ATTEND.get() {
        attend();
    }
}

/// Attends in the middle of a wait. The function that is called may itself be interrupted.
#[cold]
pub(crate) fn attend_while_waiting(ec: EcRef) {
    let place = &ec.control().interrupts().inside;
    let inside = place.swap(0, Ordering::Relaxed);
    attend();
    place.store(inside, Ordering::Relaxed);
}

/// Has an execution context attend. The caller has set its attention before.
///
/// Wakes the context if it waits. If a worker's kernel thread runs it, returns the id of that thread, to which the
/// caller has to send a signal. Returns none for an attached thread, which the caller reaches as a thread of its own.
pub fn interrupt(ec: EcRef) -> Option<i32> {
    // A worker that begins to run it after this sees the attention when the context leaves the runtime.
    heavy_fence();
    ec.unpark();
    ec.kernel_thread()
}

impl EcRef {
    /// Its attention: a word that is not zero while there is something for it to attend to.
    #[must_use]
    pub fn attention(self) -> &'static AtomicU32 {
        &self.control().interrupts().attention
    }

    #[inline]
    pub(crate) fn has_attention(self) -> bool {
        // Relaxed: what it is about is behind a lock, and `interrupt` reaches a context that reads the old value.
        self.attention().load(Ordering::Relaxed) != 0
    }

    /// Makes its waits interruptible, from the next one on.
    pub fn listen(self) {
        let _ = enable_heavy_fence();
        // Relaxed: as above.
        self.control()
            .interrupts()
            .listening
            .store(true, Ordering::Relaxed);
    }

    /// Whether a signal that interrupted the calling execution context, which is `self`, at this value of the stack
    /// pointer has interrupted its program and not the runtime.
    #[must_use]
    pub fn is_in_program(self, stack_pointer: usize) -> bool {
        let inside = self.control().interrupts().inside.load(Ordering::Relaxed);
        // A frame that was left by a jump lies below those that run now.
        let is_outside = inside == 0 || stack_pointer > inside;
        let own_stack = self.stack_bounds();
        is_outside && own_stack.is_none_or(|stack| (stack.low..stack.high).contains(&stack_pointer))
    }

    /// A word that names it.
    #[must_use]
    pub fn into_word(self) -> usize {
        self.to_word()
    }

    /// The execution context that a word names.
    ///
    /// # Safety
    ///
    /// The word comes from [`EcRef::into_word`].
    #[must_use]
    pub unsafe fn of_word(word: usize) -> Self {
        Self::from_word(word)
    }
}
