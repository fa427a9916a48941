//! Scheduling policies.
//!
//! A policy decides where an execution context starts, which others an idle virtual processor asks for work, and which
//! virtual processors drive the network. The names are those of Phoenix. A policy is chosen for each run (`--policy`,
//! `SIMURGH_POLICY`).

mod dedicated;
mod work_queue;

use std::sync::Arc;

pub use dedicated::Dedicated;
pub use work_queue::WorkQueue;

use crate::error::SchedError;
use crate::topology::Topology;

/// The names of the policies, for [`by_name`].
pub const NAMES: &[&str] = &["wq", "nd", "nd+wq", "sleep"];

/// Which virtual processors drive the network of a runtime that has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Driving {
    /// The number of virtual processors that do nothing else, besides those that run ranks.
    pub dedicated: usize,
    /// Whether those that run ranks drive it, too: for an execution context that waits or tests, now and then while
    /// they are busy, and, if none is dedicated, while they are idle.
    pub by_others: bool,
    /// Whether the dedicated ones have cores of their own, on which they may poll all the time.
    pub has_cores: bool,
}

/// A scheduling policy for a set of virtual processors.
pub trait Policy: Send + Sync {
    /// Its name in options and reports.
    fn name(&self) -> &'static str;

    /// The virtual processor on which member `index` of a group of `count` execution contexts starts.
    fn place(&self, index: usize, count: usize, vps: usize) -> usize;

    /// The virtual processors that `vp` asks for work, in order of preference, when it has had none for a while.
    fn victims(&self, vp: usize, vps: usize, topology: &Topology) -> Vec<usize>;

    /// Which virtual processors drive the network.
    fn driving(&self) -> Driving {
        Driving {
            dedicated: 0,
            by_others: true,
            has_cores: false,
        }
    }
}

/// The policy called `name`. If it dedicates virtual processors to the network, their number is `network_vps`.
///
/// # Errors
///
/// When there is no such policy.
pub fn by_name(name: &str, network_vps: usize) -> Result<Arc<dyn Policy>, SchedError> {
    match name {
        "wq" => Ok(Arc::new(WorkQueue)),
        "nd" => Ok(Arc::new(Dedicated::alone(network_vps))),
        "nd+wq" => Ok(Arc::new(Dedicated::with_work_queue(network_vps))),
        "sleep" => Ok(Arc::new(Dedicated::asleep(network_vps))),
        other => Err(SchedError::UnknownPolicy {
            name: other.to_owned(),
            known: NAMES.join(", "),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_policy_of_that_name() {
        for name in NAMES {
            let policy = by_name(name, 1).expect("it is in the list");
            assert_eq!(policy.name(), *name);
        }
        assert!(by_name("other", 1).is_err());
    }
}
