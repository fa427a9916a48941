//! Reductions to one rank, to all, and to each a part.

use std::ops::Range;

use super::deliver::not_in_place;
use super::fold::{Fold, hand_over};
use super::offers::Offers;
use super::share::Share;
use super::{Call, Collective, Offer, Rooted, Task};
use crate::comm::Comm;
use crate::error::{Error, ErrorClass, Result};
use crate::limits::OWN_RESULT;
use crate::memory::{Numbers, Parts, Scratch, Source, Target, transfer};
use crate::op::Op;

/// How many elements of a result each rank gets.
#[derive(Clone, Debug)]
pub(crate) enum Counts {
    /// Each rank as many.
    Even(usize),
    /// Each rank its own number.
    Each(Numbers),
    /// Each rank as many as it has room for: between two groups, which do not know each other's counts.
    Room,
}

impl Comm {
    /// Combines all ranks' elements at the root (`MPI_Reduce`).
    ///
    /// `send` is `None` at a root that has its elements in `recv`; `recv` means something at the root only.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Op`] if the operation is not defined on the datatype; [`ErrorClass::Root`] for a wrong root.
    /// Running it: [`ErrorClass::Root`] if ranks name different roots; [`ErrorClass::Truncate`] if they bring different
    /// numbers of elements.
    #[inline]
    pub fn reduce(
        &self,
        send: Option<&Source>,
        recv: Option<&Target>,
        op: &Op,
        root: i32,
    ) -> Result<Collective<'_>> {
        let role = self.role(root)?;
        let Some(seat) = role.seat() else {
            return Ok(self.stand_aside(Rooted::Reduce, Some(op.clone())));
        };
        let recv = recv.filter(|_| role.is_root());
        let source = match (send, recv) {
            (Some(send), _) => send.clone(),
            (None, Some(recv)) => recv.as_source(),
            (None, None) => return Err(not_in_place(self.rank(), root)),
        };
        op.check(source.datatype())?;
        let (call, offer) = (role.call(Rooted::Reduce), offer(&source, recv.cloned()));
        let (op, root) = (op.clone(), seat);
        Ok(Collective::new(self, call, offer, Task::Reduce { op, root }))
    }

    /// Combines all ranks' elements at every rank (`MPI_Allreduce`); without `send` they are in `recv`.
    ///
    /// # Errors
    ///
    /// As [`Comm::reduce`].
    #[inline(always)]
    pub fn allreduce(&self, send: Option<&Source>, recv: &Target, op: &Op) -> Result<Collective<'_>> {
        self.check_placed(send.is_none())?;
        let source = send.cloned().unwrap_or_else(|| recv.as_source());
        op.check(source.datatype())?;
        let offer = offer(&source, Some(recv.clone())).placed(send.is_none());
        let op = op.clone();
        Ok(Collective::new(
            self,
            Call::ALLREDUCE,
            offer,
            Task::Allreduce { op },
        ))
    }

    /// Combines all ranks' elements and leaves `counts[r]` of them at each rank `r` (`MPI_Reduce_scatter`).
    ///
    /// Without `send` all elements that the rank brings are in `recv`, and its part of the result replaces the first.
    ///
    /// # Errors
    ///
    /// As [`Comm::reduce`]; [`ErrorClass::Count`] if there is not a count for each rank.
    pub fn reduce_scatter(
        &self,
        send: Option<&Source>,
        recv: &Target,
        counts: Numbers,
        op: &Op,
    ) -> Result<Collective<'_>> {
        if counts.len() != self.size() {
            return Err(wrong_counts(counts.len(), self.size()));
        }
        self.scatter_reduced(send, recv, Counts::Each(counts), op)
    }

    /// [`Comm::reduce_scatter`] with the same count for all ranks (`MPI_Reduce_scatter_block`).
    ///
    /// # Errors
    ///
    /// As [`Comm::reduce`].
    pub fn reduce_scatter_block(
        &self,
        send: Option<&Source>,
        recv: &Target,
        count: usize,
        op: &Op,
    ) -> Result<Collective<'_>> {
        self.scatter_reduced(send, recv, Counts::Even(count), op)
    }

    fn scatter_reduced(
        &self,
        send: Option<&Source>,
        recv: &Target,
        counts: Counts,
        op: &Op,
    ) -> Result<Collective<'_>> {
        self.check_placed(send.is_none())?;
        let counts = if self.is_inter() { Counts::Room } else { counts };
        let source = send.cloned().unwrap_or_else(|| recv.as_source());
        op.check(source.datatype())?;
        let offer = offer(&source, Some(recv.clone())).placed(send.is_none());
        let op = op.clone();
        Ok(Collective::new(
            self,
            Call::REDUCE_SCATTER,
            offer,
            Task::ReduceScatter { op, counts },
        ))
    }
}

