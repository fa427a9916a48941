//! Prefix reductions.

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
    let fold = Fold::new(op, offers, 0..offers.len())?;
    let mut pieces = fold.pieces(share.slice(fold.count(), fold.element()));
    pieces.try_for_each(|piece| inclusive_piece(&fold, offers, piece))
}

/// A share of all ranks' exclusive prefixes.
pub(super) fn exclusive(op: &Op, offers: Offers<'_>, share: Share) -> Result<()> {
    let fold = Fold::new(op, offers, 0..offers.len())?;
    let mut pieces = fold.pieces(share.slice(fold.count(), fold.element()));
    pieces.try_for_each(|piece| exclusive_piece(&fold, offers, piece))
}

/// A piece of all ranks' inclusive prefixes: each rank's result continues that of the rank before.
fn inclusive_piece(fold: &Fold<'_>, offers: Offers<'_>, piece: (usize, usize)) -> Result<()> {
    let (start, len) = piece;
    let mut before: Option<Source> = None;
    for (rank, offer) in offers.of(0..offers.len()).enumerate() {
        let Some(source) = offer.whole_source() else {
            continue;
        };
        hand_over(
            &Writer::CACHED,
            &source.slice(start, len),
            offer.whole_target(),
            piece,
            rank,
        )?;
        let Some(target) = offer.whole_target().map(|target| target.slice(start, len)) else {
            continue;
        };
        if let Some(before) = &before {
            fold.apply(before, &target);
        }
        before = Some(target.as_source());
    }
    Ok(())
}

/// A piece of all ranks' exclusive prefixes. What a rank brings is saved before its result replaces it.
fn exclusive_piece(fold: &Fold<'_>, offers: Offers<'_>, piece: (usize, usize)) -> Result<()> {
    let (start, len) = piece;
    let (prefix, brought) = (&mut fold.scratch(len), &mut fold.scratch(len));
    let (mut prefix, mut brought) = (prefix, brought);
    for (rank, offer) in offers.of(0..offers.len()).enumerate() {
        let Some(source) = offer.whole_source() else {
            continue;
        };
        brought.with(len, |_, saved| {
            transfer(&source.slice(start, len), saved);
            if rank == 0 {
                return Ok(());
            }
            prefix.with(len, |before, _| {
                hand_over(&Writer::CACHED, before, offer.whole_target(), piece, rank)?;
                fold.apply(before, saved);
                Ok(())
            })
        })?;
        std::mem::swap(&mut prefix, &mut brought);
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
