//! Execution contexts and the reference to them.
//!
//! Control blocks come from a pool that is never freed, so a reference can be copied about and used late: waking an EC
//! that has ended is at worst a spurious wake-up of the one that uses its block now.

#[cfg(not(loom))]
mod footprint;
#[cfg(not(loom))]
mod giving_way;
#[cfg(loom)]
mod mocked;
#[cfg(not(loom))]
mod outsiders;
#[cfg(not(loom))]
mod real;

#[cfg(loom)]
pub use mocked::*;
#[cfg(not(loom))]
pub use outsiders::{
    Bystander, attached_count, bystanders, expect, expect_no_more, expected, outsiders, while_blocked,
    while_expecting,
};
#[cfg(not(loom))]
pub(crate) use outsiders::{note_running, note_watching};
#[cfg(not(loom))]
pub use real::*;
