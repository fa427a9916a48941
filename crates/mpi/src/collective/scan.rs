//! Prefix reductions.

use std::ops::Range;

use super::all_buffers::AllBuffers;
use super::local_reduction::{LocalReduction, hand_over};
use super::share::Share;
use crate::error::Result;
use crate::memory::{Source, Writer, transfer};
use crate::op::Op;

/// Computes a share of all ranks' inclusive prefixes.
pub(super) fn inclusive(op: &Op, all_buffers: AllBuffers<'_>, share: Share) -> Result<()> {
    compute(op, all_buffers, share, true)
}

/// Computes a share of all ranks' exclusive prefixes.
pub(super) fn exclusive(op: &Op, all_buffers: AllBuffers<'_>, share: Share) -> Result<()> {
    compute(op, all_buffers, share, false)
}

fn compute(op: &Op, all_buffers: AllBuffers<'_>, share: Share, inclusive: bool) -> Result<()> {
    let seats = all_buffers.scanned();
    let reduction = LocalReduction::new(op, all_buffers, seats.clone())?;
    let writer = reduction.writer(seats.len());
    let mut pieces = reduction.pieces(share.slice(reduction.count(), reduction.element()));
    pieces.try_for_each(|piece| {
        compute_piece(
            &reduction,
            (all_buffers, seats.clone()),
            piece,
            &writer,
            inclusive,
        )
    })
}

/// Computes a piece of all ranks' prefixes. A rank's operand is saved before its result replaces it.
fn compute_piece(
    reduction: &LocalReduction<'_>,
    (all_buffers, seats): (AllBuffers<'_>, Range<usize>),
    piece: (usize, usize),
    writer: &Writer,
    inclusive: bool,
) -> Result<()> {
    let (start, len) = piece;
    let (prefix, next) = (&mut reduction.scratch(len), &mut reduction.scratch(len));
    let (mut prefix, mut next) = (prefix, next);
    let first = seats.start;
    let give = |result: &Source, rank| match all_buffers.is_here(rank) {
        true => hand_over(writer, result, piece, all_buffers, rank),
        false => Ok(()),
    };
    for rank in seats {
        let Some(source) = all_buffers.at(rank).whole_source() else {
            continue;
        };
        next.with(len, |up_to, place| {
            transfer(&source.slice(start, len), place);
            if rank > first {
                prefix.with(len, |before, _| {
                    reduction.apply(before, place);
                    match inclusive {
                        true => Ok(()),
                        false => give(before, rank),
                    }
                })?;
            }
            match inclusive {
                true => give(up_to, rank),
                false => Ok(()),
            }
        })?;
        std::mem::swap(&mut prefix, &mut next);
    }
    Ok(())
}
