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
use super::slices::in_slices;
use super::talk::Talk;
use super::way::Way;
use super::{binomial, doubling, halving, pairwise, ring};
use crate::error::Result;
use crate::limits::WORK_PIECE;
use crate::members::Span;
use crate::memory::{Source, Target, Writer};
use crate::op::Op;
use crate::selection::Between;
use simurgh_core::sync::SpinLock;

/// A reduction of all ranks of one group, on one of its hosts.
pub(super) struct Reduction<'a, 'b, W> {
    pub(super) talk: &'b Talk<'a, W>,
    pub(super) span: &'b Span,
    pub(super) task: &'b Task,
    pub(super) op: &'b Op,
    pub(super) between: Between,
}

impl<W: Way> Reduction<'_, '_, W> {
    /// Combines what all bring, of which `like` is an example, and gives the ranks of this host what they get.
    pub(super) fn perform(&self, everybody: &mut Everybody<'_>, like: &Source) -> Result<()> {
        let offers = everybody.offers();
        match self.task {
            Task::ReduceScatter { counts, .. } => {
                let growing = self.fold_here(offers, like, Share::ALL)?;
                self.to_each(offers, &growing, counts)
            }
            Task::Scan { .. } | Task::Exscan { .. } => {
                let growing = self.fold_here(offers, like, Share::ALL)?;
                self.prefixes(everybody, &growing)
            }
            _ => in_slices(self.talk, self.slices(), |talk, share| {
                let growing = self.fold_here(offers, like, share)?;
                match self.task {
                    Task::Reduce { root, .. } => self.to_root(talk, offers, &growing, *root),
                    _ => self.to_all(talk, offers, &growing),
                }
            }),
        }
    }

    /// Slices of the elements. A function of the program is called by one at a time.
    fn slices(&self) -> usize {
        match self.task.calls_program() {
            true => 1,
            false => self.between.slices,
        }
    }

    /// Combines a share of the elements that the ranks of this host bring.
    fn fold_here(&self, offers: Offers<'_>, like: &Source, share: Share) -> Result<Growing<'_>> {
        let fold = Fold::here(self.op, offers, 0..offers.len())?;
        let (start, len) = share.slice(fold.count(), fold.element());
        let growing = Growing::new(self.op, &like.slice(start, len))?.from(start);
        let work = (len * fold.element()).saturating_mul(self.span.local().len());
        self.in_shares(work, |share| {
            for (from, len) in fold.pieces(share.slice(len, fold.element())) {
                fold.combine((start + from, len), &growing.value((from, len)));
            }
            Ok(())
        })?;
        Ok(growing)
    }

    /// Does work in shares, with the help of idle virtual processors unless it calls a function of the program.
    fn in_shares(&self, work: usize, perform: impl Fn(Share) -> Result<()> + Sync) -> Result<()> {
        let shares = (work / WORK_PIECE).max(1);
        if shares == 1 || self.task.calls_program() {
            return perform(Share::ALL);
        }
        let fault = SpinLock::new(None);
        simurgh_core::parallel_for(shares, &|index| {
            if let Err(error) = perform(Share::one(index, shares)) {
                fault.lock().get_or_insert(error);
            }
        });
        fault.lock().take().map_or(Ok(()), Err)
    }

    fn to_all(&self, talk: &Talk<'_, W>, offers: Offers<'_>, growing: &Growing<'_>) -> Result<()> {
        match self.between.algorithm {
            Algorithm::Ring if self.op.is_commutative() => ring::combine(talk, growing),
            Algorithm::Ring | Algorithm::Halving => halving::combine(talk, growing),
            _ => doubling::combine(talk, growing),
        }?;
        let result = growing.value(growing.all()).as_source();
        let seats = self.span.local();
        let writer = Writer::new(result.bytes().saturating_mul(1 + seats.len()));
        self.in_shares(result.bytes().saturating_mul(seats.len()), |share| {
            share.seats(seats.len()).try_for_each(|place| {
                let seat = seats[place] as usize;
                hand_over(&writer, &result, growing.whereabouts(), offers, seat)
            })
        })
    }

    fn to_root(
        &self,
        talk: &Talk<'_, W>,
        offers: Offers<'_>,
        growing: &Growing<'_>,
        root: usize,
    ) -> Result<()> {
        let host = self.span.position_of(root);
        match self.between.algorithm {
            Algorithm::Halving => halving::combine_at(talk, growing, host),
            _ => binomial::combine_at(talk, growing, host, self.op.is_commutative()),
        }?;
        if !offers.is_here(root) {
            return Ok(());
        }
        let result = growing.value(growing.all()).as_source();
        hand_over(&Writer::new(0), &result, growing.whereabouts(), offers, root)
    }

    fn to_each(&self, offers: Offers<'_>, growing: &Growing<'_>, counts: &Counts) -> Result<()> {
        let (_, count) = growing.all();
        counts.check(offers, 0..offers.len(), count)?;
        let slices: Vec<Piece> = counts
            .slices(offers, 0..offers.len())
            .map(|(_, slice)| slice)
            .collect();
        let wanted = self.slices().min(self.span.most_seats());
        in_slices(self.talk, wanted, |talk, share| {
            let seats = |host| {
                let seats = self.span.seats(host);
                share.seats(seats.len()).map(|place| seats[place] as usize)
            };
            let pieces = |host| seats(host).map(|seat| slices[seat]).collect::<Vec<_>>();
            let here: Vec<usize> = seats(self.span.own()).collect();
            let mut given = Ok(());
            pairwise::scatter(talk, growing, pieces, |index, combined: &dyn Fn(&Target)| {
                let (seat, piece) = (here[index], slices[here[index]]);
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
        })
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
