//! Reduce, allreduce and reduce-scatter.

use std::ops::Range;

use super::all_buffers::AllBuffers;
use super::local_reduction::{LocalReduction, hand_over};
use super::share::Share;
use crate::error::{Error, ErrorClass, Result};
use crate::limits::OWN_RESULT;
use crate::memory::{Numbers, Scratch, Target, transfer};
use crate::op::Op;

/// How many elements of a result each rank gets.
#[derive(Clone, Debug)]
pub(crate) enum Counts {
    /// Every rank the same number.
    Even(usize),
    /// Each rank its own number.
    Each(Numbers),
    /// Every rank as many as it has room for: on inter-communicators, whose groups do not know each other's counts.
    Room,
}

impl Counts {
    /// The same counts in an array of their own, because the program may free the one in which it listed them.
    pub(crate) fn kept(self) -> Self {
        match self {
            Counts::Each(counts) => Counts::Each(counts.iter().collect()),
            counts => counts,
        }
    }

    /// Number of elements for a rank, if all ranks know it.
    pub(crate) fn at(&self, rank: usize) -> Option<usize> {
        match self {
            Counts::Even(count) => Some(*count),
            Counts::Each(counts) => Some(counts.count(rank)),
            Counts::Room => None,
        }
    }

    /// Number of elements for a seat.
    fn of(&self, all_buffers: AllBuffers<'_>, seat: usize) -> usize {
        match self {
            Counts::Even(count) => *count,
            Counts::Each(counts) => counts.count(all_buffers.rank(seat)),
            Counts::Room => all_buffers.room(seat),
        }
    }

    /// Number of elements for some seats together.
    fn sum(&self, all_buffers: AllBuffers<'_>, seats: Range<usize>) -> usize {
        match self {
            Counts::Even(count) => count.saturating_mul(seats.len()),
            Counts::Each(_) | Counts::Room => seats.fold(0, |sum: usize, seat| {
                sum.saturating_add(self.of(all_buffers, seat))
            }),
        }
    }

    /// Refuses counts for some seats whose sum is not the number of elements that each rank brings.
    pub(crate) fn check(&self, all_buffers: AllBuffers<'_>, seats: Range<usize>, count: usize) -> Result<()> {
        match self.sum(all_buffers, seats) {
            total if total == count => Ok(()),
            total => Err(self.misfit(total, count)),
        }
    }

    /// The error of counts whose sum is not the number of elements that each rank brings.
    #[cold]
    fn misfit(&self, total: usize, count: usize) -> Error {
        match self {
            Counts::Room => Error::new(
                ErrorClass::Truncate,
                format!(
                    "the counts of one group add up to {total} elements, but each rank of the other brings {count}: \
                     they must be as many"
                ),
            ),
            _ => Error::new(
                ErrorClass::Count,
                format!(
                    "the counts add up to {total} elements, but each rank brings {count}: they must be as many"
                ),
            ),
        }
    }

    /// Where the elements for some seats, in ascending order, lie among those for their group: start and number. Counts
    /// are added up once for all of them.
    pub(crate) fn slices<'a>(
        &'a self,
        all_buffers: AllBuffers<'a>,
        seats: impl Iterator<Item = usize> + 'a,
    ) -> impl Iterator<Item = (usize, (usize, usize))> + 'a {
        let (mut before, mut next) = (0_usize, 0);
        seats.map(move |seat| {
            let first = all_buffers.group_of(seat).start;
            if next < first {
                (before, next) = (0, first);
            }
            before = before.saturating_add(self.sum(all_buffers, next..seat));
            next = seat;
            (seat, (before, self.of(all_buffers, seat)))
        })
    }
}

/// Combines the elements of a share at the root.
pub(crate) fn to_root(op: &Op, all_buffers: AllBuffers<'_>, share: Share, root: usize) -> Result<()> {
    to_seats(
        &LocalReduction::new(op, all_buffers, all_buffers.peers_of(root))?,
        all_buffers,
        share,
        root..root + 1,
    )
}

/// Combines the elements of a share at all ranks.
pub(crate) fn to_all(op: &Op, all_buffers: AllBuffers<'_>, share: Share) -> Result<()> {
    let mut groups = all_buffers
        .groups()
        .filter(|group| group.clone().any(|seat| all_buffers.is_here(seat)));
    groups.try_for_each(|group| {
        let reduction = LocalReduction::new(op, all_buffers, all_buffers.peers_of(group.start))?;
        to_seats(&reduction, all_buffers, share, group)
    })
}

/// Whether each rank should compute all of its own result, instead of a part of every rank's. It should if the result
/// is so small that writing it to others costs more, and if no rank's result replaces operands that others still read.
pub(crate) fn is_faster_at_each(all_buffers: AllBuffers<'_>) -> bool {
    all_buffers
        .of(0..all_buffers.len())
        .all(|buffers| buffers.work() <= OWN_RESULT && !buffers.in_place && buffers.whole_source().is_some())
}

