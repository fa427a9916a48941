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

use super::board::{Arrived, Board, Brief, Gift, Left};
use super::call::Call;
use super::fold::accumulate;
use super::offer::Offer;
use super::offers::Offers;
use super::role::check_between_groups;
use super::share::Share;
use super::task::Task;
use crate::check::Checks;
use crate::comm::Comm;
use crate::datatype::Datatype;
use crate::error::{Error, Result};
use crate::job::Job;
use crate::limits::{OWN_RESULT, PACKET};
use crate::members::Seating;
use crate::memory::{Parts, Source, Target, transfer};
use crate::op::Op;
use crate::tool;

impl Comm {
    /// Gives each rank its part of every rank's buffer at once, of which the first part is given, if the ranks are few:
    /// without the value that a collective otherwise is, which would be most of the cost of a short one.
    #[inline]
    pub fn alltoall_at_once(&self, send: &Source, recv: &Target) -> Option<Result<()>> {
        let circle = self.few()?;
        tool::collective(self.process(), Call::ALLTOALL.name());
        if let Some(done) = self.swap(circle, send, recv) {
            return Some(done);
        }
        let work = recv.bytes().saturating_mul(self.size());
        let (send, recv) = (Parts::Even(send.clone()), Parts::Even(recv.clone()));
        let offer = Offer::new(Some(send), Some(recv), work);
        let (board, job) = (self.board(), self.process().job());
        Some(board.collect_face_to_face(circle, self.seat(), Call::ALLTOALL, offer, job, &Task::Alltoall))
    }

    /// Combines all ranks' elements at every rank at once, if the ranks are few and each is to compute its own result;
    /// `send` and `recv` are different memory, and `op` is defined on the datatype of both.
    #[inline]
    pub fn allreduce_at_once(&self, send: &Source, recv: &Target, op: &Op) -> Option<Result<()>> {
        let circle = self.few()?;
        if send.bytes() > OWN_RESULT || op.check(send.datatype()).is_err() {
            return None;
        }
        tool::collective(self.process(), Call::ALLREDUCE.name());
        let (work, task) = (send.bytes(), Task::Allreduce { op: op.clone() });
        let (send, recv) = (Parts::Even(send.clone()), Parts::Even(recv.clone()));
        let offer = Offer::new(Some(send), Some(recv), work);
        let (board, job) = (self.board(), self.process().job());
        Some(board.collect_face_to_face(circle, self.seat(), Call::ALLREDUCE, offer, job, &task))
    }

    /// The ranks as they see each other, if they are few, of one group, and not to be checked in all they do.
    #[inline]
    fn few(&self) -> Option<FlagBarrier<'_, Arrived, Left>> {
        if self.spans_hosts() || self.is_inter() || self.checks() == Checks::All {
            return None;
        }
        self.board().circle()
    }

    /// Does a collective of few ranks by value, if it is an exchange that is short enough.
    #[inline]
    pub(super) fn swap_by_value(&self, task: &Task, offer: &Offer) -> Option<Result<()>> {
        let (Task::Alltoall, Some(Parts::Even(send)), Some(Parts::Even(recv))) =
            (task, &offer.send, &offer.recv)
        else {
            return None;
        };
        self.swap(self.few()?, send, recv)
    }

    /// Exchanges equal parts by value, of which the first is given, if they are short enough.
    #[inline]
    fn swap(
        &self,
        circle: FlagBarrier<'_, Arrived, Left>,
        send: &Source,
        recv: &Target,
    ) -> Option<Result<()>> {
        let bytes = short(send, recv, self.size())?;
        let place = (self.seat(), self.size());
        Some(self.board().swap(circle, place, bytes, send, recv))
    }
}

/// Bytes of each part of an exchange that is short enough to be done by value. All ranks of a right program say the
/// same: what each sends to each is as long as what that has room for.
#[inline]
fn short(send: &Source, recv: &Target, parts: usize) -> Option<usize> {
    let bytes = send.bytes();
    (bytes > 0 && bytes == recv.bytes() && bytes * parts <= PACKET).then_some(bytes)
}

impl Board {
    /// Gives to each rank its part of what all ranks bring by value: so many bytes for each.
    fn swap(
        &self,
        circle: FlagBarrier<'_, Arrived, Left>,
        (seat, seats): (usize, usize),
        bytes: usize,
        send: &Source,
        recv: &Target,
    ) -> Result<()> {
        let presence = self.face(circle, seat, Call::ALLTOALL.of_length(bytes), |arrived| {
            arrived.give_nothing();
            arrived.brief.carry(&Source::row(send, seats));
        })?;
        let own = seat * bytes..(seat + 1) * bytes;
        for (from, arrived) in presence.contributions().iter().enumerate() {
            arrived.brief.value().hand_out(own.clone(), &recv.repeated(from));
        }
        Ok(())
    }

