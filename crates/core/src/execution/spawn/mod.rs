//! Spawning execution contexts, and joining them.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::control_block::Ec;
use super::suspend::Suspend;
use super::watched::Watched;
use super::worker::Worker;
use super::{Completion, EcRef, Purpose, StackBounds, current_ec};
use crate::machine::{EcStack, FloatEnvironment, StackError, StackPlace, ThreadBlock};
use crate::sync::{Arc, SpinLock};

mod tls;

/// The kind of an execution context to be made.
#[derive(Clone, Copy, Debug)]
pub struct EcSpec {
    /// The purpose of the execution context.
    pub purpose: Purpose,
    /// Bytes of stack; only the pages that are touched cost memory.
    pub stack_size: usize,
    /// Whether its stack may hold code (programs with trampolines).
    pub executable_stack: bool,
    /// The addresses of its stack; chosen by the runtime if there are none.
    pub stack_place: Option<StackPlace>,
}

impl Default for EcSpec {
    /// A compute EC with 8 MiB of stack, like a process.
    fn default() -> Self {
        Self {
            purpose: Purpose::Compute,
            stack_size: 8 << 20,
            executable_stack: false,
            stack_place: None,
        }
    }
}

/// The payload of the panic with which an execution context has ended.
pub(crate) type Panic = Box<dyn Any + Send>;

/// The part of a coroutine that its control block need not have at hand.
pub(crate) struct Body {
    stack: EcStack,
    bounds: StackBounds,
    thread_block: Option<ThreadBlock>,
    end: Arc<End>,
}

/// Shared by an execution context and its handle.
#[derive(Default)]
struct End {
    done: Completion,
    result: SpinLock<Option<Result<(), Panic>>>,
}

impl Body {
    pub(crate) fn bounds(&self) -> StackBounds {
        self.bounds
    }

    pub(crate) fn thread_block(&self) -> Option<ThreadBlock> {
        self.thread_block.clone()
    }
}

/// An execution context that has not been given to a worker yet.
#[must_use = "an execution context runs only once it is started"]
pub struct NewEc {
    ec: &'static Ec,
    end: Arc<End>,
}

/// Waits for the end of an execution context.
pub struct EcHandle {
    ec: EcRef,
    watched: Watched,
    end: Arc<End>,
}

/// Makes an execution context that will run `f`.
///
/// # Errors
///
/// When there is no stack for it.
pub fn create(spec: EcSpec, f: impl FnOnce() + Send + 'static) -> Result<NewEc, StackError> {
    let stack = EcStack::obtain(spec.stack_size, spec.executable_stack, spec.stack_place)?;
    let (guard, low, high) = stack.bounds();
    let thread_pointer = stack.thread_pointer();
    let used = stack.is_used();
    let thread_block = stack.thread_block();
    let end = Arc::new(End::default());
    let ec = Ec::obtain(spec.purpose);
    let result = Arc::clone(&end);
    let body = Box::new(move || {
        if used {
            tls::reset();
        }
        current_ec::set(ec);
        let outcome = catch_unwind(AssertUnwindSafe(f));
        *result.result.lock() = Some(outcome);
        drop(result);
        tls::run_destructors();
        ec.request.set(Suspend::End);
    });
    // SAFETY:
    // - the stack is the coroutine's, and begins there; both stay until the coroutine has ended.
    unsafe { ec.stacks.begin(stack.top(), body) };
    ec.set_thread_pointer(thread_pointer);
    // It is inherited from the maker, as by a thread.
    ec.set_environment(FloatEnvironment::read());
    let body = Body {
        stack,
        bounds: StackBounds { guard, low, high },
        thread_block,
        end: Arc::clone(&end),
    };
    // SAFETY:
    // - the control block is new: nobody else uses its body.
    unsafe { *ec.body().get() = Some(body) };
    Ok(NewEc { ec, end })
}

impl NewEc {
    /// Hands the execution context to `worker`, on which it starts.
    pub fn start(self, worker: &'static Worker) -> EcHandle {
        let ec = EcRef::new(self.ec);
        let watched = Watched::new(ec);
        self.ec.set_worker(worker);
        worker.ec_count().add();
        worker.inbox().push(self.ec);
        EcHandle {
            ec,
            watched,
            end: self.end,
        }
    }
}

impl EcHandle {
    /// The execution context. Once it has ended, its control block serves another.
    #[must_use]
    pub fn ec(&self) -> EcRef {
        self.ec
    }

    /// The same, for somebody who measures what runs where.
    #[must_use]
    pub fn watched(&self) -> Watched {
        self.watched
    }

    /// Whether it has ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.end.done.is_done()
    }

    /// Suspends the caller until the execution context has ended.
    ///
    /// # Errors
    ///
    /// The payload of its panic, if it panicked.
    pub fn join(self) -> Result<(), Box<dyn Any + Send>> {
        self.end.done.wait();
        self.end.result.lock().take().unwrap_or(Ok(()))
    }
}

/// Frees the stack and the control block of an execution context whose coroutine has returned, and completes its
/// handle. The caller runs on a thread pointer of its own.
pub(super) fn reclaim(ec: &'static Ec) {
    // SAFETY:
    // - the coroutine has returned, so only its last worker, the caller, uses the body.
    let Some(body) = (unsafe { &mut *ec.body().get() }).take() else {
        return;
    };
    ec.stacks.end();
    body.stack.recycle();
    ec.recycle();
    body.end.done.complete();
}
