//! Collectives of few ranks, who see each other.
//!
//! Nobody does the work for others: when all have come, each does its share at once. If all that everybody sends lies
//! where it shows that it has come, that is all; or else the ranks meet once more, because the buffers that they have
//! shown to each other are in use until then.
//!
//! Cost: a line from each to each for each meeting, and the lines that describe the buffers, unless data goes by value.
//! Of small reductions each rank computes its own result, so that no core writes what another one is about to read.

use simurgh_core::{Brought, Circle};
use simurgh_settings::rules::Algorithm;

use super::board::{Arrived, Board, Gift, Left};
use super::call::Call;
use super::offer::Offer;
use super::offers::{Offers, Seating};
use super::role::check_between_groups;
use super::share::Share;
use super::task::Task;
use crate::check::Checks;
use crate::comm::Comm;
use crate::error::{Error, Result};
use crate::job::Job;
use crate::limits::PACKET;
use crate::memory::{Packet, Parts, Source, Target};
use crate::tool;

impl Comm {
    /// Gives each rank its part of every rank's buffer at once, of which the first part is given, if the ranks are few:
    /// without the value that a collective otherwise is, which would be most of the cost of a short one.
    #[inline]
    pub fn alltoall_at_once(&self, send: &Source, recv: &Target) -> Option<Result<()>> {
        if self.spans_hosts() || self.is_inter() || self.checks() == Checks::All {
            return None;
        }
        let circle = self.board().circle()?;
        let (call, job) = (Call::ALLTOALL, self.process().job());
        tool::collective(self.process(), call.name());
        let work = recv.bytes().saturating_mul(self.size());
        let (send, recv) = (Parts::Even(send.clone()), Parts::Even(recv.clone()));
        let offer = Offer::new(Some(send), Some(recv), work);
        let (board, seat) = (self.board(), self.seat());
        Some(board.collect_face_to_face(circle, seat, call, offer, job, &Task::Alltoall))
    }
}

impl Board {
    /// Runs a collective of ranks that see each other.
    pub(super) fn collect_face_to_face(
        &self,
        circle: Circle<'_, Arrived, Left>,
        seat: usize,
        call: Call,
        offer: Offer,
        job: &Job,
        task: &Task,
    ) -> Result<()> {
        let presence = self.face(circle, seat, call, |arrived| {
            arrived.carried = carry(&mut arrived.packet, task, &offer, self.seating());
            arrived.give(Gift::Offer(offer));
        })?;
        let brought = presence.brought();
        if let Some(bytes) = carried(&brought) {
            unpack(task, &brought, seat, bytes);
            return Ok(());
        }
        let offers = Offers::new(&brought, self.seating());
        let share = task.share(self.seating(), seat);
        let done = check_between_groups(|seat| brought[seat].call(), self.seating())
            .and_then(|()| task.plan(call, offers, job))
            .and_then(|algorithm| task.perform_apart(offers, seat, share, algorithm));
        let slide = task.slide(offers, share);
        drop(presence);
        let gift = done
            .as_ref()
            .map_or_else(|fault| Gift::Fault(fault.clone()), |()| Gift::Presence);
        let all = self.face(circle, seat, call, |arrived| arrived.give(gift))?;
        let brought = all.brought();
        let fault = || brought.iter().find_map(Arrived::fault).cloned();
        done.and_then(|()| fault().map_or(Ok(()), Err::<(), Error>))?;
        if let Some(slide) = slide {
            slide.carry_out();
        }
        Ok(())
    }
}

/// Puts what a rank sends into its packet, if it is worth it; how many bytes each part of it has.
#[inline]
fn carry(packet: &mut Packet, task: &Task, offer: &Offer, seating: Seating) -> Option<u32> {
    // Parts are counted by ranks of the other group then, not by seats.
    if seating.right > 0 {
        return None;
    }
    let (Some(Parts::Even(source)), Some(Parts::Even(target))) = (&offer.send, &offer.recv) else {
        return None;
    };
    let parts = match task {
        Task::Alltoall => seating.seats(),
        Task::Allgather => 1,
        _ => return None,
    };
    let bytes = source.bytes();
    // What does not fit its place is a matter for all.
    if bytes != target.bytes() || bytes.saturating_mul(parts) > PACKET {
        return None;
    }
    packet.fill(&Source::row(source, parts));
    u32::try_from(bytes).ok()
}

/// How many bytes each part has of what all ranks send, if all of it lies in their packets.
#[inline]
fn carried(brought: &Brought<'_, Arrived>) -> Option<usize> {
    let bytes = brought[0].carried?;
    let alike = brought.iter().all(|arrived| arrived.carried == Some(bytes));
    alike.then_some(bytes as usize)
}

/// Takes what is for a rank out of the packets. All parts have so many bytes.
#[inline]
fn unpack(task: &Task, brought: &Brought<'_, Arrived>, seat: usize, bytes: usize) {
    let offer = brought[seat].offer();
    let start = if let Task::Alltoall = task {
        seat * bytes
    } else {
        0
    };
    let Some(targets) = &offer.recv else { return };
    for (from, arrived) in brought.iter().enumerate() {
        if let Some(target) = targets.part(from)
            && !(offer.in_place && from == seat)
        {
            arrived.packet.hand_out(start..start + bytes, &target);
        }
    }
}

impl Task {
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
