//! Strategies for where the memory of ranks comes from.
//!
//! A heap that takes fresh addresses asks the strategy of its rank: that is each time that it needs a segment (4 MiB)
//! or a block of several, and never while it has free ones. It is asked only on machines with several nodes.

mod strategies;

use std::fmt;

use crate::nodes::NodeSet;
use crate::policy::MemoryPolicy;

pub use strategies::{FirstTouch, Local, PerRank, Pooled, Uniform};

/// The question to a strategy.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The number of the rank in its world.
    pub rank: u32,
    /// The node of the processor that runs the caller: for the main context of a rank, that of its virtual processor.
    pub node: usize,
    /// The nodes of the machine.
    pub nodes: NodeSet,
    /// The number of bytes that the heap takes.
    pub bytes: usize,
}

/// A strategy for where the memory of a rank comes from.
///
/// Its methods are called by programs within `malloc`, possibly by several ranks at a time. So they allocate nothing
/// and take no lock: a rank can be suspended within them.
pub trait MemoryPlacement: Send + Sync {
    /// The nodes of the memory that is asked for.
    fn policy(&self, request: &Request) -> MemoryPolicy;

    /// Whether the pages are obtained from the system at once, and not when they are touched first.
    fn obtains_pages(&self) -> bool {
        false
    }

    /// Whether the memory of a rank follows it when it moves for good to a virtual processor of another node.
    fn follows_rank(&self) -> bool {
        false
    }
}

/// A strategy that ranks can have, in a place where it stays: a static, for example.
pub struct Strategy(&'static dyn MemoryPlacement);

impl Strategy {
    /// The strategy that does so.
    #[must_use]
    pub const fn new(placement: &'static dyn MemoryPlacement) -> Self {
        Self(placement)
    }

    /// What it does.
    #[must_use]
    pub fn placement(&self) -> &'static dyn MemoryPlacement {
        self.0
    }
}

impl fmt::Debug for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Strategy").finish_non_exhaustive()
    }
}
