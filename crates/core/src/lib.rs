//! Execution contexts (ECs) of the Simurgh runtime.
//!
//! An EC is a coroutine with a stack, a thread pointer and a TLS block of its own, or an OS thread that has been
//! attached. This crate gives what ECs are made of and what they wait with; which EC runs where is `simurgh-sched`'s
//! business. It depends on `simurgh-alloc` only.
//!
//! * [`current`], [`park`], [`EcRef::unpark`], [`yield_now`], [`create`]: the primitives.
//! * [`Completion`], [`WaitList`], [`Mutex`], [`Condvar`], [`Barrier`], [`Rendezvous`]: what suspends an EC, never its
//!   kernel thread.
//! * [`Gathering`], [`post`]: what is left without waiting, and the work on it that belongs to nobody.
//! * [`Worker`]: the half of a virtual processor that switches between ECs; [`Ready`]: what it has to run.
//! * [`enter_runtime`], [`interrupt`()]: how signals reach an execution context.
//! * [`Network`]: what whoever has nothing better to do looks after.
//! * [`Roster`]: what is known of each host, while hosts come.
//! * [`sync`]: the only place the workspace takes atomics from, so that loom can take over.
//!
//! An EC that blocks is on exactly one wait list and on no run queue. It is published there only after its stack has
//! been left: the only way to leave a stack is to hand the worker a `Suspend`, which the worker carries out on its own
//! stack (see `suspend.rs`).

mod barrier;
mod chain;
mod completion;
mod condvar;
mod crowd;
mod ec;
mod gathering;
mod inbox;
mod mutex;
mod network;
mod ready;
mod rendezvous;
pub mod sync;
mod token;
#[cfg(not(loom))]
mod typed;
mod wait_list;

#[cfg(not(loom))]
mod abreast;
#[cfg(not(loom))]
mod care;
#[cfg(not(loom))]
mod deaf;
#[cfg(not(loom))]
mod errand;
#[cfg(not(loom))]
mod float_environment;
#[cfg(not(loom))]
mod here;
#[cfg(not(loom))]
mod hollow;
#[cfg(not(loom))]
mod interrupt;
#[cfg(not(loom))]
mod owner;
#[cfg(not(loom))]
mod population;
#[cfg(not(loom))]
mod quiet;
#[cfg(not(loom))]
mod roster;
#[cfg(not(loom))]
mod share;
#[cfg(not(loom))]
mod spawn;
#[cfg(not(loom))]
mod stack;
mod stage;
#[cfg(not(loom))]
mod suspend;
#[cfg(not(loom))]
mod thread_pointer;
#[cfg(not(loom))]
mod vigil;
#[cfg(not(loom))]
mod worker;

pub use barrier::Barrier;
pub use chain::{Chain, Node};
pub use completion::{Completion, wait_all, wait_any};
pub use condvar::Condvar;
pub use ec::{EcRef, current, park, yield_now};
pub use gathering::{Claim, Dismissal, Gathered, Gathering, Gifts};
pub use inbox::Inbox;
pub use mutex::{Mutex, MutexGuard};
pub use network::Network;
pub use ready::Ready;
pub use rendezvous::{Absence, Brought, Circle, Presence, Rendezvous, Visit, Wait};
pub use stage::{Seen, Stage, Turn};
pub use token::Token;
pub use wait_list::WaitList;

#[cfg(not(loom))]
pub use abreast::abreast;
#[cfg(not(loom))]
pub use deaf::without_signals;
#[cfg(not(loom))]
pub use ec::{
    Attribute, Bystander, StackBounds, attached_count, bystanders, current_worker, expect, expect_no_more,
    expected, keep_warm, migrate, outsiders, try_current, while_blocked, while_expecting,
};
#[cfg(loom)]
pub use ec::{employ, wander};
#[cfg(not(loom))]
pub use errand::{Errand, post};
#[cfg(not(loom))]
pub use hollow::HollowError;
#[cfg(not(loom))]
pub use interrupt::{Inside, enter_runtime, interrupt, may_be_interrupted, set_attend, set_native_handlers};
#[cfg(not(loom))]
pub use owner::{set_owner, with_owner};
#[cfg(not(loom))]
pub use quiet::Quiet;
#[cfg(not(loom))]
pub use roster::Roster;
#[cfg(not(loom))]
pub use share::share;
#[cfg(not(loom))]
pub use spawn::{EcHandle, EcSpec, NewEc, create};
#[cfg(not(loom))]
pub use stack::StackError;
#[cfg(not(loom))]
pub use typed::Typed;
#[cfg(not(loom))]
pub use vigil::{CALM, CALM_MAX, Others, Vigil};
#[cfg(not(loom))]
pub use worker::{Entry, Evicted, Worker, WorkerStats};
