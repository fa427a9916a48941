//! Neighbourhood collectives.
//!
//! All ranks of the communicator meet, because the calls are collective; data goes along the edges of the virtual
//! topology. Each rank copies what it receives from the part that the other end of the edge sends along it
//! ([`InEdges`]).

use super::Buffers;
use super::all_buffers::AllBuffers;
use super::deliver::deliver;
use super::share::Share;
use crate::error::Result;
use crate::memory::Source;
use simurgh_topology::{InEdge, InEdges};

/// Copies the whole send buffers of the neighbours of the ranks of a share.
pub(super) fn fetch_whole(all_buffers: AllBuffers<'_>, share: Share, in_edges: &InEdges) -> Result<()> {
    fetch(all_buffers, share, in_edges, |buffers, _| buffers.source())
}

/// Copies the parts that the neighbours of the ranks of a share have for them.
pub(super) fn fetch_part(all_buffers: AllBuffers<'_>, share: Share, in_edges: &InEdges) -> Result<()> {
    fetch(all_buffers, share, in_edges, |buffers, in_edge| {
        buffers.source_part(in_edge.out_index as usize)
    })
}

/// Copies the data of the edges that end at the ranks of a share. Inter-communicators have no topologies.
fn fetch(
    all_buffers: AllBuffers<'_>,
    share: Share,
    in_edges: &InEdges,
    sent: impl Fn(&Buffers, InEdge) -> Option<Source>,
) -> Result<()> {
    for rank in share.seats(all_buffers.len()) {
        let writer = all_buffers.writer_for(rank);
        for (place, in_edge) in in_edges.of(rank).iter().enumerate() {
            let Some(in_edge) = *in_edge else { continue };
            let from = in_edge.rank as usize;
            let target = all_buffers.at(rank).target_part(place);
            let source = sent(all_buffers.at(from), in_edge);
            deliver(&writer, all_buffers.group_sizes(), source, from, target, rank)?;
        }
    }
    Ok(())
}
