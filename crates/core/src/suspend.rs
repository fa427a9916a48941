//! How an execution context leaves its stack.
//!
//! Others may resume an EC as soon as they can find it, so it must become findable only when nothing runs on its stack
//! any more. Hence an EC never publishes itself: it passes a `Suspend` through the switch, and the worker carries it
//! out from its own stack, as its last act with that EC.

use corosensei::Yielder;

use crate::completion::Completion;
use crate::sync::SpinLock;
use crate::wait_list::Slot;
use crate::worker::Worker;

/// What the worker is to do with an execution context that has just been left.
pub(crate) enum Suspend {
    /// Put it behind the others of this worker.
    Yield,
    /// Let it sleep until its token is given.
    Park,
    /// Let it sleep until this event has happened.
    Await(*const Completion),
    /// Link it into this slot, which it has locked, and unlock the slot.
    Freeze(*const SpinLock<Slot>),
    /// Send it to another worker.
    Move(*const Worker),
}

/// The way out of a coroutine.
pub(crate) type EcYielder = Yielder<(), Suspend>;