impl Counts {
    /// The same, whatever becomes of the array in which they were listed.
    pub(super) fn kept(self) -> Self {
        match self {
            Counts::Each(counts) => Counts::Each(counts.iter().collect()),
            counts => counts,
        }
    }

    /// Elements for a seat.
    fn of(&self, offers: Offers<'_>, seat: usize) -> usize {
        match self {
            Counts::Even(count) => *count,
            Counts::Each(counts) => counts.count(offers.rank(seat)),
            Counts::Room => offers.room(seat),
        }
    }

    /// Elements for some seats.
    fn sum(&self, offers: Offers<'_>, seats: Range<usize>) -> usize {
        match self {
            Counts::Even(count) => count.saturating_mul(seats.len()),
            Counts::Each(_) | Counts::Room => {
                seats.fold(0, |sum: usize, seat| sum.saturating_add(self.of(offers, seat)))
            }
        }
    }

    /// Refuses counts for some seats that add up to something else than what each rank brings.
    pub(super) fn check(&self, offers: Offers<'_>, seats: Range<usize>, count: usize) -> Result<()> {
        match self.sum(offers, seats) {
            total if total == count => Ok(()),
            total => Err(self.misfit(total, count)),
        }
    }

    /// The error of counts that add up to something else than what each rank brings.
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
    pub(super) fn slices<'a>(
        &'a self,
        offers: Offers<'a>,
        seats: impl Iterator<Item = usize> + 'a,
    ) -> impl Iterator<Item = (usize, (usize, usize))> + 'a {
        let (mut before, mut next) = (0_usize, 0);
        seats.map(move |seat| {
            let first = offers.beside(seat).start;
            if next < first {
                (before, next) = (0, first);
            }
            before = before.saturating_add(self.sum(offers, next..seat));
            next = seat;
            (seat, (before, self.of(offers, seat)))
        })
    }
}

#[inline]
fn offer(source: &Source, target: Option<Target>) -> Offer {
    Offer::new(
        Some(Parts::Even(source.clone())),
        target.map(Parts::Even),
        source.bytes(),
    )
}

/// Combines the elements of a share at the root.
pub(super) fn to_root(op: &Op, offers: Offers<'_>, share: Share, root: usize) -> Result<()> {
    to_seats(
        &Fold::new(op, offers, offers.across(root))?,
        offers,
        share,
        root..root + 1,
    )
}

/// Combines the elements of a share at all ranks.
pub(super) fn to_all(op: &Op, offers: Offers<'_>, share: Share) -> Result<()> {
    let mut groups = offers
        .groups()
        .filter(|group| group.clone().any(|seat| offers.is_here(seat)));
    groups.try_for_each(|group| {
        let fold = Fold::new(op, offers, offers.across(group.start))?;
        to_seats(&fold, offers, share, group)
    })
}

/// Whether each rank should rather compute all of its own result than a part of everybody's: if it is so small that
/// writing it to others costs more, and nobody's result replaces what others still read.
pub(super) fn is_better_done_by_each(offers: Offers<'_>) -> bool {
    offers
        .of(0..offers.len())
        .all(|offer| offer.work() <= OWN_RESULT && !offer.in_place && offer.whole_source().is_some())
}

