//! Execution contexts and the reference to them.
//!
//! Control blocks come from a pool that is never freed, so a reference can be copied about and used late: waking an EC
//! that has ended is at worst a spurious wake-up of the one that uses its block now.

#[cfg(not(loom))]
mod external_wakers;
#[cfg(not(loom))]
mod footprint;
#[cfg(loom)]
mod mocked;
#[cfg(not(loom))]
mod real;
#[cfg(not(loom))]
mod yielding;

#[cfg(not(loom))]
pub use external_wakers::{
    PassiveThread, attached_count, begin_expecting, end_expecting, expectations, external_wakers,
    passive_threads, while_blocked, while_expecting,
};
#[cfg(not(loom))]
pub(crate) use external_wakers::{note_running, note_watching};
#[cfg(loom)]
pub use mocked::*;
#[cfg(not(loom))]
pub use real::*;