    /// Runs a collective of ranks that see each other.
    pub(super) fn collect_face_to_face(
        &self,
        circle: FlagBarrier<'_, Arrived, Left>,
        seat: usize,
        call: Call,
        offer: Offer,
        job: &Job,
        task: &Task,
    ) -> Result<()> {
        let presence = self.face(circle, seat, call, |arrived| {
            arrived.brief = brief(&offer, self.seating());
            arrived.give(Gift::Offer(offer));
        })?;
        let brought = presence.contributions();
        if let Some(done) = task.perform_plainly(&brought, seat) {
            drop(presence);
            return self.part(circle, seat, call, done);
        }
        let offers = Offers::new(&brought, self.seating());
        let share = task.share(self.seating(), seat);
        let done = check_between_groups(|seat| brought[seat].call(), self.seating())
            .and_then(|()| task.plan(call, offers, job))
            .and_then(|algorithm| task.perform_apart(offers, seat, share, algorithm));
        let slide = task.slide(offers, share);
        drop(presence);
        self.part(circle, seat, call, done)?;
        if let Some(slide) = slide {
            slide.carry_out();
        }
        Ok(())
    }

    /// Meets once more, when each rank has done what it could: none uses the buffers of others any more, and all learn
    /// whether one has failed.
    fn part(
        &self,
        circle: FlagBarrier<'_, Arrived, Left>,
        seat: usize,
        call: Call,
        done: Result<()>,
    ) -> Result<()> {
        let all = self.face(circle, seat, call, |arrived| arrived.report(&done))?;
        let brought = all.contributions();
        let fault = || brought.iter().find_map(Arrived::fault).cloned();
        done.and_then(|()| fault().map_or(Ok(()), Err::<(), Error>))
    }
}

/// What a rank sends, if all of it can be told in short, and goes to all ranks.
#[inline]
fn brief(offer: &Offer, seating: Seating) -> Brief {
    match &offer.send {
        Some(Parts::Even(source)) if seating.right == 0 && !offer.in_place && is_plain(source) => {
            Brief::Plain(source.clone())
        }
        _ => Brief::default(),
    }
}

/// Whether a buffer is of a predefined datatype without gaps.
#[inline]
fn is_plain(source: &Source) -> bool {
    matches!(source.datatype(), Datatype::Basic(basic) if basic.is_dense())
}

impl Task {
    /// Does the share of a rank, if what all send is told in short and equally long, and if each rank's share is to
    /// write its own buffer. Who cannot do so does the same in another way.
    fn perform_plainly(&self, brought: &Contributions<'_, Arrived>, seat: usize) -> Option<Result<()>> {
        let first = brought[0].brief.plain()?;
        let alike = |source: &Source| source.bytes() == first.bytes();
        if first.bytes() > OWN_RESULT || !sent(brought).all(|source| source.is_some_and(alike)) {
            return None;
        }
        match (self, &brought[seat].offer().recv) {
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
                    || !sent(brought).flatten().all(same)
                {
                    return None;
                }
                let bound = op.bind(datatype);
                Some(bound.map(|bound| accumulate(&bound, sent(brought).flatten().cloned(), target)))
            }
            (Task::Alltoall, Some(Parts::Even(first_target))) if first_target.bytes() == first.bytes() => {
                for (from, source) in sent(brought).flatten().enumerate() {
                    transfer(&source.repeated(seat), &first_target.repeated(from));
                }
                Some(Ok(()))
            }
            _ => None,
        }
    }

    /// Does a share, as no other rank waits for it alone, with the algorithm that would be taken by many.
    fn perform_apart(
        &self,
        offers: Offers<'_>,
        seat: usize,
        share: Share,
        algorithm: Algorithm,
    ) -> Result<()> {
        match (self, algorithm) {
            (Task::Allreduce { op }, _) if super::reduce::is_better_done_by_each(offers) => {
                super::reduce::to_one(op, offers, seat)
            }
            (_, Algorithm::Striped) => self.perform_in_pieces(offers, share),
            _ => self.perform(offers, share),
        }
    }
}

/// What ranks send, by seat, of those that tell it in short.
fn sent<'a>(brought: &'a Contributions<'_, Arrived>) -> impl Iterator<Item = Option<&'a Source>> {
    brought.iter().map(|arrived| arrived.brief.plain())
}
