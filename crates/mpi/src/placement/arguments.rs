//! The contributions of ranks to the making of a communicator with a topology.

use crate::comm::Comm;
use crate::error::Result;
use crate::portable::{Portable, portable};
use simurgh_topology::EdgeList;
use simurgh_topology::mapping::VpPath;
use std::marker::PhantomData;

/// The contribution of a rank if all ranks describe the same topology, of kind `K`: a digest of its description.
pub(super) struct DescribedTopology<K> {
    pub(super) digest: u64,
    pub(super) location: Location,
    kind: PhantomData<fn() -> K>,
}

/// The contribution of a rank that knows a part of a graph.
pub(super) struct PartialGraph<E> {
    pub(super) edges: E,
    pub(super) location: Location,
}

/// Where a rank is now, and whether it may be placed elsewhere.
#[derive(Clone)]
pub(super) struct Location {
    pub(super) reorder: bool,
    /// The virtual processor; `None` for an attached thread.
    pub(super) vp: Option<usize>,
    /// The virtual processor as other hosts can place it; `None` also if there are no other hosts, or the hardware is
    /// not known.
    pub(super) vp_path: Option<VpPath>,
}

portable! { Location { reorder, vp, vp_path } }

impl<K> DescribedTopology<K> {
    /// The contribution of a rank at this location whose description has this digest.
    pub(super) fn new(digest: u64, location: Location) -> Self {
        Self {
            digest,
            location,
            kind: PhantomData,
        }
    }
}

impl<K> Portable for DescribedTopology<K> {
    fn write(&self, out: &mut Vec<u8>) {
        self.digest.write(out);
        self.location.write(out);
    }

    fn read(input: &mut &[u8]) -> Option<Self> {
        let (digest, location) = Portable::read(input)?;
        Some(Self::new(digest, location))
    }
}

impl<E: Portable> Portable for PartialGraph<E> {
    fn write(&self, out: &mut Vec<u8>) {
        self.edges.write(out);
        self.location.write(out);
    }

    fn read(input: &mut &[u8]) -> Option<Self> {
        let (edges, location) = Portable::read(input)?;
        Some(Self { edges, location })
    }
}

/// Edges that a rank knows.
pub(super) trait Edges: Portable {
    /// Refuses edges with ends outside a graph of so many nodes, which another host may have sent.
    fn check(&self, nodes: usize) -> Result<()>;
}

impl Edges for EdgeList {
    fn check(&self, nodes: usize) -> Result<()> {
        self.check_ends(nodes)
    }
}

impl Edges for (EdgeList, EdgeList) {
    fn check(&self, nodes: usize) -> Result<()> {
        self.0.check(nodes).and_then(|()| self.1.check(nodes))
    }
}

impl Comm {
    /// The location of the calling rank.
    pub(super) fn own_location(&self, reorder: bool) -> Location {
        let vp = simurgh_core::current().vp();
        let job = self.process().job();
        let layout = job.layout();
        let vp_path = self.host_map().zip(vp).and_then(|(_, vp)| {
            let here = (layout.node_of(layout.own()), layout.own());
            Some(VpPath::new(here, job.hardware()?.domains(), vp))
        });
        Location { reorder, vp, vp_path }
    }
}
