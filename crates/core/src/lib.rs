//! Execution contexts (ECs) of the Simurgh runtime.
//!
//! An execution context is a coroutine with a stack, a thread pointer and a TLS block of its own, or an OS thread that
//! has been attached. This crate has what execution contexts are made of and what they wait with. Which context runs
//! where is the business of `simurgh-sched`. The crate depends on `simurgh-alloc` only.
//!
//! # Layers
//!
//! From bottom to top; each imports only from those before it in this list.
//!
//! * [`sync`]: atomics, the spin lock, biased locks and futexes: the only place the workspace takes atomics from, so
//!   that loom can take over.
//! * `any_arc`: a counted reference whose type is known only to those that put it somewhere.
//! * `host_table`: what is known of each host, while hosts come.
//! * `machine`: stacks, hollow pthreads, the thread pointer, the floating-point environment, signal masks.
//! * `network`: what the runtime asks of a [`Network`], counters of polls, [`Quiescence`].
//! * `queue`: intrusive queue, inbox, run queue, message ring.
//! * `execution`: [`EcRef`], [`park`], [`create`], [`Completion`], interrupts, the [`PollLeader`], and [`Worker`],
//!   which runs execution contexts.
//! * `revocable`: [`Revocable`]: a value that others read without a lock until it is revoked;
//!   [`RareExclusion`]: few long accesses exclude many short ones, which take no lock.
//! * `blocking`: [`WaitList`], [`Mutex`], [`Condvar`], [`Barrier`], [`CyclicBarrier`], [`SplitBarrier`],
//!   [`BroadcastRing`]; and [`LockWord`], [`SharedLock`], [`SharedBarrier`], [`SharedCounter`] and [`SharedTally`],
//!   which leave it to others to suspend those that wait.
//! * `owner`: the object, of a higher layer, for which an execution context works.
//! * `fork_join`: parts of a work side by side, each in an execution context of its own.
//!
//! # How a context blocks
//!
//! A context that blocks is on exactly one wait list and on no run queue. It is published there only after its stack
//! has been left: the only way to leave a stack is to hand the worker a `Suspend`, which the worker carries out on its
//! own stack (see `execution/suspend.rs`).

mod blocking;
mod execution;
mod network;
mod queue;
mod revocable;
pub mod sync;

#[cfg(not(loom))]
mod any_arc;
#[cfg(not(loom))]
mod fork_join;
#[cfg(not(loom))]
mod host_table;
#[cfg(not(loom))]
mod machine;
#[cfg(not(loom))]
mod owner;

pub use blocking::{
    ArrivalError, ArrivedPhase, Barrier, BarrierCell, BroadcastRing, CompletedPhase, Condvar, Contributions,
    CyclicBarrier, FlagBarrier, FlagPhaseGuard, Held, LockCell, LockKind, LockQueue, LockRequest, LockWord,
    Mutex, MutexGuard, PhaseGuard, PhaseValues, ReleasedParties, Round, RoundGuard, SharedBarrier,
    SharedCounter, SharedLock, SharedTally, SplitBarrier, Wait, WaitList, WorkShare,
};
pub use execution::{
    Completion, EcRef, Mailbox, ParkToken, ThreadCounts, WorkerMailbox, current, park, wait_all, wait_any,
    yield_now,
};
pub use network::Network;
pub use queue::{
    FirstMessage, Inbox, IntrusiveQueue, LINE_WORDS, LineData, MESSAGE_CELL, MessageRing, Node, Refusal,
    RunQueue, SharedBytes,
};
pub use revocable::{
    AccessSeat, EntryRef, ExclusionCell, ExclusionWorth, LongAccess, RareExclusion, Revocable,
    RevocableGuard, SeatHolder, SharedAccess, enable_exclusion,
};

#[cfg(loom)]
pub use execution::{set_worker, set_worker_count};

#[cfg(not(loom))]
pub use any_arc::{AnyArc, BorrowedArc};
#[cfg(not(loom))]
pub use execution::worker::{
    Evicted, IdleTask, PurposeRules, Worker, WorkerConfig, WorkerStats, has_helpers, move_to, parallel_for,
    post_idle_task,
};
#[cfg(not(loom))]
pub use execution::{
    EcHandle, EcSpec, NewEc, PassiveThread, PollLeader, ProcessHooks, Purpose, PurposeGuard,
    QUIESCENCE_DELAY, QUIESCENCE_DELAY_MAX, RuntimeGuard, StackBounds, Watched, all_threads_wait,
    attached_count, begin_expecting, create, current_worker, end_expecting, enter_runtime, expectations,
    external_wakers, interrupt, keep_warm, make_progress, may_be_interrupted, may_spin, migrate,
    passive_threads, set_attend, set_mailbox, set_native_handlers, set_purpose, spin_while_idle, try_current,
    while_blocked, while_expecting, while_suspended,
};
#[cfg(not(loom))]
pub use fork_join::fork_join;
#[cfg(not(loom))]
pub use host_table::HostTable;
#[cfg(not(loom))]
pub use machine::{
    HollowError, StackError, StackPlace, ThreadBlock, kernel_thread_sleeps, kernel_thread_time,
    kernel_threads, mark_written, this_kernel_thread, time_stamp, with_signals_blocked,
};
#[cfg(not(loom))]
pub use network::Quiescence;
#[cfg(not(loom))]
pub use owner::{set_owner, with_owner};
