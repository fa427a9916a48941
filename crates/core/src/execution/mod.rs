//! Execution contexts, the workers that run them, and what suspends and wakes a single one.
//!
//! These parts know each other: a control block names its worker, a worker's queues are made of control blocks, and a
//! completion, which wakes an execution context, is also what one suspends on. Everything above this folder only uses
//! [`EcRef`] and the functions `park`, `unpark`, `yield_now` and `current`.
//!
//! Control blocks come from a pool that is never freed. So a reference can be copied freely and used late: waking an
//! execution context that has ended is at worst a spurious wake-up of the one that uses its block now.
//!
//! The model checker (`--cfg loom`) has threads of its own and no coroutines. `mocked.rs` stands in for the control
//! blocks and the waiting functions there; the park token, completions, slots and the counts of threads are the real
//! ones.

mod completion;
#[cfg(not(loom))]
mod control_block;
#[cfg(not(loom))]
mod core_sharing;
#[cfg(not(loom))]
mod current_ec;
#[cfg(not(loom))]
mod external_wakers;
#[cfg(not(loom))]
mod footprint;
#[cfg(not(loom))]
mod interrupt;
mod mailbox;
#[cfg(loom)]
mod mocked;
mod park_token;
#[cfg(not(loom))]
mod poll_leader;
#[cfg(not(loom))]
mod purpose;
#[cfg(not(loom))]
mod reference;
mod slot;
#[cfg(not(loom))]
mod spawn;
#[cfg(not(loom))]
mod suspend;
#[cfg(not(loom))]
mod suspended;
mod thread_counts;
#[cfg(not(loom))]
mod wait;
#[cfg(not(loom))]
mod watched;
#[cfg(not(loom))]
pub(crate) mod worker;
#[cfg(not(loom))]
mod yielding;

pub use completion::{Completion, wait_all, wait_any};
#[cfg(not(loom))]
pub use mailbox::set_mailbox;
pub use mailbox::{Mailbox, WorkerMailbox};
pub use park_token::ParkToken;
pub(crate) use slot::{MIXED_TOPICS, Slot};
pub use thread_counts::ThreadCounts;

#[cfg(loom)]
pub use mocked::{EcRef, current, park, set_worker, set_worker_count, yield_now};
#[cfg(loom)]
pub(crate) use mocked::{
    Suspended, is_any_pinned, may_spin, others_are_ready, slot_count, spin_while_idle, try_current,
};

#[cfg(not(loom))]
pub(crate) use control_block::is_any_pinned;
#[cfg(not(loom))]
pub use external_wakers::{
    PassiveThread, all_threads_wait, attached_count, begin_expecting, end_expecting, expectations,
    external_wakers, passive_threads, while_blocked, while_expecting,
};
#[cfg(not(loom))]
pub use interrupt::{
    RuntimeGuard, enter_runtime, interrupt, may_be_interrupted, set_attend, set_native_handlers,
};
#[cfg(not(loom))]
pub use poll_leader::{PollLeader, ProcessHooks, QUIESCENCE_DELAY, QUIESCENCE_DELAY_MAX};
#[cfg(not(loom))]
pub use purpose::{Purpose, PurposeGuard, set_purpose};
#[cfg(not(loom))]
pub use reference::{EcRef, StackBounds};
#[cfg(not(loom))]
pub use spawn::{EcHandle, EcSpec, NewEc, create};
#[cfg(not(loom))]
pub(crate) use suspended::Suspended;
#[cfg(not(loom))]
pub use wait::{
    current, current_worker, keep_warm, make_progress, may_spin, migrate, park, spin_while_idle, try_current,
    while_suspended, yield_now,
};
#[cfg(not(loom))]
pub(crate) use wait::{others_are_ready, slot_count};
#[cfg(not(loom))]
pub use watched::Watched;
