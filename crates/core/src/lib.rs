//! Execution contexts (ECs) of the Simurgh runtime.
//!
//! An EC is a coroutine with a stack, a thread pointer and a TLS block of its own, or an OS thread that has been
//! attached. This crate gives what ECs are made of and what they wait with; which EC runs where is `simurgh-sched`'s
//! business. It depends on `simurgh-alloc` only.
//!
//! * [`current`], [`park`], [`EcRef::unpark`], [`yield_now`], [`create`]: the primitives.
//! * [`Completion`], [`WaitList`], [`Mutex`], [`Condvar`], [`Barrier`], [`CyclicBarrier`]: what suspends an EC, never its
//!   kernel thread.
//! * [`SplitBarrier`], [`post`]: what is left without waiting, and the work on it that belongs to nobody.
//! * [`Worker`]: the half of a virtual processor that switches between ECs; [`RunQueue`]: what it has to run.
//! * [`enter_runtime`], [`interrupt`()]: how signals reach an execution context.
//! * [`Network`]: what whoever has nothing better to do looks after.
//! * [`HostTable`]: what is known of each host, while hosts come.
//! * [`sync`]: the only place the workspace takes atomics from, so that loom can take over.
//!
//! An EC that blocks is on exactly one wait list and on no run queue. It is published there only after its stack has
//! been left: the only way to leave a stack is to hand the worker a `Suspend`, which the worker carries out on its own
//! stack (see `suspend.rs`).

#[cfg(not(loom))]
mod any_arc;
mod barrier;
mod completion;
mod condvar;
mod cyclic_barrier;
mod ec;
mod event_count;
mod inbox;
mod intrusive_queue;
mod mutex;
mod network;
mod park_token;
mod run_queue;
mod split_barrier;
pub mod sync;
mod wait_list;

#[cfg(not(loom))]
mod balance;
mod broadcast;
#[cfg(not(loom))]
mod current_ec;
#[cfg(not(loom))]
mod float_environment;
#[cfg(not(loom))]
mod fork_join;
#[cfg(not(loom))]
mod hollow;
#[cfg(not(loom))]
mod host_table;
#[cfg(not(loom))]
mod idle_task;
#[cfg(not(loom))]
mod interrupt;
#[cfg(not(loom))]
mod owner;
#[cfg(not(loom))]
mod parallel_for;
#[cfg(not(loom))]
mod poll_counters;
#[cfg(not(loom))]
mod poll_leader;
#[cfg(not(loom))]
mod quiescence;
#[cfg(not(loom))]
mod signal_mask;
#[cfg(not(loom))]
mod spawn;
#[cfg(not(loom))]
mod stack;
#[cfg(not(loom))]
mod suspend;
#[cfg(not(loom))]
mod thread_pointer;
#[cfg(not(loom))]
mod worker;

pub use barrier::Barrier;
pub use broadcast::{BroadcastRing, Round, RoundGuard};
pub use completion::{Completion, wait_all, wait_any};
pub use condvar::Condvar;
pub use cyclic_barrier::{
    ArrivalError, Contributions, CyclicBarrier, FlagBarrier, FlagPhaseGuard, PhaseGuard, Wait,
};
pub use ec::{EcRef, current, park, yield_now};
pub use inbox::Inbox;
pub use intrusive_queue::{IntrusiveQueue, Node};
pub use mutex::{Mutex, MutexGuard};
pub use network::Network;
pub use park_token::ParkToken;
pub use run_queue::RunQueue;
pub use split_barrier::{CompletedPhase, PhaseValues, ReleasedParties, SplitBarrier, WorkShare};
pub use wait_list::WaitList;

#[cfg(not(loom))]
pub use any_arc::AnyArc;
#[cfg(not(loom))]
pub use ec::{
    Attribute, PassiveThread, StackBounds, attached_count, begin_expecting, current_worker, end_expecting,
    expectations, external_wakers, keep_warm, migrate, passive_threads, try_current, while_blocked,
    while_expecting,
};
#[cfg(loom)]
pub use ec::{employ, wander};
#[cfg(not(loom))]
pub use fork_join::fork_join;
#[cfg(not(loom))]
pub use hollow::HollowError;
#[cfg(not(loom))]
pub use host_table::HostTable;
#[cfg(not(loom))]
pub use idle_task::{IdleTask, post_idle_task};
#[cfg(not(loom))]
pub use interrupt::{Inside, enter_runtime, interrupt, may_be_interrupted, set_attend, set_native_handlers};
#[cfg(not(loom))]
pub use owner::{set_owner, with_owner};
#[cfg(not(loom))]
pub use parallel_for::parallel_for;
#[cfg(not(loom))]
pub use poll_leader::{PollLeader, ProcessHooks, QUIESCENCE_DELAY, QUIESCENCE_DELAY_MAX};
#[cfg(not(loom))]
pub use quiescence::Quiescence;
#[cfg(not(loom))]
pub use signal_mask::with_signals_blocked;
#[cfg(not(loom))]
pub use spawn::{EcHandle, EcSpec, NewEc, create};
#[cfg(not(loom))]
pub use stack::StackError;
#[cfg(not(loom))]
pub use worker::{Evicted, Worker, WorkerConfig, WorkerStats};
