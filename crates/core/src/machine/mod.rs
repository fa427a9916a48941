//! The parts of an execution context that belong to the machine: a stack, a thread control block and its thread
//! pointer, and a floating-point environment.

mod coroutine;
mod float_environment;
mod hollow_thread;
mod kernel_threads;
mod memcheck;
mod signal_mask;
mod stack;
mod thread_pointer;
mod time_stamp;

pub(crate) use coroutine::Stacks;
pub(crate) use float_environment::{FloatEnvironment, FloatEnvironmentCell};
pub use hollow_thread::{HollowError, ThreadBlock};
pub use kernel_threads::{kernel_thread_sleeps, kernel_thread_time, kernel_threads, this_kernel_thread};
pub use memcheck::mark_written;
pub use signal_mask::with_signals_blocked;
pub(crate) use stack::EcStack;
pub use stack::{StackError, StackPlace};
pub(crate) use thread_pointer::ThreadPointer;
pub use time_stamp::time_stamp;
