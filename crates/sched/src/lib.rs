//! The scheduler: which execution context runs where.
//!
//! # Layers
//!
//! From bottom to top; each imports only from those before it in this list.
//!
//! * `error`: [`SchedError`].
//! * `domain`: [`Domain`]: a node of the tree of scheduling domains, groups of cores that share hardware.
//! * `topology`: [`Topology`]: the cores that this process may use, and the domains above them.
//! * `crossings`: [`crossings()`]: traffic between parts of the hardware.
//! * `affinity`: [`Affinity`]: the processors on which a thread may run.
//! * [`policy`]: where contexts start, which others an idle virtual processor asks for work, what drives the network.
//! * `placement`: [`Placement`]: process mapping, ranking and binding, as the user wants it.
//! * `stats`: [`VpStats`]: counters of a virtual processor.
//! * `domain_stats`: [`DomainStats`]: the same, of all that share a piece of hardware.
//! * `worker_status`: the status of a thread that runs contexts, for others.
//! * `idle_core`: the cores of idle virtual processors, for threads that are not of the runtime.
//! * `deadlock`: knowing that nobody is left who could wake anybody.
//! * `vp_set`: the virtual processors of a process: how many, on which cores, and which of them may spin.
//! * `poller`: which idle virtual processor polls the [`Network`].
//! * `vp`: virtual processors, each a pinned kernel thread with its idling; the starvation guard, and the substitutes
//!   of virtual processors that one context keeps.
//! * `balance`: moving execution contexts, by their measured load.
//! * `runtime`: [`Runtime`]: all of it together.
//!
//! Depends on `simurgh-core` and `simurgh-settings`. No `unsafe`.
#![deny(unsafe_code)]

// Knowing that all sleep is checked with loom; the other modules are not built for that.
#[cfg(not(loom))]
mod affinity;
#[cfg(not(loom))]
mod balance;
#[cfg(not(loom))]
mod crossings;
mod deadlock;
#[cfg(not(loom))]
mod domain;
#[cfg(not(loom))]
mod domain_stats;
#[cfg(not(loom))]
mod error;
#[cfg(not(loom))]
mod idle_core;
#[cfg(not(loom))]
mod placement;
#[cfg(not(loom))]
pub mod policy;
#[cfg(not(loom))]
mod poller;
#[cfg(not(loom))]
mod runtime;
#[cfg(not(loom))]
mod stats;
#[cfg(not(loom))]
mod topology;
#[cfg(not(loom))]
mod vp;
#[cfg(not(loom))]
mod vp_set;
#[cfg(not(loom))]
mod worker_status;

#[cfg(not(loom))]
pub use affinity::Affinity;
#[cfg(not(loom))]
pub use crossings::crossings;
#[cfg(not(loom))]
pub use domain::{Domain, DomainKind};
#[cfg(not(loom))]
pub use domain_stats::DomainStats;
#[cfg(not(loom))]
pub use error::SchedError;
#[cfg(not(loom))]
pub use placement::{Placement, RankPlace};
#[cfg(not(loom))]
pub use runtime::{Builder, Runtime, VPS_MAX};
#[cfg(not(loom))]
pub use stats::VpStats;
#[cfg(not(loom))]
pub use topology::{Core, Topology};
#[cfg(not(loom))]
pub use vp::SUBSTITUTES_MAX;

#[cfg(not(loom))]
pub use simurgh_core::{EcHandle, EcSpec, Network, Purpose};
