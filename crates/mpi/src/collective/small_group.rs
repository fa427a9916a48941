//! Collectives of few ranks, who see each other.
//!
//! Nobody does the work for others: when all have come, each does its share at once. What is so short that it goes by
//! value needs no more; or else the ranks meet once more, because the buffers that they have shown to each other are in
//! use until then.
//!
//! Cost: a line from each to each for each meeting, and the data. Where what a rank sends has no gaps, that line tells
//! the others where it is; the lines that describe its buffers in full are read only where somebody's has some. Of
//! small reductions each rank computes its own result, so that no core writes what another one is about to read.

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
    /// Gives to each rank its part of what all ranks bring by value: so many bytes for each.
    pub(crate) fn exchange_by_value(
        &self,
        flags: FlagBarrier<'_, Arrival, Conclusion>,
        (seat, seats): (usize, usize),
        bytes: usize,
        send: &Source,
        recv: &Target,
    ) -> Result<()> {
        let presence = self.meet_by_flags(flags, seat, Call::ALLTOALL.of_length(bytes), |arrival| {
            arrival.give_nothing();
            arrival.inline.carry(&Source::row(send, seats));
        })?;
        let own = seat * bytes..(seat + 1) * bytes;
        for (from, arrival) in presence.contributions().iter().enumerate() {
            arrival.inline.value().hand_out(own.clone(), &recv.repeated(from));
        }
        Ok(())
    }

    /// Runs a collective of ranks that see each other.
    pub(crate) fn run_by_flags(
        &self,
        flags: FlagBarrier<'_, Arrival, Conclusion>,
        seat: usize,
        call: Call,
        buffers: Buffers,
        job: &Job,
        task: &Task,
    ) -> Result<()> {
        let presence = self.meet_by_flags(flags, seat, call, |arrival| {
            arrival.inline = inline_of(&buffers, self.group_sizes());
            arrival.give(Payload::Buffers(buffers));
        })?;
        let brought = presence.contributions();
        if let Some(done) = task.perform_inline(&brought, seat) {
            drop(presence);
            return self.meet_again(flags, seat, call, done);
        }
        let all_buffers = AllBuffers::new(&brought, self.group_sizes());
        let share = task.share(self.group_sizes(), seat);
        let done = check_between_groups(|seat| brought[seat].call(), self.group_sizes())
            .and_then(|()| task.plan(call, all_buffers, job))
            .and_then(|algorithm| task.perform_own_share(all_buffers, seat, share, algorithm));
        let pending_move = task.pending_move(all_buffers, share);
        drop(presence);
        self.meet_again(flags, seat, call, done)?;
        if let Some(pending_move) = pending_move {
            pending_move.carry_out();
        }
        Ok(())
    }

    /// Meets once more, when each rank has done what it could: none uses the buffers of others any more, and all learn
    /// whether one has failed.
    fn meet_again(
        &self,
        flags: FlagBarrier<'_, Arrival, Conclusion>,
        seat: usize,
        call: Call,
        done: Result<()>,
    ) -> Result<()> {
        let all = self.meet_by_flags(flags, seat, call, |arrival| arrival.report(&done))?;
        let brought = all.contributions();
        let fault = || brought.iter().find_map(Arrival::fault).cloned();
        done.and_then(|()| fault().map_or(Ok(()), Err::<(), Error>))
    }
}

/// What a rank sends, if all of it can be told in short, and goes to all ranks.
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
    /// Does the share of a rank, if what all send is told in short and equally long, and if each rank's share is to
    /// write its own buffer. Who cannot do so does the same in another way.
    fn perform_inline(&self, brought: &Contributions<'_, Arrival>, seat: usize) -> Option<Result<()>> {
        let first = brought[0].inline.plain()?;
        let alike = |source: &Source| source.bytes() == first.bytes();
        if first.bytes() > OWN_RESULT || !sent_inline(brought).all(|source| source.is_some_and(alike)) {
            return None;
        }
        match (self, &brought[seat].buffers().recv) {
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
                    || !sent_inline(brought).flatten().all(same)
                {
                    return None;
                }
                let bound = op.bind(datatype);
                Some(bound.map(|bound| accumulate(&bound, sent_inline(brought).flatten().cloned(), target)))
            }
            (Task::Alltoall, Some(Parts::Even(first_target))) if first_target.bytes() == first.bytes() => {
                for (from, source) in sent_inline(brought).flatten().enumerate() {
                    transfer(&source.repeated(seat), &first_target.repeated(from));
                }
                Some(Ok(()))
            }
            _ => None,
        }
    }

    /// Does a share, as no other rank waits for it alone, with the algorithm that would be taken by many.
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

/// What ranks send, by seat, of those that tell it in short.
fn sent_inline<'a>(brought: &'a Contributions<'_, Arrival>) -> impl Iterator<Item = Option<&'a Source>> {
    brought.iter().map(|arrival| arrival.inline.plain())
}
