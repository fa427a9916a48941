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

mod affinity;
mod balance;
mod crossings;
mod deadlock;
mod domain;
mod domain_stats;
mod error;
mod idle_core;
mod placement;
pub mod policy;
mod poller;
mod runtime;
mod stats;
mod topology;
mod vp;
mod vp_set;
mod worker_status;

pub use affinity::Affinity;
pub use crossings::crossings;
pub use domain::{Domain, DomainKind};
pub use domain_stats::DomainStats;
pub use error::SchedError;
pub use placement::{Placement, RankPlace};
pub use runtime::{Builder, Runtime, VPS_MAX};
pub use stats::VpStats;
pub use topology::{Core, Topology};
pub use vp::SUBSTITUTES_MAX;

pub use simurgh_core::{EcHandle, EcSpec, Network, Purpose};
