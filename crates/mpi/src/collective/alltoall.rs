//! All-to-all exchange: each rank sends a different part to each rank.

use std::cmp::Ordering;

use super::all_buffers::AllBuffers;
use super::deliver::{deliver, truncated};
use super::share::Share;
use crate::error::Result;
use crate::limits::SWAP_BLOCK;
use crate::members::GroupSizes;
use crate::memory::{Target, pack_from, unpack_at};

/// Copies the parts for the seats of a share.
pub(super) fn fetch(all_buffers: AllBuffers<'_>, share: Share) -> Result<()> {
    for seat in share.seats(all_buffers.len()) {
        let rank = all_buffers.rank(seat);
        let writer = all_buffers.writer_for(seat).alone();
        // Each rank begins with its own part, so that not all read the same buffer at a time.
        for from in all_buffers.peers_from(seat) {
            let (source, target) = (
                all_buffers.at(from).source_part(rank),
                all_buffers.at(seat).target_part(all_buffers.rank(from)),
            );
            deliver(&writer, all_buffers.group_sizes(), source, from, target, seat)?;
        }
    }
    Ok(())
}

/// Exchanges the parts of pairs of ranks. Each pair belongs to the share of one of its ranks.
pub(super) fn swap(all_buffers: AllBuffers<'_>, share: Share) -> Result<()> {
    let size = all_buffers.len();
    for rank in share.seats(size) {
        for other in (0..size).filter(|other| *other != rank && in_charge(rank, *other)) {
            if let (Some(mine), Some(theirs)) = (
                all_buffers.at(rank).target_part(other),
                all_buffers.at(other).target_part(rank),
            ) {
                swap_pair(all_buffers.group_sizes(), (&mine, rank), (&theirs, other))?;
            }
        }
    }
    Ok(())
}

/// Whether `rank`, and not `other`, exchanges the parts of both. The pairs are spread evenly, and both ranks get the
/// same answer.
fn in_charge(rank: usize, other: usize) -> bool {
    (rank < other) == (rank + other).is_multiple_of(2)
}

/// Exchanges the data of two parts block by block, whatever their datatypes.
pub(super) fn swap_pair(
    group_sizes: GroupSizes,
    (mine, rank): (&Target, usize),
    (theirs, other): (&Target, usize),
) -> Result<()> {
    let (bytes, room) = (mine.bytes(), theirs.bytes());
    match bytes.cmp(&room) {
        Ordering::Greater => return Err(truncated(group_sizes, (rank, bytes), (other, room))),
        Ordering::Less => return Err(truncated(group_sizes, (other, room), (rank, bytes))),
        Ordering::Equal => {}
    }
    let (mut own, mut foreign) = ([0; SWAP_BLOCK], [0; SWAP_BLOCK]);
    for skip in (0..bytes).step_by(SWAP_BLOCK) {
        let filled = pack_from(&mine.as_source(), skip, &mut own);
        pack_from(&theirs.as_source(), skip, &mut foreign[..filled]);
        unpack_at(&own[..filled], theirs, skip);
        unpack_at(&foreign[..filled], mine, skip);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::in_charge;

    #[test]
    fn one_of_each_pair_is_in_charge() {
        for size in 1..20 {
            for rank in 0..size {
                for other in (0..size).filter(|other| *other != rank) {
                    assert_ne!(in_charge(rank, other), in_charge(other, rank));
                }
            }
        }
    }
}
