//! Which execution context runs where.
//!
//! * [`Topology`]: the cores this process may use and the tree of scheduling domains above them.
//! * `vp`: virtual processors: one pinned kernel thread each, its idling and its statistics; one that is idle
//!   looks after the [`Network`].
//! * `guard`: no execution context that keeps its virtual processor keeps the others from running.
//! * [`Placement`]: which cores each rank of a node has, if the user wants a say in it.
//! * [`Affinity`]: on which processors a thread may run.
//! * [`policy`]: pluggable strategies: where ECs start, whom an idle VP asks for work.
//! * [`Runtime`]: all of it together.
//!
//! Depends on `simurgh-core` and `simurgh-settings`. No `unsafe`.
#![deny(unsafe_code)]

mod affinity;
mod deadlock;
mod domain;
mod error;
mod guard;
mod placement;
pub mod policy;
mod poller;
mod runtime;
mod stats;
mod substitute;
mod topology;
mod vp;
mod vp_set;
mod worker_status;

pub use affinity::Affinity;
pub use domain::{Domain, DomainKind};
pub use error::SchedError;
pub use guard::SUBSTITUTES_MAX;
pub use placement::{Placement, Seat};
pub use runtime::{Builder, Runtime, VPS_MAX};
pub use stats::VpStats;
pub use topology::{Core, Topology};

pub use simurgh_core::{Attribute, EcHandle, EcSpec, Network};
