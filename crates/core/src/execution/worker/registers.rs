//! The registers of a kernel thread that a worker swaps between two execution contexts, besides the stack pointer: the
//! thread pointer and the floating-point environment. Each is loaded only where it differs from what is there.

use std::cell::Cell;

use super::Worker;
use crate::execution::control_block::Ec;
use crate::machine::{FloatEnvironment, ThreadPointer};
use crate::sync::{AtomicI32, AtomicU64, Ordering};

/// The thread pointer and the floating-point environment of a kernel thread: its own, and those that are loaded.
pub(super) struct Registers {
    thread_pointer: ThreadPointer,
    own: Cell<Values>,
    loaded: Cell<Values>,
    /// The thread pointer that is loaded, and the id of the kernel thread, for others that want to know what runs
    /// there.
    pointer: AtomicU64,
    thread: AtomicI32,
}

#[derive(Clone, Copy)]
struct Values {
    pointer: u64,
    environment: FloatEnvironment,
}

impl Registers {
    /// The registers of a worker that no kernel thread has entered yet.
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

    /// Takes the present registers of the calling kernel thread as its own.
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

    /// The id of the kernel thread, if the execution context with this thread pointer runs on it at the moment. Anybody
    /// may call this.
    ///
    /// The context may just have stopped to run, or be about to begin. A caller that has issued a heavy fence before
    /// knows that a context that begins later sees what the caller wrote before the fence.
    pub(super) fn thread_if_loaded(&self, pointer: u64) -> Option<i32> {
        let is_loaded = self.pointer.load(Ordering::Relaxed) == pointer;
        is_loaded.then(|| self.thread.load(Ordering::Relaxed))
    }

    /// Loads the registers of an execution context.
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

    /// Saves the environment of an execution context that has just left its stack.
    #[inline]
    pub(super) fn save(&self, ec: &Ec) {
        let environment = FloatEnvironment::read();
        ec.set_environment(environment);
        self.note(environment);
    }

    /// Loads the kernel thread's own registers.
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

    /// Reads the environment anew, after work of the worker's own, which may have raised flags.
    pub(super) fn reread(&self) {
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
    /// The [mark](crate::Watched::mark) of the execution context that the worker runs at the moment; another number
    /// while it runs none. Anybody may call this.
    #[must_use]
    pub fn running_mark(&self) -> u64 {
        // Relaxed: a moment ago is as good.
        self.own.registers.pointer.load(Ordering::Relaxed)
    }

    /// The worker's kernel thread, if the execution context with this thread pointer runs on it.
    pub(crate) fn thread_if_loaded(&self, pointer: u64) -> Option<i32> {
        self.own.registers.thread_if_loaded(pointer)
    }
}
