//! Short reductions: data goes by value.
//!
//! What each rank brings lies at its seat, one cache line for each, and the last to come leaves the result where all
//! find it: it touches no rank's memory, and each rank fetches its result when it goes on, into memory that is warm in
//! its own cache. Whether a reduction is short depends on what the standard wants to be the same at all ranks, so all
//! choose alike; who brings another length calls something else ([`Call::of_length`]).

use simurgh_core::Brought;
use simurgh_settings::rules::Algorithm;

use super::board::{Arrived, Board};
use super::fold::accumulate;
use super::{Call, Offer, Task};
use crate::check::Checks;
use crate::comm::Comm;
use crate::error::Result;
use crate::limits::PACKET;
use crate::memory::{Packet, Source};
use crate::op::Op;

/// A reduction that can be done by value, as one rank sees it.
pub(super) struct Short<'a> {
    op: &'a Op,
    /// What the rank brings. It has no gaps.
    operand: &'a Source,
}

impl<'a> Short<'a> {
    /// The collective, if it is one.
    #[inline]
    pub(super) fn of(comm: &Comm, offer: &'a Offer, task: &'a Task) -> Option<Self> {
        let (Task::Allreduce { op } | Task::Reduce { op, .. }) = task else {
            return None;
        };
        let operand = offer.whole_source()?;
        let (bytes, ranks, datatype) = (operand.bytes(), comm.size(), operand.datatype());
        let short = (1..=PACKET).contains(&bytes)
            && matches!(op, Op::Builtin(_))
            && datatype.is_contiguous()
            && !comm.is_inter()
            // What all do is compared in what they offer.
            && comm.checks() < Checks::All
            && comm.process().job().algorithm(task.operation(), ranks, bytes * ranks) == Algorithm::Last;
        short.then_some(Self { op, operand })
    }

    /// Combines in rank order what all have brought, who have brought alike.
    fn combine(&self, brought: &Brought<'_, Arrived>, result: &mut Packet) -> Result<()> {
        let (count, datatype) = (self.operand.count(), self.operand.datatype());
        let sources = brought
            .iter()
            .map(|arrived| arrived.packet.as_source(count, datatype));
        accumulate(
            &self.op.bind(datatype)?,
            sources,
            &result.as_target(count, datatype),
        );
        Ok(())
    }
}

impl Board {
    /// Runs a short reduction, whose result goes where `offer` says, if the rank gets it.
    pub(super) fn pass_on(&self, seat: usize, call: Call, short: &Short<'_>, offer: &Offer) -> Result<()> {
        let bytes = short.operand.bytes();
        let bring = |arrived: &mut Arrived| {
            arrived.give_nothing();
            arrived.packet.fill(short.operand);
        };
        let visit = self.meet(seat, call.of_length(bytes), bring, |brought, left| {
            match short.combine(&brought, &mut left.packet) {
                Ok(()) => left.finish(),
                Err(fault) => left.fail(fault),
            }
        })?;
        visit.result().verdict()?;
        if let Some(target) = offer.whole_target() {
            visit.result().packet.hand_out(bytes, target);
        }
        Ok(())
    }
}
