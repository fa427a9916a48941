//! What ranks bring to the making of a communicator with a topology.

use super::EdgeList;
use super::layout::Site;
use crate::comm::Comm;
use crate::error::Result;
use crate::portable::{Portable, portable};
use std::marker::PhantomData;

/// What a rank brings to the making of a communicator: for a topology of kind `K` that all describe alike, a digest
/// of its description.
pub(super) struct Described<K> {
    pub(super) digest: u64,
    pub(super) seat: Seat,
    kind: PhantomData<fn() -> K>,
}

/// What a rank brings that knows a part of a graph.
pub(super) struct Part<E> {
    pub(super) edges: E,
    pub(super) seat: Seat,
}

/// Whether a rank may be laid elsewhere, and where it is now.
#[derive(Clone)]
pub(super) struct Seat {
    pub(super) reorder: bool,
    /// None for an attached thread.
    pub(super) vp: Option<usize>,
    /// The same, for ranks of other hosts; none also if there are none, or the hardware is not known.
    pub(super) site: Option<Site>,
}

portable! { Seat { reorder, vp, site } }

impl<K> Described<K> {
    /// What a rank with this seat brings whose description has this digest.
    pub(super) fn new(digest: u64, seat: Seat) -> Self {
        Self {
            digest,
            seat,
            kind: PhantomData,
        }
    }
}

impl<K> Portable for Described<K> {
    fn write(&self, out: &mut Vec<u8>) {
        self.digest.write(out);
        self.seat.write(out);
    }

    fn read(input: &mut &[u8]) -> Option<Self> {
        let (digest, seat) = Portable::read(input)?;
        Some(Self::new(digest, seat))
    }
}

impl<E: Portable> Portable for Part<E> {
    fn write(&self, out: &mut Vec<u8>) {
        self.edges.write(out);
        self.seat.write(out);
    }

    fn read(input: &mut &[u8]) -> Option<Self> {
        let (edges, seat) = Portable::read(input)?;
        Some(Self { edges, seat })
    }
}

/// Edges that a rank knows.
pub(super) trait Edges: Portable {
    /// Refuses edges that have ends outside a graph of so many nodes: another host may have told of them.
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
    /// Where the calling rank is.
    pub(super) fn own_seat(&self, reorder: bool) -> Seat {
        let vp = simurgh_core::current().vp();
        let job = self.process().job();
        let layout = job.layout();
        let site = self.span().zip(vp).and_then(|(_, vp)| {
            let here = (layout.node_of(layout.own()), layout.own());
            Some(Site::new(here, job.hardware()?.domains(), vp))
        });
        Seat { reorder, vp, site }
    }
}
