//! The strategies that users can choose.

use super::{MemoryPlacement, Request};
use crate::policy::MemoryPolicy;

/// Memory comes from the node of the rank's virtual processor, whoever touches it first: also a rank elsewhere that
/// copies a message into it. It follows the rank.
#[derive(Clone, Copy, Debug, Default)]
pub struct Local;

impl MemoryPlacement for Local {
    fn policy(&self, request: &Request) -> MemoryPolicy {
        MemoryPolicy::Preferred(request.node)
    }

    fn follows_rank(&self) -> bool {
        true
    }
}

/// As [`Local`], but all pages of fresh memory are obtained at once: those of a segment, and those of a long block. A
/// program pays for them when it allocates and not while it computes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pooled;

impl MemoryPlacement for Pooled {
    fn policy(&self, request: &Request) -> MemoryPolicy {
        Local.policy(request)
    }

    fn obtains_pages(&self) -> bool {
        true
    }

    fn follows_rank(&self) -> bool {
        true
    }
}

/// Each page comes from the node of the processor that touches it first, as the system does it for other programs.
#[derive(Clone, Copy, Debug, Default)]
pub struct FirstTouch;

impl MemoryPlacement for FirstTouch {
    fn policy(&self, _: &Request) -> MemoryPolicy {
        MemoryPolicy::FirstTouch
    }
}

/// All ranks have the same policy.
#[derive(Clone, Copy, Debug)]
pub struct Uniform(pub MemoryPolicy);

impl MemoryPlacement for Uniform {
    fn policy(&self, _: &Request) -> MemoryPolicy {
        self.0
    }
}

/// One rank after the other is bound to one of these nodes.
#[derive(Clone, Debug)]
pub struct PerRank(pub Vec<usize>);

impl MemoryPlacement for PerRank {
    fn policy(&self, request: &Request) -> MemoryPolicy {
        let count = self.0.len().max(1);
        let node = self.0.get(request.rank as usize % count);
        node.map_or(MemoryPolicy::FirstTouch, |&node| {
            MemoryPolicy::Bound(crate::nodes::NodeSet::of(node))
        })
    }
}
