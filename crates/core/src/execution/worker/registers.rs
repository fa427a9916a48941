//! The registers of a kernel thread that a worker swaps between two execution contexts, besides the stack pointer: the
//! thread pointer and the floating-point environment. Each is loaded only where it differs from what is there.
//!
//! To write the thread pointer waits for all that is under way on the core. Reading the floating-point environment is
//! slow, too. So it is read after that, while the core begins with the next context. Another worker may want to resume
//! the context that has left its stack before its environment has been read. That worker finds that the environment is
//! [`UNSAVED`](FloatEnvironment::UNSAVED), and waits for a moment. Workers do not wait for each other in a circle: each
//! reads what it owes first.

use std::cell::Cell;

use super::Worker;
use crate::execution::control_block::Ec;
use crate::machine::{FloatEnvironment, ThreadPointer};
use crate::sync::{AtomicI32, AtomicU64, Ordering, wait_for};

/// The thread pointer and the floating-point environment of a kernel thread: its own, and those that are loaded.
pub(super) struct Registers {
    thread_pointer: ThreadPointer,
    own: Cell<Values>,
    loaded: Cell<Values>,
    /// The execution context that has left its stack, and whose environment has not been read yet.
    unsaved: Cell<Option<&'static Ec>>,
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
            unsaved: Cell::new(None),
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
        // SAFETY:
        // - as demanded of the caller.
        unsafe { self.set_pointer(ec.thread_pointer()) };
        self.save();
        let now = self.loaded.get().environment;
        // The worker that has run it before may not have saved its environment yet.
        let wanted = ec.environment();
        if wanted != now {
            self.load_environment(ec, now);
        }
    }

    /// Loads the environment of an execution context, which differs from the present one.
    #[cold]
    fn load_environment(&self, ec: &Ec, now: FloatEnvironment) {
        let saved = || Some(ec.environment()).filter(|found| *found != FloatEnvironment::UNSAVED);
        let environment = wait_for(saved);
        environment.load(now);
        self.note(environment);
    }

    /// Takes note that an execution context has just left its stack. Its environment is saved by the next load.
    #[inline]
    pub(super) fn leave(&self, ec: &'static Ec) {
        ec.set_environment(FloatEnvironment::UNSAVED);
        self.unsaved.set(Some(ec));
    }

    /// Saves the environment of the context that has left its stack last, if that has not been done.
    #[inline]
    fn save(&self) {
        if let Some(ec) = self.unsaved.take() {
            let environment = FloatEnvironment::read();
            ec.set_environment(environment);
            self.note(environment);
        }
    }

    /// Loads the kernel thread's own registers.
    ///
    /// # Safety
    ///
    /// The calling kernel thread is the worker's, between two execution contexts; the caller keeps no reference to
    /// anything thread-local.
    #[inline]
    pub(super) unsafe fn load_own(&self) {
        let own = self.own.get();
        // SAFETY:
        // - its own pointer is that of a live thread, which the calling one is.
        unsafe { self.set_pointer(own.pointer) };
        self.save();
        own.environment.load(self.loaded.get().environment);
        self.note(own.environment);
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

    /// Loads this thread pointer.
    ///
    /// # Safety
    ///
    /// As for [`ThreadPointer::set`].
    #[inline]
    unsafe fn set_pointer(&self, pointer: u64) {
        let Values {
            pointer: before,
            environment,
        } = self.loaded.get();
        if pointer != before {
            self.loaded.set(Values { pointer, environment });
            // Relaxed: see `thread_if_loaded`.
            self.pointer.store(pointer, Ordering::Relaxed);
            // SAFETY:
            // - as demanded of the caller.
            unsafe { self.thread_pointer.set(pointer) };
        }
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
