//! Combining what all ranks of all hosts bring.
//!
//! Each host combines what its ranks bring, and then the hosts combine that. Where order counts, all ranks of a host
//! have to come before those of the next. Who combines what depends on the hosts and the length alone, so results are
//! the same from run to run.

use simurgh_settings::rules::Algorithm;

use super::super::fold::{Fold, hand_over};
use super::super::offers::Offers;
use super::super::reduce::Counts;
use super::super::share::Share;
use super::super::task::Task;
use super::everybody::Everybody;
use super::growing::{Growing, Piece};
use super::talk::Talk;
use super::way::Way;
use super::{binomial, doubling, halving, pairwise, ring};
use crate::comm::Span;
use crate::error::Result;
use crate::limits::WORK_PIECE;
use crate::memory::{Source, Target, Writer};
use crate::op::Op;
use simurgh_core::sync::SpinLock;

/// A reduction of all ranks of one group, on one of its hosts.
pub(super) struct Reduction<'a, 'b, W> {
    pub(super) talk: &'b Talk<'a, W>,
    pub(super) span: &'b Span,
    pub(super) task: &'b Task,
    pub(super) op: &'b Op,
    pub(super) algorithm: Algorithm,
}

impl<W: Way> Reduction<'_, '_, W> {
    /// Combines what all bring, of which `like` is an example, and gives the ranks of this host what they get.
    pub(super) fn perform(&self, everybody: &mut Everybody<'_>, like: &Source) -> Result<()> {
        let growing = Growing::new(self.op, like)?;
        let offers = everybody.offers();
        self.fold_here(offers, &growing)?;
        match self.task {
            Task::Reduce { root, .. } => self.to_root(offers, growing, *root),
            Task::ReduceScatter { counts, .. } => self.to_each(offers, &growing, counts),
            Task::Scan { .. } | Task::Exscan { .. } => self.prefixes(everybody, &growing),
            _ => self.to_all(offers, growing),
        }
    }

    /// Combines what the ranks of this host bring.
    fn fold_here(&self, offers: Offers<'_>, growing: &Growing<'_>) -> Result<()> {
        let fold = Fold::here(self.op, offers, 0..offers.len())?;
        self.in_shares(
            like_bytes(growing).saturating_mul(self.span.local().len()),
            |share| {
                for piece in fold.pieces(share.slice(fold.count(), fold.element())) {
                    fold.combine(piece, &growing.value(piece));
                }
                Ok(())
            },
        )
    }

    /// Does work in shares, with the help of idle virtual processors unless it calls a function of the program.
    fn in_shares(&self, work: usize, perform: impl Fn(Share) -> Result<()> + Sync) -> Result<()> {
        let shares = (work / WORK_PIECE).max(1);
        if shares == 1 || self.task.calls_program() {
            return perform(Share::ALL);
        }
        let fault = SpinLock::new(None);
        simurgh_core::share(shares, &|index| {
            if let Err(error) = perform(Share::one(index, shares)) {
                fault.lock().get_or_insert(error);
            }
        });
        fault.lock().take().map_or(Ok(()), Err)
    }

    fn to_all(&self, offers: Offers<'_>, growing: Growing<'_>) -> Result<()> {
        match self.algorithm {
            Algorithm::Ring if self.op.is_commutative() => ring::combine(self.talk, &growing),
            Algorithm::Ring | Algorithm::Halving => halving::combine(self.talk, &growing),
            _ => doubling::combine(self.talk, &growing),
        }?;
        let result = growing.value(growing.all()).as_source();
        let seats = self.span.local();
        let writer = Writer::new(result.bytes().saturating_mul(1 + seats.len()));
        self.in_shares(result.bytes().saturating_mul(seats.len()), |share| {
            share.seats(seats.len()).try_for_each(|place| {
                let seat = seats[place] as usize;
                hand_over(&writer, &result, (0, result.count()), offers, seat)
            })
        })
    }

    fn to_root(&self, offers: Offers<'_>, growing: Growing<'_>, root: usize) -> Result<()> {
        let host = self.span.position_of(root);
        match self.algorithm {
            Algorithm::Halving => halving::combine_at(self.talk, &growing, host),
            _ => binomial::combine_at(self.talk, &growing, host, self.op.is_commutative()),
        }?;
        if !offers.is_here(root) {
            return Ok(());
        }
        let result = growing.value(growing.all()).as_source();
        hand_over(&Writer::new(0), &result, (0, result.count()), offers, root)
    }

    fn to_each(&self, offers: Offers<'_>, growing: &Growing<'_>, counts: &Counts) -> Result<()> {
        let (_, count) = growing.all();
        counts.check(offers, 0..offers.len(), count)?;
        let slices: Vec<Piece> = counts
            .slices(offers, 0..offers.len())
            .map(|(_, slice)| slice)
            .collect();
        let pieces = |host| {
            let seats = self.span.seats(host).iter();
            seats.map(|&seat| slices[seat as usize]).collect::<Vec<_>>()
        };
        let mut given = Ok(());
        pairwise::scatter(self.talk, growing, pieces, |place, combined: &dyn Fn(&Target)| {
            let seat = self.span.local()[place] as usize;
            let piece = slices[seat];
            // Nothing has come there.
            let result = growing.incoming(piece);
            combined(&result);
            let writer = Writer::new(0);
            let handed = hand_over(&writer, &result.as_source(), (0, piece.1), offers, seat);
            if given.is_ok() {
                given = handed;
            }
        })?;
        given
    }

    fn prefixes(&self, everybody: &mut Everybody<'_>, growing: &Growing<'_>) -> Result<()> {
        if let Some(before) = doubling::combine_before(self.talk, growing)? {
            everybody.begin_with(before);
        }
        let offers = everybody.offers();
        match self.task.calls_program() {
            true => self.task.complete(offers),
            false => self.task.complete_in_pieces(offers),
        }
    }
}

fn like_bytes(growing: &Growing<'_>) -> usize {
    growing.value(growing.all()).bytes()
}
