//! Short collectives without the value that a collective otherwise is.

use crate::check::Checks;
use crate::collective::{
    Arrival, Buffers, ByValue, Call, Conclusion, Task, is_published, published_broadcast,
};
use crate::comm::Comm;
use crate::error::Result;
use crate::instrument;
use crate::limits::{OWN_RESULT, PACKET};
use crate::memory::{Parts, Source, Target};
use crate::op::Op;
use simurgh_core::FlagBarrier;
use simurgh_settings::rules::Operation;

impl Comm {
    /// Broadcasts the root's `buffer` at once, if the root leads and all live here: without the value that a collective
    /// otherwise is, which would be most of the cost of a short one.
    #[inline]
    pub fn bcast_at_once(&self, buffer: &Target, root: i32) -> Option<Result<()>> {
        let root = usize::try_from(root).ok().filter(|root| *root < self.size())?;
        if self.spans_hosts() || !self.root_leads(buffer.bytes()) {
            return None;
        }
        instrument::collective(self.process(), Call::BCAST.name());
        let source = (root == self.index()).then(|| buffer.as_source());
        let call = Call::BCAST.at(root);
        Some(self.publish(call, (source.as_ref(), Some(buffer)), root))
    }

    /// Whether the root leads in a broadcast of so many bytes.
    #[inline]
    pub(super) fn root_leads(&self, bytes: usize) -> bool {
        !self.is_inter() && is_published(self.process().job(), self.size(), bytes)
    }

    /// Takes part in a broadcast in which the root leads.
    pub(super) fn publish(
        &self,
        call: Call,
        buffers: (Option<&Source>, Option<&Target>),
        root: usize,
    ) -> Result<()> {
        let own = (self.seat(), self.group_sizes());
        published_broadcast(self.publication(), own, call, buffers, root)
    }

    /// Does a reduction at once, to `root` or to all, if it can be done by value. `recv` is where the rank gets the
    /// result, if it does; the buffers have to be of one datatype and count.
    #[inline]
    pub fn reduce_by_value(
        &self,
        send: &Source,
        recv: Option<&Target>,
        op: &Op,
        root: Option<i32>,
    ) -> Option<Result<()>> {
        let (call, operation) = match root.map(usize::try_from) {
            None => (Call::ALLREDUCE, Operation::Allreduce),
            Some(Ok(root)) if root < self.size() => (Call::REDUCE.at(root), Operation::Reduce),
            Some(_) => return None,
        };
        if self.spans_hosts() {
            return None;
        }
        let reduction = self.short_reduction(operation, send, op)?;
        instrument::collective(self.process(), call.name());
        Some(
            self.intra_host()
                .reduce_by_value(self.seat(), call, &reduction, recv),
        )
    }

    /// The reduction of operands such as this, if it is short.
    #[inline]
    pub(super) fn short_reduction<'a>(
        &self,
        operation: Operation,
        operand: &'a Source,
        op: &'a Op,
    ) -> Option<ByValue<'a>> {
        let job = (&**self.process().job(), self.checks());
        match self.is_inter() {
            false => ByValue::of(job, self.size(), operation, operand, op),
            true => None,
        }
    }

    /// Gives each rank its part of every rank's buffer at once, of which the first part is given, if the ranks are few:
    /// without the value that a collective otherwise is, which would be most of the cost of a short one.
    #[inline]
    pub fn alltoall_at_once(&self, send: &Source, recv: &Target) -> Option<Result<()>> {
        let flags = self.small_group()?;
        instrument::collective(self.process(), Call::ALLTOALL.name());
        if let Some(done) = self.exchange_by_value(flags, send, recv) {
            return Some(done);
        }
        let work = recv.bytes().saturating_mul(self.size());
        let (send, recv) = (Parts::Even(send.clone()), Parts::Even(recv.clone()));
        let buffers = Buffers::new(Some(send), Some(recv), work);
        let (intra_host, job) = (self.intra_host(), self.process().job());
        Some(intra_host.run_by_flags(flags, self.seat(), Call::ALLTOALL, buffers, job, &Task::Alltoall))
    }

    /// Combines all ranks' elements at every rank at once, if the ranks are few and each is to compute its own result;
    /// `send` and `recv` are different memory, and `op` is defined on the datatype of both.
    #[inline]
    pub fn allreduce_at_once(&self, send: &Source, recv: &Target, op: &Op) -> Option<Result<()>> {
        let flags = self.small_group()?;
        if send.bytes() > OWN_RESULT || op.check(send.datatype()).is_err() {
            return None;
        }
        instrument::collective(self.process(), Call::ALLREDUCE.name());
        let (work, task) = (send.bytes(), Task::Allreduce { op: op.clone() });
        let (send, recv) = (Parts::Even(send.clone()), Parts::Even(recv.clone()));
        let buffers = Buffers::new(Some(send), Some(recv), work);
        let (intra_host, job) = (self.intra_host(), self.process().job());
        Some(intra_host.run_by_flags(flags, self.seat(), Call::ALLREDUCE, buffers, job, &task))
    }

    /// The ranks as they see each other, if they are few, of one group, and not to be checked in all they do.
    #[inline]
    fn small_group(&self) -> Option<FlagBarrier<'_, Arrival, Conclusion>> {
        if self.spans_hosts() || self.is_inter() || self.checks() == Checks::All {
            return None;
        }
        self.intra_host().flags()
    }

    /// Does a collective of few ranks by value, if it is an exchange that is short enough.
    #[inline]
    pub(crate) fn alltoall_by_value(&self, task: &Task, buffers: &Buffers) -> Option<Result<()>> {
        let (Task::Alltoall, Some(Parts::Even(send)), Some(Parts::Even(recv))) =
            (task, &buffers.send, &buffers.recv)
        else {
            return None;
        };
        self.exchange_by_value(self.small_group()?, send, recv)
    }

    /// Exchanges equal parts by value, of which the first is given, if they are short enough.
    #[inline]
    fn exchange_by_value(
        &self,
        flags: FlagBarrier<'_, Arrival, Conclusion>,
        send: &Source,
        recv: &Target,
    ) -> Option<Result<()>> {
        let bytes = short(send, recv, self.size())?;
        let place = (self.seat(), self.size());
        Some(
            self.intra_host()
                .exchange_by_value(flags, place, bytes, send, recv),
        )
    }
}

/// Bytes of each part of an exchange that is short enough to be done by value. All ranks of a right program say the
/// same: what each sends to each is as long as what that has room for.
#[inline]
fn short(send: &Source, recv: &Target, parts: usize) -> Option<usize> {
    let bytes = send.bytes();
    (bytes > 0 && bytes == recv.bytes() && bytes * parts <= PACKET).then_some(bytes)
}
