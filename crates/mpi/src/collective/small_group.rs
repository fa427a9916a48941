//! Collectives of small groups: up to four ranks with a core each.
//!
//! The ranks watch each other's arrival flags, and no rank does the work for others: when all have arrived, each does
//! its share at once. Data that is short enough to go by value needs no more than that. Otherwise the ranks meet a
//! second time, because until then they use the buffers that they have shown to each other.
//!
//! Cost: one cache line from each rank to each other rank for a meeting, and the data. If a rank's send buffer is
//! dense, that line says where it is; the lines that describe buffers in full are read only if somebody's buffer has
//! gaps. In small reductions each rank computes its own result, so that no core writes what another core is about to
//! read.

use simurgh_core::{Contributions, FlagBarrier};
use simurgh_settings::rules::Algorithm;

use super::all_buffers::AllBuffers;
use super::buffers::Buffers;
use super::call::Call;
use super::intra_host::{Arrival, Conclusion, Inline, IntraHost, Payload};
use super::local_reduction::accumulate;
use super::role::check_between_groups;
use super::share::Share;
use super::task::Task;
use crate::datatype::Datatype;
use crate::error::{Error, Result};
use crate::job::Job;
use crate::limits::OWN_RESULT;
use crate::members::GroupSizes;
use crate::memory::{Parts, Source, Target, transfer};
use crate::op::Op;

impl IntraHost {
    /// Exchanges parts of `bytes` each, which all ranks bring by value.
    pub(crate) fn exchange_by_value(
        &self,
        flags: FlagBarrier<'_, Arrival, Conclusion>,
        (seat, seats): (usize, usize),
        bytes: usize,
        send: &Source,
        recv: &Target,
    ) -> Result<()> {
        let guard = self.meet_by_flags(flags, seat, Call::ALLTOALL.of_length(bytes), |arrival| {
            arrival.clear_payload();
            arrival.inline.carry(&Source::row(send, seats));
        })?;
        let own = seat * bytes..(seat + 1) * bytes;
        for (from, arrival) in guard.contributions().iter().enumerate() {
            arrival.inline.value().hand_out(own.clone(), &recv.repeated(from));
        }
        Ok(())
    }

    /// Runs a collective of ranks that watch each other's arrival flags.
    pub(crate) fn run_by_flags(
        &self,
        flags: FlagBarrier<'_, Arrival, Conclusion>,
        seat: usize,
        call: Call,
        buffers: Buffers,
        job: &Job,
        task: &Task,
    ) -> Result<()> {
        let guard = self.meet_by_flags(flags, seat, call, |arrival| {
            arrival.inline = inline_of(&buffers, self.group_sizes());
            arrival.set_payload(Payload::Buffers(buffers));
        })?;
        let contributions = guard.contributions();
        if let Some(done) = task.perform_inline(&contributions, seat) {
            drop(guard);
            return self.meet_again(flags, seat, call, done);
        }
        let all_buffers = AllBuffers::new(&contributions, self.group_sizes());
        let share = task.share(self.group_sizes(), seat);
        let done = check_between_groups(|seat| contributions[seat].call(), self.group_sizes())
            .and_then(|()| task.plan(call, all_buffers, job))
            .and_then(|algorithm| task.perform_own_share(all_buffers, seat, share, algorithm));
        let pending_move = task.pending_move(all_buffers, share);
        drop(guard);
        self.meet_again(flags, seat, call, done)?;
        if let Some(pending_move) = pending_move {
            pending_move.carry_out();
        }
        Ok(())
    }

    /// Meets again after each rank has done its share. From then on no rank uses the buffers of others, and all know
    /// whether one has failed.
    fn meet_again(
        &self,
        flags: FlagBarrier<'_, Arrival, Conclusion>,
        seat: usize,
        call: Call,
        done: Result<()>,
    ) -> Result<()> {
        let all = self.meet_by_flags(flags, seat, call, |arrival| arrival.report(&done))?;
        let contributions = all.contributions();
        let fault = || contributions.iter().find_map(Arrival::fault).cloned();
        done.and_then(|()| fault().map_or(Ok(()), Err::<(), Error>))
    }
}

/// The description of a rank's send buffer that fits on the line with its arrival flag, if the same data goes to all
/// ranks.
#[inline]
fn inline_of(buffers: &Buffers, group_sizes: GroupSizes) -> Inline {
    match &buffers.send {
        Some(Parts::Even(source))
            if group_sizes.right == 0 && !buffers.in_place && is_dense_buffer(source) =>
        {
            Inline::Source(source.clone())
        }
        _ => Inline::default(),
    }
}

/// Whether a buffer is of a predefined datatype without gaps.
#[inline]
fn is_dense_buffer(source: &Source) -> bool {
    matches!(source.datatype(), Datatype::Basic(basic) if basic.is_dense())
}

impl Task {
    /// Does the share of a rank if all send buffers are described inline and of equal length, and the share is to write
    /// the rank's own buffer. Otherwise the caller does the share in the general way.
    fn perform_inline(&self, contributions: &Contributions<'_, Arrival>, seat: usize) -> Option<Result<()>> {
        let first = contributions[0].inline.plain()?;
        let alike = |source: &Source| source.bytes() == first.bytes();
        if first.bytes() > OWN_RESULT || !sent_inline(contributions).all(|source| source.is_some_and(alike)) {
            return None;
        }
        match (self, &contributions[seat].buffers().recv) {
            (
                Task::Allreduce {
                    op: op @ Op::Builtin(_),
                },
                Some(Parts::Even(target)),
            ) => {
                let datatype = first.datatype();
                let same = |source: &Source| source.datatype() == datatype;
                if target.datatype() != datatype
                    || target.count() != first.count()
                    || !sent_inline(contributions).flatten().all(same)
                {
                    return None;
                }
                let bound = op.bind(datatype);
                Some(
                    bound.map(|bound| {
                        accumulate(&bound, sent_inline(contributions).flatten().cloned(), target)
                    }),
                )
            }
            (Task::Alltoall, Some(Parts::Even(first_target))) if first_target.bytes() == first.bytes() => {
                for (from, source) in sent_inline(contributions).flatten().enumerate() {
                    transfer(&source.repeated(seat), &first_target.repeated(from));
                }
                Some(Ok(()))
            }
            _ => None,
        }
    }

    /// Does the share of one rank with the algorithm that a larger group would take. No other rank waits for this share
    /// alone.
    fn perform_own_share(
        &self,
        all_buffers: AllBuffers<'_>,
        seat: usize,
        share: Share,
        algorithm: Algorithm,
    ) -> Result<()> {
        match (self, algorithm) {
            (Task::Allreduce { op }, _) if super::reduce::is_faster_at_each(all_buffers) => {
                super::reduce::to_one(op, all_buffers, seat)
            }
            (_, Algorithm::Striped) => self.perform_in_pieces(all_buffers, share),
            _ => self.perform(all_buffers, share),
        }
    }
}

/// The send buffers by seat, as far as they are described inline.
fn sent_inline<'a>(
    contributions: &'a Contributions<'_, Arrival>,
) -> impl Iterator<Item = Option<&'a Source>> {
    contributions.iter().map(|arrival| arrival.inline.plain())
}
