//! Prefix reductions.

use std::ops::Range;

use super::fold::{Fold, hand_over};
use super::offers::Offers;
use super::share::Share;
use super::{Call, Collective, Offer, Task};
use crate::comm::Comm;
use crate::error::{Error, ErrorClass, Result};
use crate::memory::{Parts, Source, Target, Writer, transfer};
use crate::op::Op;

impl Comm {
    /// Combines at each rank the elements of the ranks up to it (`MPI_Scan`); without `send` they are in `recv`.
    ///
    /// # Errors
    ///
    /// As [`Comm::reduce`].
    pub fn scan(&self, send: Option<&Source>, recv: &Target, op: &Op) -> Result<Collective<'_>> {
        self.prefixes(Call::SCAN, send, recv, Task::Scan { op: op.clone() }, op)
    }

    /// Combines at each rank the elements of the ranks before it (`MPI_Exscan`); without `send` they are in `recv`.
    /// Rank 0 gets nothing.
    ///
    /// # Errors
    ///
    /// As [`Comm::reduce`].
    pub fn exscan(&self, send: Option<&Source>, recv: &Target, op: &Op) -> Result<Collective<'_>> {
        self.prefixes(Call::EXSCAN, send, recv, Task::Exscan { op: op.clone() }, op)
    }

    fn prefixes(
        &self,
        call: Call,
        send: Option<&Source>,
        recv: &Target,
        task: Task,
        op: &Op,
    ) -> Result<Collective<'_>> {
        self.check_intra()?;
        let source = send.cloned().unwrap_or_else(|| recv.as_source());
        if source.datatype() != recv.datatype() {
            return Err(two_datatypes(call));
        }
        op.check(source.datatype())?;
        let work = source.bytes();
        let (send, recv) = (Parts::Even(source), Parts::Even(recv.clone()));
        Ok(Collective::new(
            self,
            call,
            Offer::new(Some(send), Some(recv), work),
            task,
        ))
    }
}

/// A share of all ranks' inclusive prefixes.
pub(super) fn inclusive(op: &Op, offers: Offers<'_>, share: Share) -> Result<()> {
    compute(op, offers, share, true)
}

/// A share of all ranks' exclusive prefixes.
pub(super) fn exclusive(op: &Op, offers: Offers<'_>, share: Share) -> Result<()> {
    compute(op, offers, share, false)
}

fn compute(op: &Op, offers: Offers<'_>, share: Share, inclusive: bool) -> Result<()> {
    let seats = offers.scanned();
    let fold = Fold::new(op, offers, seats.clone())?;
    let writer = fold.writer(seats.len());
    let mut pieces = fold.pieces(share.slice(fold.count(), fold.element()));
    pieces.try_for_each(|piece| compute_piece(&fold, (offers, seats.clone()), piece, &writer, inclusive))
}

/// A piece of all ranks' prefixes. What a rank brings is saved before its result replaces it.
fn compute_piece(
    fold: &Fold<'_>,
    (offers, seats): (Offers<'_>, Range<usize>),
    piece: (usize, usize),
    writer: &Writer,
    inclusive: bool,
) -> Result<()> {
    let (start, len) = piece;
    let (prefix, next) = (&mut fold.scratch(len), &mut fold.scratch(len));
    let (mut prefix, mut next) = (prefix, next);
    let first = seats.start;
    let give = |result: &Source, rank| match offers.is_here(rank) {
        true => hand_over(writer, result, piece, offers, rank),
        false => Ok(()),
    };
    for rank in seats {
        let Some(source) = offers.at(rank).whole_source() else {
            continue;
        };
        next.with(len, |up_to, place| {
            transfer(&source.slice(start, len), place);
            if rank > first {
                prefix.with(len, |before, _| {
                    fold.apply(before, place);
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

#[cold]
fn two_datatypes(call: Call) -> Error {
    Error::new(
        ErrorClass::Type,
        format!("{call} was given buffers of different datatypes: it continues results in place"),
    )
}
