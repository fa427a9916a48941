//! Short reductions, whose data goes by value.
//!
//! Each rank brings its operand itself, on one cache line, and the last rank to arrive leaves the result where all find
//! it. It touches no memory of other ranks: each rank copies the result when it goes on, into memory that is warm in
//! its own cache. Whether a reduction is short depends only on what the standard requires to be the same at all ranks,
//! so that all ranks decide alike. The number of bytes is part of the call ([`Call::of_length`]), so a rank that brings
//! another number is in a different call.

use simurgh_core::Contributions;
use simurgh_settings::rules::{Algorithm, Operation};

use super::Call;
use super::intra_host::{Arrival, IntraHost};
use super::local_reduction::accumulate;
use crate::check::Checks;
use crate::error::Result;
use crate::job::Job;
use crate::limits::PACKET;
use crate::memory::{Packet, Source, Target};
use crate::op::Op;

/// A reduction that can be done by value, as one rank sees it.
pub(crate) struct ByValue<'a> {
    op: &'a Op,
    /// The rank's operand, which has no gaps.
    operand: &'a Source,
}

impl<'a> ByValue<'a> {
    /// The reduction of operands such as this, of so many ranks of one group, if it is short.
    #[inline]
    pub(crate) fn of(
        (job, checks): (&Job, Checks),
        ranks: usize,
        operation: Operation,
        operand: &'a Source,
        op: &'a Op,
    ) -> Option<Self> {
        let (bytes, datatype) = (operand.bytes(), operand.datatype());
        let reduction = (1..=PACKET).contains(&bytes)
            && matches!(op, Op::Builtin(_))
            && datatype.is_contiguous()
            // Only descriptions of buffers can be compared in detail.
            && checks < Checks::All
            && job.algorithm(operation, ranks, bytes * ranks) == Algorithm::Last
            && op.check(datatype).is_ok();
        reduction.then_some(Self { op, operand })
    }

    /// Combines the operands of all ranks in rank order. They have equal lengths.
    fn combine(&self, contributions: &Contributions<'_, Arrival>, result: &mut Packet) -> Result<()> {
        let (count, datatype) = (self.operand.count(), self.operand.datatype());
        let sources = contributions
            .iter()
            .map(|arrival| arrival.inline.value().as_source(count, datatype));
        accumulate(
            &self.op.bind(datatype)?,
            sources,
            &result.as_target(count, datatype),
        );
        Ok(())
    }
}

impl IntraHost {
    /// Runs a short reduction. The result goes to `recv`, if the rank gets it.
    pub(crate) fn reduce_by_value(
        &self,
        seat: usize,
        call: Call,
        reduction: &ByValue<'_>,
        recv: Option<&Target>,
    ) -> Result<()> {
        let bytes = reduction.operand.bytes();
        let bring = |arrival: &mut Arrival| {
            arrival.clear_payload();
            arrival.inline.carry(reduction.operand);
        };
        if let Some(flags) = self.flags() {
            let guard = self.meet_by_flags(flags, seat, call.of_length(bytes), bring)?;
            if let Some(target) = recv {
                let mut result = Packet::default();
                reduction.combine(&guard.contributions(), &mut result)?;
                result.hand_out(0..bytes, target);
            }
            return Ok(());
        }
        let guard = self.meet(
            seat,
            call.of_length(bytes),
            bring,
            |contributions, conclusion| match reduction.combine(&contributions, &mut conclusion.packet) {
                Ok(()) => conclusion.finish(),
                Err(fault) => conclusion.fail(fault),
            },
        )?;
        guard.result().verdict()?;
        if let Some(target) = recv {
            guard.result().packet.hand_out(0..bytes, target);
        }
        Ok(())
    }
}
