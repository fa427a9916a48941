//! Scatter: one rank's buffer, a different part to each rank.

use super::all_buffers::AllBuffers;
use super::deliver::deliver;
use super::share::Share;
use crate::error::Result;

/// Copies their parts of the root's data to the ranks of a share.
pub(super) fn distribute(all_buffers: AllBuffers<'_>, share: Share, root: usize) -> Result<()> {
    share
        .among(all_buffers.peers_of(root))
        .filter(|seat| all_buffers.at(*seat).recv.is_some())
        .try_for_each(|seat| {
            let rank = all_buffers.rank(seat);
            let (source, target) = (
                all_buffers.at(root).source_part(rank),
                all_buffers.at(seat).target(),
            );
            deliver(
                &all_buffers.writer_for(seat),
                all_buffers.group_sizes(),
                source,
                root,
                target,
                seat,
            )
        })
}
