//! Broadcast: one rank's data to all ranks.

use super::all_buffers::AllBuffers;
use super::deliver::deliver;
use super::share::Share;
use crate::error::Result;
use crate::memory::{Source, Writer};

/// Copies the root's data to the ranks of a share.
pub(super) fn spread(all_buffers: AllBuffers<'_>, share: Share, root: usize) -> Result<()> {
    let source = all_buffers.at(root).source();
    let bytes = source.as_ref().map_or(0, Source::bytes);
    let writer = Writer::new(bytes.saturating_mul(all_buffers.len()));
    share
        .among(all_buffers.peers_of(root))
        .filter(|seat| *seat != root)
        .try_for_each(|seat| {
            let (source, target) = (source.clone(), all_buffers.at(seat).target());
            deliver(&writer, all_buffers.group_sizes(), source, root, target, seat)
        })
}