/// Combines all elements for one of the ranks that get them.
pub(super) fn to_one(op: &Op, offers: Offers<'_>, seat: usize) -> Result<()> {
    let fold = Fold::new(op, offers, offers.across(seat))?;
    match offers.at(seat).whole_target() {
        Some(target) if fold.fills(target) => {
            for piece in fold.pieces((0, fold.count())) {
                fold.combine(piece, &target.slice(piece.0, piece.1));
            }
            Ok(())
        }
        _ => to_seats(&fold, offers, Share::ALL, seat..seat + 1),
    }
}

/// Combines the elements of a share and gives them to some seats.
///
/// Nobody else reads or writes these elements of any rank, so a rank's result may replace what it brought.
fn to_seats(fold: &Fold<'_>, offers: Offers<'_>, share: Share, seats: Range<usize>) -> Result<()> {
    let slice = share.slice(fold.count(), fold.element());
    let writer = fold.writer(seats.len());
    let mut scratch = fold.scratch(slice.1);
    for piece in fold.pieces(slice) {
        scratch.with(piece.1, |result, partial| {
            fold.combine(piece, partial);
            let mut seats = seats.clone().filter(|seat| offers.is_here(*seat));
            seats.try_for_each(|seat| hand_over(&writer, result, piece, offers, seat))
        })?;
    }
    Ok(())
}

/// Combines for each rank of a share the elements that are for it.
///
/// A rank that works in place gets them where they were among those that it brought: nobody else reads these of
/// anybody. Others may still read what comes before, so they go to the front later ([`move_to_front`]).
pub(super) fn to_each(op: &Op, offers: Offers<'_>, share: Share, counts: &Counts) -> Result<()> {
    let left = offers.beside(0);
    let right = left.end..offers.len();
    to_each_of(left, op, offers, share, counts)?;
    to_each_of(right, op, offers, share, counts)
}

/// [`to_each`] for the ranks of one group.
fn to_each_of(group: Range<usize>, op: &Op, offers: Offers<'_>, share: Share, counts: &Counts) -> Result<()> {
    let seats = share.seats(offers.len());
    let mut seats = seats
        .filter(|seat| group.contains(seat) && offers.is_here(*seat))
        .peekable();
    if seats.peek().is_none() {
        return Ok(());
    }
    let fold = Fold::new(op, offers, offers.across(group.start))?;
    counts.check(offers, group.clone(), fold.count())?;
    let writer = fold.writer(1);
    for (seat, slice) in counts.slices(offers, seats) {
        let first = if offers.at(seat).in_place { 0 } else { slice.0 };
        let mut scratch = fold.scratch(slice.1);
        for piece in fold.pieces(slice) {
            scratch.with(piece.1, |result, partial| {
                fold.combine(piece, partial);
                hand_over(&writer, result, (piece.0 - first, piece.1), offers, seat)
            })?;
        }
    }
    Ok(())
}

/// A result that has to move to the front of its buffer, when nobody reads that any more.
pub(super) struct Slide {
    buffer: Target,
    start: usize,
    len: usize,
}

impl Slide {
    pub(super) fn carry_out(&self) {
        slide(&self.buffer, self.start, self.len);
    }
}

/// Moves the results of ranks that work in place to the front of their buffers, when nobody reads those any more.
pub(super) fn move_to_front(offers: Offers<'_>, share: Share, counts: &Counts) -> Result<()> {
    slides(offers, share, counts).for_each(|slide| slide.carry_out());
    Ok(())
}

/// What has to move of the results for the seats of a share.
pub(super) fn slides<'a>(
    offers: Offers<'a>,
    share: Share,
    counts: &'a Counts,
) -> impl Iterator<Item = Slide> + 'a {
    let in_place = share
        .seats(offers.len())
        .filter(move |seat| offers.at(*seat).in_place);
    counts
        .slices(offers, in_place)
        .filter_map(move |(seat, (start, len))| {
            let buffer = offers.at(seat).target()?;
            Some(Slide { buffer, start, len })
        })
}

/// Moves elements to the front of a buffer. Where they go and where they come from may overlap: each piece is out of
/// the way before others overwrite it.
fn slide(buffer: &Target, start: usize, len: usize) {
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

#[cold]
fn wrong_counts(counts: usize, size: usize) -> Error {
    Error::new(
        ErrorClass::Count,
        format!("{counts} counts for {size} ranks: give one for each"),
    )
}
