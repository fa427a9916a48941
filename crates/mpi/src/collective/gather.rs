//! Gather and allgather.

use super::all_buffers::AllBuffers;
use super::deliver::deliver;
use super::share::Share;
use crate::error::Result;

/// Copies the parts of the ranks of a share to the root.
pub(super) fn collect(all_buffers: AllBuffers<'_>, share: Share, root: usize) -> Result<()> {
    share
        .among(all_buffers.peers_of(root))
        .filter(|seat| all_buffers.at(*seat).send.is_some())
        .try_for_each(|seat| {
            let rank = all_buffers.rank(seat);
            let (source, target) = (
                all_buffers.at(seat).source(),
                all_buffers.at(root).target_part(rank),
            );
            deliver(
                &all_buffers.writer_for(seat),
                all_buffers.group_sizes(),
                source,
                seat,
                target,
                root,
            )
        })
}

/// Copies all parts to the ranks of a share.
pub(super) fn collect_everywhere(all_buffers: AllBuffers<'_>, share: Share) -> Result<()> {
    for seat in share.seats(all_buffers.len()) {
        let writer = all_buffers.writer_for(seat).alone();
        let placed = |from: &usize| *from == seat && all_buffers.at(seat).in_place;
        // Each rank begins with its own part, so that not all read the same one at a time.
        for from in all_buffers.peers_from(seat).filter(|from| !placed(from)) {
            let target = all_buffers.at(seat).target_part(all_buffers.rank(from));
            let source = all_buffers.at(from).source();
            deliver(&writer, all_buffers.group_sizes(), source, from, target, seat)?;
        }
    }
    Ok(())
}
