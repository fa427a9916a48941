//! Reductions to one rank, to all, and to each a part.

use super::fold::{Fold, hand_over};
use super::{Call, Offer, Offers, Share, not_in_place};
use crate::check;
use crate::comm::Comm;
use crate::error::{Error, ErrorClass, Result};
use crate::memory::{Parts, Scratch, Source, Target, transfer};
use crate::op::Op;

impl Comm {
    /// Combines all ranks' elements at the root (`MPI_Reduce`).
    ///
    /// `send` is `None` at a root that has its elements in `recv`; `recv` means something at the root only.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Op`] if the operation is not defined on the datatype; [`ErrorClass::Root`] for a wrong root or
    /// ranks that name different ones; [`ErrorClass::Truncate`] if ranks bring different numbers of elements.
    pub fn reduce(&self, send: Option<&Source>, recv: Option<&Target>, op: &Op, root: i32) -> Result<()> {
        check::root(root, self)?;
        let is_root = root == self.rank();
        let recv = recv.filter(|_| is_root);
        let source = match (send, recv) {
            (Some(send), _) => send.clone(),
            (None, Some(recv)) => recv.as_source(),
            (None, None) => return Err(not_in_place(self.rank(), root)),
        };
        let root = root as usize;
        let fold = Fold::new(op, source.datatype(), source.count())?;
        let offer = offer(&source, recv.cloned());
        self.meet_at(Call::REDUCE, root, offer, true, |offers, share| {
            to_ranks(&fold, offers, share, root..root + 1)
        })
    }

    /// Combines all ranks' elements at every rank (`MPI_Allreduce`); without `send` they are in `recv`.
    ///
    /// # Errors
    ///
    /// As [`Comm::reduce`].
    pub fn allreduce(&self, send: Option<&Source>, recv: &Target, op: &Op) -> Result<()> {
        let source = send.cloned().unwrap_or_else(|| recv.as_source());
        let fold = Fold::new(op, source.datatype(), source.count())?;
        let offer = offer(&source, Some(recv.clone()));
        self.meet(Call::ALLREDUCE, offer, |offers, share| {
            to_ranks(&fold, offers, share, 0..offers.len())
        })
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
        counts: &[usize],
        op: &Op,
    ) -> Result<()> {
        if counts.len() != self.size() {
            return Err(wrong_counts(counts.len(), self.size()));
        }
        let Some(source) = send else {
            // Others still read what the result is about to replace: they read a copy.
            let mut copy = Scratch::new(recv.datatype(), recv.count());
            return copy.with(recv.count(), |source, staging| {
                transfer(&recv.as_source(), staging);
                self.scatter_reduced(source, recv, counts, op)
            });
        };
        self.scatter_reduced(source, recv, counts, op)
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
    ) -> Result<()> {
        self.reduce_scatter(send, recv, &vec![count; self.size()], op)
    }

    fn scatter_reduced(&self, source: &Source, recv: &Target, counts: &[usize], op: &Op) -> Result<()> {
        let fold = Fold::new(op, source.datatype(), source.count())?;
        let offer = offer(source, Some(recv.clone()));
        self.meet(Call::REDUCE_SCATTER, offer, |offers, share| {
            to_each(&fold, offers, share, counts)
        })
    }
}

fn offer(source: &Source, target: Option<Target>) -> Offer {
    Offer::new(
        Some(Parts::Even(source.clone())),
        target.map(Parts::Even),
        source.bytes(),
    )
}

/// Combines the elements of a share and gives them to some ranks.
///
/// Nobody else reads or writes these elements of any rank, so a rank's result may replace what it brought.
fn to_ranks(fold: &Fold<'_>, offers: Offers<'_>, share: Share, ranks: std::ops::Range<usize>) -> Result<()> {
    fold.agree(offers)?;
    let slice = share.slice(fold.count(), fold.element());
    let mut scratch = fold.scratch(slice.1);
    for piece in fold.pieces(slice) {
        scratch.with(piece.1, |result, partial| {
            fold.combine(offers, piece, partial);
            ranks
                .clone()
                .try_for_each(|rank| hand_over(result, offers[rank].whole_target(), piece, rank))
        })?;
    }
    Ok(())
}

/// Combines for each rank of a share the elements that are for it.
fn to_each(fold: &Fold<'_>, offers: Offers<'_>, share: Share, counts: &[usize]) -> Result<()> {
    fold.agree(offers)?;
    let total = counts
        .iter()
        .fold(0, |sum: usize, count| sum.saturating_add(*count));
    if total != fold.count() {
        return Err(wrong_total(total, fold.count()));
    }
    for rank in share.ranks(offers.len()) {
        let before: usize = counts[..rank].iter().sum();
        let mut scratch = fold.scratch(counts[rank]);
        for piece in fold.pieces((before, counts[rank])) {
            scratch.with(piece.1, |result, partial| {
                fold.combine(offers, piece, partial);
                hand_over(
                    result,
                    offers[rank].whole_target(),
                    (piece.0 - before, piece.1),
                    rank,
                )
            })?;
        }
    }
    Ok(())
}

#[cold]
fn wrong_counts(counts: usize, size: usize) -> Error {
    Error::new(
        ErrorClass::Count,
        format!("{counts} counts for {size} ranks: give one for each"),
    )
}

#[cold]
fn wrong_total(total: usize, count: usize) -> Error {
    Error::new(
        ErrorClass::Count,
        format!("the counts add up to {total} elements, but each rank brings {count}: they must be as many"),
    )
}
