//! Interrupting execution contexts: signals that are theirs alone reach them wherever they are.
//!
//! Who has something for an execution context sets its *attention* and calls [`interrupt`]. If it waits here, it is
//! woken, and attends between two looks at what it waits for. If a kernel thread runs it, the caller sends that thread
//! a signal, whose handler has the program attend at once if it was interrupted itself. If it was within the runtime,
//! which may hold locks, the execution context attends when it leaves that.
//!
//! # Cost
//!
//! A call into the runtime stores a word of the control block twice and looks at another one. A wait is woken for
//! interrupts only once somebody [listens](EcRef::listen): then it takes the park token, three locked instructions
//! more; all others pay one load.

use std::sync::OnceLock;

use crate::ec::{EcRef, current, try_current};
use crate::sync::asymmetric_fence::{enable_heavy_fence, heavy_fence, light_fence};
use crate::sync::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

/// What a control block has for this.
#[derive(Default)]
pub(crate) struct Interrupts {
    attention: AtomicU32,
    /// Whether it waits so that it can be interrupted.
    listening: AtomicBool,
    /// The frame in which its program has called the runtime; 0 while the program itself runs. Signal handlers of the
    /// thread that runs it look at it, too.
    inside: AtomicUsize,
}

impl Interrupts {
    /// For the next execution context of a control block.
    pub(crate) fn reset(&self) {
        // Relaxed: nobody else knows of it.
        self.attention.store(0, Ordering::Relaxed);
        self.listening.store(false, Ordering::Relaxed);
        self.inside.store(0, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn is_listening(&self) -> bool {
        // Relaxed: it counts from some wait on.
        self.listening.load(Ordering::Relaxed)
    }
}

/// What an execution context does that has attention.
static ATTEND: OnceLock<fn()> = OnceLock::new();

/// Says what execution contexts do that have attention; the first saying counts. They do it on their own stack, and it
/// is for them to take the attention back.
pub fn set_attend(attend: fn()) {
    let _ = ATTEND.set(attend);
}

/// The calling execution context is within the runtime until this is dropped, and is not to be interrupted there.
#[must_use = "the runtime is left when it is dropped"]
pub struct Inside {
    ec: Option<EcRef>,
    outer: usize,
}

/// The calling execution context enters the runtime.
#[inline]
pub fn enter_runtime() -> Inside {
    let ec = try_current();
    let mut inside = Inside { ec, outer: 0 };
    if let Some(ec) = ec {
        // What is called from here on lies below this frame.
        let frame = std::ptr::from_ref(&inside).addr();
        let place = &ec.control().interrupts().inside;
        inside.outer = place.load(Ordering::Relaxed);
        place.store(frame, Ordering::Relaxed);
        light_fence();
    }
    inside
}

impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {
        let Some(ec) = self.ec else { return };
        light_fence();
        ec.control()
            .interrupts()
            .inside
            .store(self.outer, Ordering::Relaxed);
        // A signal handler that runs from here on attends itself; one that ran before has left it to us.
        light_fence();
        if self.outer == 0 && ec.has_attention() {
            attend();
        }
    }
}

/// Whether handlers may interrupt a thread of the operating system: asked of a process whose signals are its own.
static NATIVE: OnceLock<fn() -> bool> = OnceLock::new();

/// Says how to find out whether handlers of the process may interrupt its threads; the first saying counts.
pub fn set_native_handlers(there_are: fn() -> bool) {
    let _ = NATIVE.set(there_are);
}

/// Whether the program has handlers that may run while the calling execution context waits, and do whatever it waits
/// for.
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

/// Attends in the middle of a wait: what is called may itself be interrupted.
#[cold]
pub(crate) fn attend_while_waiting(ec: EcRef) {
    let place = &ec.control().interrupts().inside;
    let inside = place.swap(0, Ordering::Relaxed);
    attend();
    place.store(inside, Ordering::Relaxed);
}

/// Has an execution context attend whose attention has been set: wakes it if it waits. If it runs, returns the kernel
/// thread that runs it, which the caller is to send a signal; none for an attached thread, too, whose kernel thread is
/// its own.
pub fn interrupt(ec: EcRef) -> Option<i32> {
    // Whoever begins to run it after this sees the attention when it leaves the runtime.
    heavy_fence();
    ec.unpark();
    ec.kernel_thread()
}

impl EcRef {
    /// Its attention: not zero while there is something for it to attend to.
    #[must_use]
    pub fn attention(self) -> &'static AtomicU32 {
        &self.control().interrupts().attention
    }

    #[inline]
    pub(crate) fn has_attention(self) -> bool {
        // Relaxed: what it is about is behind a lock; see `interrupt` for who comes too late.
        self.attention().load(Ordering::Relaxed) != 0
    }

    /// Its waits are such from the next one on that it can be interrupted in them.
    pub fn listen(self) {
        let _ = enable_heavy_fence();
        // Relaxed: as above.
        self.control()
            .interrupts()
            .listening
            .store(true, Ordering::Relaxed);
    }

    /// Whether code of its program was interrupted, and not the runtime, if that happened to the calling execution
    /// context, which this is, at this value of the stack pointer.
    #[must_use]
    pub fn is_in_program(self, stack_pointer: usize) -> bool {
        let inside = self.control().interrupts().inside.load(Ordering::Relaxed);
        // A frame that has been left by a jump lies below those that run now.
        let is_outside = inside == 0 || stack_pointer > inside;
        let own_stack = self.stack_bounds();
        is_outside && own_stack.is_none_or(|stack| (stack.low..stack.high).contains(&stack_pointer))
    }

    /// A word that names it.
    #[must_use]
    pub fn into_word(self) -> usize {
        self.to_word()
    }

    /// The execution context of this word, which [`EcRef::into_word`] has given.
    ///
    /// # Safety
    ///
    /// It has.
    #[must_use]
    pub unsafe fn of_word(word: usize) -> Self {
        Self::from_word(word)
    }
}
