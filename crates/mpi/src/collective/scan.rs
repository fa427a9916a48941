//! Prefix reductions.

use super::fold::{Fold, hand_over};
use super::{Call, Offer, Offers};
use crate::comm::Comm;
use crate::error::{Error, ErrorClass, Result};
use crate::memory::{Parts, Source, Target, transfer};
use crate::op::Op;

/// Computes a piece, start and length, of all ranks' results.
type Prefix = fn(&Fold<'_>, Offers<'_>, (usize, usize)) -> Result<()>;

impl Comm {
    /// Combines at each rank the elements of the ranks up to it (`MPI_Scan`); without `send` they are in `recv`.
    ///
    /// # Errors
    ///
    /// As [`Comm::reduce`].
    pub fn scan(&self, send: Option<&Source>, recv: &Target, op: &Op) -> Result<()> {
        self.prefixes(Call::SCAN, send, recv, op, inclusive)
    }

    /// Combines at each rank the elements of the ranks before it (`MPI_Exscan`); without `send` they are in `recv`.
    /// Rank 0 gets nothing.
    ///
    /// # Errors
    ///
    /// As [`Comm::reduce`].
    pub fn exscan(&self, send: Option<&Source>, recv: &Target, op: &Op) -> Result<()> {
        self.prefixes(Call::EXSCAN, send, recv, op, exclusive)
    }

    fn prefixes(
        &self,
        call: Call,
        send: Option<&Source>,
        recv: &Target,
        op: &Op,
        piece: Prefix,
    ) -> Result<()> {
        let source = send.cloned().unwrap_or_else(|| recv.as_source());
        if source.datatype() != recv.datatype() {
            return Err(two_datatypes(call));
        }
        let fold = Fold::new(op, source.datatype(), source.count())?;
        let work = source.bytes();
        let offer = Offer::new(
            Some(Parts::Even(source.clone())),
            Some(Parts::Even(recv.clone())),
            work,
        );
        self.meet(call, offer, |offers, share| {
            fold.agree(offers)?;
            let slice = share.slice(fold.count(), fold.element());
            fold.pieces(slice)
                .try_for_each(|bounds| piece(&fold, offers, bounds))
        })
    }
}

/// A piece of all ranks' inclusive prefixes: each rank's result continues that of the rank before.
fn inclusive(fold: &Fold<'_>, offers: Offers<'_>, piece: (usize, usize)) -> Result<()> {
    let (start, len) = piece;
    let mut before: Option<Source> = None;
    for (rank, offer) in offers.iter().enumerate() {
        let Some(source) = offer.whole_source() else {
            continue;
        };
        hand_over(&source.slice(start, len), offer.whole_target(), piece, rank)?;
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
fn exclusive(fold: &Fold<'_>, offers: Offers<'_>, piece: (usize, usize)) -> Result<()> {
    let (start, len) = piece;
    let (mut prefix, mut brought) = (fold.scratch(len), fold.scratch(len));
    for (rank, offer) in offers.iter().enumerate() {
        let Some(source) = offer.whole_source() else {
            continue;
        };
        brought.with(len, |_, saved| {
            transfer(&source.slice(start, len), saved);
            if rank == 0 {
                return Ok(());
            }
            prefix.with(len, |before, _| {
                hand_over(before, offer.whole_target(), piece, rank)?;
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
