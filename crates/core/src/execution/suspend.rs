//! How an execution context leaves its stack.
//!
//! Others may resume an execution context as soon as they can find it. So it must become findable only when nothing
//! runs on its stack any more, and therefore it never publishes itself: it passes a `Suspend` through the switch, and
//! the worker carries that out from its own stack, as its last act with that execution context.

use super::completion::Completion;
use super::slot::Slot;
use super::worker::Worker;
use crate::sync::SpinLock;

/// The request of an execution context that has just left its stack, which the worker carries out.
#[derive(Clone, Copy)]
pub(crate) enum Suspend {
    /// Put it behind the others of this worker.
    Yield,
    /// Let it sleep until its park token is given.
    Park,
    /// Let it sleep until this event has happened.
    Await(*const Completion),
    /// As `Await`, where everybody who completes the event is serialized with the worker while the process is biased.
    AwaitBiased(*const Completion),
    /// Link it into this slot, which it has locked, and unlock the slot.
    Link(*const SpinLock<Slot>),
    /// Send it to another worker.
    Move(*const Worker),
    /// Run this errand, which the worker then owns, and put the execution context behind the others of this worker.
    Run(*mut Errand),
    /// It has ended.
    End,
}

/// What a worker does for an execution context that has left its stack.
pub(crate) type Errand = Box<dyn FnOnce()>;
