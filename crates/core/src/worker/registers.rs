//! What a worker swaps of its kernel thread between two execution contexts, beside the stack: the thread pointer and
//! the floating-point environment. Each is loaded only where it differs from what is there.

use std::cell::Cell;

use super::Worker;
use crate::ec::Ec;
use crate::float_environment::FloatEnvironment;
use crate::sync::{AtomicI32, AtomicU64, Ordering};
use crate::thread_pointer::ThreadPointer;

/// The thread pointer and the floating-point environment of a kernel thread: its own, and those that are loaded.
pub(super) struct Registers {
    thread_pointer: ThreadPointer,
    own: Cell<Values>,
    loaded: Cell<Values>,
    /// The thread pointer that is loaded, and the kernel thread: for others, who want to know what runs there.
    pointer: AtomicU64,
    thread: AtomicI32,
}

#[derive(Clone, Copy)]
struct Values {
    pointer: u64,
    environment: FloatEnvironment,
}

impl Registers {
    /// Those of a worker that no kernel thread has entered yet.
    pub(super) fn new() -> Self {
        let none = Values {
            pointer: 0,
            environment: FloatEnvironment::read(),
        };
        Self {
            thread_pointer: ThreadPointer::detect(),
            own: Cell::new(none),
            loaded: Cell::new(none),
            pointer: AtomicU64::new(0),
            thread: AtomicI32::new(0),
        }
    }

    /// Takes what the calling kernel thread has for its own.
    pub(super) fn enter(&self) {
        let found = Values {
            pointer: ThreadPointer::get(),
            environment: FloatEnvironment::read(),
        };
        self.own.set(found);
        self.loaded.set(found);
        // Relaxed: see `thread_if_loaded`.
        self.pointer.store(found.pointer, Ordering::Relaxed);
        let thread = rustix::thread::gettid().as_raw_nonzero().get();
        self.thread.store(thread, Ordering::Relaxed);
    }

    /// The kernel thread, if the execution context with this thread pointer runs on it at the moment. It may have
    /// stopped to, or may be about to begin: who has put a barrier into all threads before knows that it sees then what
    /// was written earlier. For anybody.
    pub(super) fn thread_if_loaded(&self, pointer: u64) -> Option<i32> {
        let is_loaded = self.pointer.load(Ordering::Relaxed) == pointer;
        is_loaded.then(|| self.thread.load(Ordering::Relaxed))
    }

    /// Loads those of an execution context.
    ///
    /// # Safety
    ///
    /// The calling kernel thread is the worker's, which alone runs the execution context from here on; the caller keeps
    /// no reference to anything thread-local.
    #[inline]
    pub(super) unsafe fn load(&self, ec: &Ec) {
        let values = Values {
            pointer: ec.thread_pointer(),
            environment: ec.environment(),
        };
        // SAFETY:
        // - as demanded of the caller.
        unsafe { self.set(values) };
    }

    /// Keeps what an execution context has made of the environment, whose stack has just been left.
    #[inline]
    pub(super) fn keep(&self, ec: &Ec) {
        let environment = FloatEnvironment::read();
        ec.set_environment(environment);
        self.note(environment);
    }

    /// Loads the kernel thread's own.
    ///
    /// # Safety
    ///
    /// The calling kernel thread is the worker's, between two execution contexts; the caller keeps no reference to
    /// anything thread-local.
    #[inline]
    pub(super) unsafe fn load_own(&self) {
        // SAFETY:
        // - its own pointer is that of a live thread, which the calling one is.
        unsafe { self.set(self.own.get()) };
    }

    /// Looks again what the environment is, after work of the worker's own, which may have raised flags.
    pub(super) fn look_again(&self) {
        self.note(FloatEnvironment::read());
    }

    #[inline]
    fn note(&self, environment: FloatEnvironment) {
        let pointer = self.loaded.get().pointer;
        self.loaded.set(Values { pointer, environment });
    }

    /// Loads these values.
    ///
    /// # Safety
    ///
    /// As for [`ThreadPointer::set`].
    #[inline]
    unsafe fn set(&self, values: Values) {
        let before = self.loaded.replace(values);
        if values.pointer != before.pointer {
            // Relaxed: see `thread_if_loaded`.
            self.pointer.store(values.pointer, Ordering::Relaxed);
            // SAFETY:
            // - as demanded of the caller.
            unsafe { self.thread_pointer.set(values.pointer) };
        }
        values.environment.load(before.environment);
    }
}

impl Worker {
    /// The worker's kernel thread, if the execution context with this thread pointer runs on it.
    pub(crate) fn thread_if_loaded(&self, pointer: u64) -> Option<i32> {
        self.own.registers.thread_if_loaded(pointer)
    }
}