/// Combines all elements for one of the ranks that get the result.
pub(crate) fn to_one(op: &Op, all_buffers: AllBuffers<'_>, seat: usize) -> Result<()> {
    let reduction = LocalReduction::new(op, all_buffers, all_buffers.peers_of(seat))?;
    match all_buffers.at(seat).whole_target() {
        Some(target) if reduction.fills(target) => {
            for piece in reduction.pieces((0, reduction.count())) {
                reduction.combine(piece, &target.slice(piece.0, piece.1));
            }
            Ok(())
        }
        _ => to_seats(&reduction, all_buffers, Share::ALL, seat..seat + 1),
    }
}

/// Combines the elements of a share and copies the result to some seats.
///
/// No other share reads or writes these elements of any rank, so a rank's result may replace its operand.
fn to_seats(
    reduction: &LocalReduction<'_>,
    all_buffers: AllBuffers<'_>,
    share: Share,
    seats: Range<usize>,
) -> Result<()> {
    let slice = share.slice(reduction.count(), reduction.element());
    let writer = reduction.writer(seats.len());
    let mut scratch = reduction.scratch(slice.1);
    for piece in reduction.pieces(slice) {
        scratch.with(piece.1, |result, partial| {
            reduction.combine(piece, partial);
            let mut seats = seats.clone().filter(|seat| all_buffers.is_here(*seat));
            seats.try_for_each(|seat| hand_over(&writer, result, piece, all_buffers, seat))
        })?;
    }
    Ok(())
}

/// Combines for each rank of a share the elements that are for it.
///
/// A rank that works in place gets them where they were among its operands, because no other share reads those elements
/// of any rank. Others may still read what comes before, so the result goes to the front of the buffer later
/// ([`move_to_front`]).
pub(crate) fn to_each(op: &Op, all_buffers: AllBuffers<'_>, share: Share, counts: &Counts) -> Result<()> {
    let left = all_buffers.group_of(0);
    let right = left.end..all_buffers.len();
    to_each_of(left, op, all_buffers, share, counts)?;
    to_each_of(right, op, all_buffers, share, counts)
}

/// [`to_each`] for the ranks of one group.
fn to_each_of(
    group: Range<usize>,
    op: &Op,
    all_buffers: AllBuffers<'_>,
    share: Share,
    counts: &Counts,
) -> Result<()> {
    let seats = share.seats(all_buffers.len());
    let mut seats = seats
        .filter(|seat| group.contains(seat) && all_buffers.is_here(*seat))
        .peekable();
    if seats.peek().is_none() {
        return Ok(());
    }
    let reduction = LocalReduction::new(op, all_buffers, all_buffers.peers_of(group.start))?;
    counts.check(all_buffers, group.clone(), reduction.count())?;
    let writer = reduction.writer(1);
    for (seat, slice) in counts.slices(all_buffers, seats) {
        let first = if all_buffers.at(seat).in_place { 0 } else { slice.0 };
        let mut scratch = reduction.scratch(slice.1);
        for piece in reduction.pieces(slice) {
            scratch.with(piece.1, |result, partial| {
                reduction.combine(piece, partial);
                hand_over(&writer, result, (piece.0 - first, piece.1), all_buffers, seat)
            })?;
        }
    }
    Ok(())
}

/// A result that has to move to the front of its buffer, once no rank reads the buffer any more.
pub(crate) struct MoveToFront {
    buffer: Target,
    start: usize,
    len: usize,
}

impl MoveToFront {
    pub(crate) fn carry_out(&self) {
        shift_down(&self.buffer, self.start, self.len);
    }
}

/// Moves the results of ranks that work in place to the front of their buffers, once no rank reads these any more.
pub(crate) fn move_to_front(all_buffers: AllBuffers<'_>, share: Share, counts: &Counts) -> Result<()> {
    moves(all_buffers, share, counts).for_each(|pending| pending.carry_out());
    Ok(())
}

/// The results for the seats of a share that have to move.
pub(crate) fn moves<'a>(
    all_buffers: AllBuffers<'a>,
    share: Share,
    counts: &'a Counts,
) -> impl Iterator<Item = MoveToFront> + 'a {
    let in_place = share
        .seats(all_buffers.len())
        .filter(move |seat| all_buffers.at(*seat).in_place);
    counts
        .slices(all_buffers, in_place)
        .filter_map(move |(seat, (start, len))| {
            let buffer = all_buffers.at(seat).target()?;
            Some(MoveToFront { buffer, start, len })
        })
}

/// Moves elements to the front of a buffer. Where they come from and where they go may overlap: each piece is saved
/// before others overwrite it.
fn shift_down(buffer: &Target, start: usize, len: usize) {
    if start == 0 {
        return;
    }
    let step = Scratch::capacity(buffer.datatype()).min(len.max(1));
    let mut scratch = Scratch::new(buffer.datatype(), step);
    for from in (0..len).step_by(step) {
        let piece = step.min(len - from);
        scratch.with(piece, |moved, staging| {
            transfer(&buffer.slice(start + from, piece).as_source(), staging);
            transfer(moved, &buffer.slice(from, piece));
        });
    }
}
