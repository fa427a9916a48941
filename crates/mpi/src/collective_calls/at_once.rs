//! Short collectives, run at once without a [`Collective`](super::Collective) value.

use crate::check::Checks;
use crate::collective::{
    Arrival, Buffers, ByValue, Call, Conclusion, Task, is_published, published_broadcast,
};
use crate::comm::Comm;
use crate::error::Result;
use crate::limits::{OWN_RESULT, PACKET};
use crate::memory::{Parts, Source, Target};
use crate::op::Op;
use simurgh_core::FlagBarrier;
use simurgh_settings::rules::Operation;

impl Comm {
    /// Runs `MPI_Barrier` at once if all ranks live here; `None` if it has to be run in the ordinary way.
    #[inline]
    pub fn barrier_at_once(&self) -> Option<Result<()>> {
        if self.spans_hosts() {
            return None;
        }
        self.report(Call::BARRIER, |_| {});
        Some(self.intra_host().barrier(self.seat()))
    }

    /// Runs `MPI_Bcast` at once if the root publishes its data and all ranks live here. It does without the
    /// [`Collective`](super::Collective) value, which would be most of the cost of a short one. `None` if the call has
    /// to be run in the ordinary way.
    #[inline]
    pub fn bcast_at_once(&self, buffer: &Target, root: i32) -> Option<Result<()>> {
        let root = usize::try_from(root).ok().filter(|root| *root < self.size())?;
        if self.spans_hosts() || !self.root_leads(buffer.bytes()) {
            return None;
        }
        self.report(Call::BCAST, |outflow| outflow.broadcast(root, buffer.bytes()));
        let source = (root == self.index()).then(|| buffer.as_source());
        let call = Call::BCAST.at(root);
        Some(self.publish(call, (source.as_ref(), Some(buffer)), root))
    }

    /// Whether the root publishes its data in a broadcast of so many bytes.
    #[inline]
    pub(super) fn root_leads(&self, bytes: usize) -> bool {
        !self.is_inter() && is_published(self.process().job(), self.size(), bytes)
    }

    /// Takes part in a broadcast in which the root publishes its data.
    pub(super) fn publish(
        &self,
        call: Call,
        buffers: (Option<&Source>, Option<&Target>),
        root: usize,
    ) -> Result<()> {
        let own = (self.seat(), self.group_sizes());
        published_broadcast(self.publication(), own, call, buffers, root)
    }

    /// Runs a reduction at once, to `root` or to all ranks, if it can be done by value. `recv` is where this rank gets
    /// the result, if it gets it; both buffers have to be of one datatype and count. `None` if the call has to be run
    /// in the ordinary way.
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
        let root = root.map(|root| root as usize);
        self.report(call, |outflow| outflow.reduce(root, send.bytes()));
        Some(
            self.intra_host()
                .reduce_by_value(self.seat(), call, &reduction, recv),
        )
    }

    /// The reduction of operands like this one, if it is short.
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

    /// Runs `MPI_Alltoall` at once if the ranks are few; `send` and `recv` are the first of the parts. It does without
    /// the [`Collective`](super::Collective) value, which would be most of the cost of a short one. `None` if the call
    /// has to be run in the ordinary way.
    #[inline]
    pub fn alltoall_at_once(&self, send: &Source, recv: &Target) -> Option<Result<()>> {
        let flags = self.small_group()?;
        self.report(Call::ALLTOALL, |outflow| outflow.to_peers(|_| send.bytes()));
        if let Some(done) = self.exchange_by_value(flags, send, recv) {
            return Some(done);
        }
        let work = recv.bytes().saturating_mul(self.size());
        let (send, recv) = (Parts::Even(send.clone()), Parts::Even(recv.clone()));
        let buffers = Buffers::new(Some(send), Some(recv), work);
        let (intra_host, job) = (self.intra_host(), self.process().job());
        Some(intra_host.run_by_flags(flags, self.seat(), Call::ALLTOALL, buffers, job, &Task::Alltoall))
    }

    /// Runs `MPI_Allreduce` at once if the ranks are few and each is to compute its own result. `send` and `recv` are
    /// different memory, and `op` is defined on the datatype of both. `None` if the call has to be run in the ordinary
    /// way.
    #[inline]
    pub fn allreduce_at_once(&self, send: &Source, recv: &Target, op: &Op) -> Option<Result<()>> {
        let flags = self.small_group()?;
        if send.bytes() > OWN_RESULT || op.check(send.datatype()).is_err() {
            return None;
        }
        self.report(Call::ALLREDUCE, |outflow| outflow.reduce(None, send.bytes()));
        let (work, task) = (send.bytes(), Task::Allreduce { op: op.clone() });
        let (send, recv) = (Parts::Even(send.clone()), Parts::Even(recv.clone()));
        let buffers = Buffers::new(Some(send), Some(recv), work);
        let (intra_host, job) = (self.intra_host(), self.process().job());
        Some(intra_host.run_by_flags(flags, self.seat(), Call::ALLREDUCE, buffers, job, &task))
    }

    /// The barrier by flags, if the ranks are few, of one group and one host, and the calls need not be compared in
    /// detail.
    #[inline]
    fn small_group(&self) -> Option<FlagBarrier<'_, Arrival, Conclusion>> {
        if self.spans_hosts() || self.is_inter() || self.checks() == Checks::All {
            return None;
        }
        self.intra_host().flags()
    }

    /// Runs a collective of few ranks by value, if it is an all-to-all exchange that is short enough.
    #[inline]
    pub(crate) fn alltoall_by_value(&self, task: &Task, buffers: &Buffers) -> Option<Result<()>> {
        let (Task::Alltoall, Some(Parts::Even(send)), Some(Parts::Even(recv))) =
            (task, &buffers.send, &buffers.recv)
        else {
            return None;
        };
        self.exchange_by_value(self.small_group()?, send, recv)
    }

    /// Exchanges equal parts by value if they are short enough; `send` and `recv` are the first of them.
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

/// Bytes of each part of an exchange, if it is short enough to be done by value. All ranks of a correct program get the
/// same answer, because each receives as many bytes as the other sends.
#[inline]
fn short(send: &Source, recv: &Target, parts: usize) -> Option<usize> {
    let bytes = send.bytes();
    (bytes > 0 && bytes == recv.bytes() && bytes * parts <= PACKET).then_some(bytes)
}
