//! Reductions over the ranks of several hosts.
//!
//! Each host combines the operands of its ranks, and then the hosts combine these values. If the order matters, all
//! ranks of a host have to come before those of the next. Which host combines what depends only on the hosts and the
//! length, so that results are the same from run to run.

use simurgh_settings::rules::Algorithm;

use super::super::all_buffers::AllBuffers;
use super::super::local_reduction::{LocalReduction, hand_over};
use super::super::reduce::Counts;
use super::super::share::Share;
use super::super::task::Task;
use super::accumulator::{Accumulator, Piece};
use super::channel::Channel;
use super::known_buffers::KnownBuffers;
use super::slices::in_slices;
use super::transport::Transport;
use super::{binomial, doubling, halving, pairwise, ring};
use crate::error::Result;
use crate::limits::WORK_PIECE;
use crate::members::HostMap;
use crate::memory::{Source, Target, Writer};
use crate::op::Op;
use crate::selection::InterHostChoice;
use simurgh_core::sync::SpinLock;

/// A reduction over all ranks of an intra-communicator, on one of its hosts.
pub(super) struct Reduction<'a, 'b, W> {
    pub(super) channel: &'b Channel<'a, W>,
    pub(super) host_map: &'b HostMap,
    pub(super) task: &'b Task,
    pub(super) op: &'b Op,
    pub(super) choice: InterHostChoice,
}

impl<W: Transport> Reduction<'_, '_, W> {
    /// Combines the operands of all ranks, of which `like` is an example, and copies to the ranks of this host what
    /// they get.
    pub(super) fn perform(&self, known_buffers: &mut KnownBuffers<'_>, like: &Source) -> Result<()> {
        let all_buffers = known_buffers.all_buffers();
        match self.task {
            Task::ReduceScatter { counts, .. } => {
                let accumulator = self.reduce_here(all_buffers, like, Share::ALL)?;
                self.to_each(all_buffers, &accumulator, counts)
            }
            Task::Scan { .. } | Task::Exscan { .. } => {
                let accumulator = self.reduce_here(all_buffers, like, Share::ALL)?;
                self.prefixes(known_buffers, &accumulator)
            }
            _ => in_slices(self.channel, self.slices(), |channel, share| {
                let accumulator = self.reduce_here(all_buffers, like, share)?;
                match self.task {
                    Task::Reduce { root, .. } => self.to_root(channel, all_buffers, &accumulator, *root),
                    _ => self.to_all(channel, all_buffers, &accumulator),
                }
            }),
        }
    }

    /// Number of slices of the elements: one if a function of the program combines them, because only one execution
    /// context may call it at a time.
    fn slices(&self) -> usize {
        match self.task.calls_program() {
            true => 1,
            false => self.choice.slices,
        }
    }

    /// Combines a share of the elements of this host's ranks.
    fn reduce_here(
        &self,
        all_buffers: AllBuffers<'_>,
        like: &Source,
        share: Share,
    ) -> Result<Accumulator<'_>> {
        let reduction = LocalReduction::here(self.op, all_buffers, 0..all_buffers.len())?;
        let (start, len) = share.slice(reduction.count(), reduction.element());
        let accumulator = Accumulator::new(self.op, &like.slice(start, len))?.from(start);
        let work = (len * reduction.element()).saturating_mul(self.host_map.local_seats().len());
        self.in_shares(work, |share| {
            for (from, len) in reduction.pieces(share.slice(len, reduction.element())) {
                reduction.combine((start + from, len), &accumulator.value((from, len)));
            }
            Ok(())
        })?;
        Ok(accumulator)
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

    fn to_all(
        &self,
        channel: &Channel<'_, W>,
        all_buffers: AllBuffers<'_>,
        accumulator: &Accumulator<'_>,
    ) -> Result<()> {
        match self.choice.algorithm {
            Algorithm::Ring if self.op.is_commutative() => ring::allreduce(channel, accumulator),
            Algorithm::Ring | Algorithm::Halving => halving::allreduce(channel, accumulator),
            _ => doubling::allreduce(channel, accumulator),
        }?;
        let result = accumulator.value(accumulator.all()).as_source();
        let seats = self.host_map.local_seats();
        let writer = Writer::new(result.bytes().saturating_mul(1 + seats.len()));
        self.in_shares(result.bytes().saturating_mul(seats.len()), |share| {
            share.seats(seats.len()).try_for_each(|index| {
                let seat = seats[index] as usize;
                hand_over(&writer, &result, accumulator.range(), all_buffers, seat)
            })
        })
    }

    fn to_root(
        &self,
        channel: &Channel<'_, W>,
        all_buffers: AllBuffers<'_>,
        accumulator: &Accumulator<'_>,
        root: usize,
    ) -> Result<()> {
        let host = self.host_map.position_of(root);
        match self.choice.algorithm {
            Algorithm::Halving => halving::reduce(channel, accumulator, host),
            _ => binomial::reduce(channel, accumulator, host, self.op.is_commutative()),
        }?;
        if !all_buffers.is_here(root) {
            return Ok(());
        }
        let result = accumulator.value(accumulator.all()).as_source();
        hand_over(&Writer::new(0), &result, accumulator.range(), all_buffers, root)
    }

    fn to_each(
        &self,
        all_buffers: AllBuffers<'_>,
        accumulator: &Accumulator<'_>,
        counts: &Counts,
    ) -> Result<()> {
        let (_, count) = accumulator.all();
        counts.check(all_buffers, 0..all_buffers.len(), count)?;
        let slices: Vec<Piece> = counts
            .slices(all_buffers, 0..all_buffers.len())
            .map(|(_, slice)| slice)
            .collect();
        let wanted = self.slices().min(self.host_map.most_seats());
        in_slices(self.channel, wanted, |channel, share| {
            let seats = |host| {
                let seats = self.host_map.seats(host);
                share.seats(seats.len()).map(|index| seats[index] as usize)
            };
            let pieces = |host| seats(host).map(|seat| slices[seat]).collect::<Vec<_>>();
            let here: Vec<usize> = seats(self.host_map.own()).collect();
            let mut given = Ok(());
            pairwise::reduce_scatter(
                channel,
                accumulator,
                pieces,
                |index, combined: &dyn Fn(&Target)| {
                    let (seat, piece) = (here[index], slices[here[index]]);
                    // The memory for received operands is not in use here.
                    let result = accumulator.incoming(piece);
                    combined(&result);
                    let writer = Writer::new(0);
                    let handed = hand_over(&writer, &result.as_source(), (0, piece.1), all_buffers, seat);
                    if given.is_ok() {
                        given = handed;
                    }
                },
            )?;
            given
        })
    }

    fn prefixes(&self, known_buffers: &mut KnownBuffers<'_>, accumulator: &Accumulator<'_>) -> Result<()> {
        if let Some(before) = doubling::exscan(self.channel, accumulator)? {
            known_buffers.begin_with(before);
        }
        let all_buffers = known_buffers.all_buffers();
        match self.task.calls_program() {
            true => self.task.complete(all_buffers),
            false => self.task.complete_in_pieces(all_buffers),
        }
    }
}
