//! The collective operations of a communicator, named as the functions of the standard.
//!
//! A call makes a [`Collective`], which is then run, or started, or set up to be started again and again. The layer
//! below, `collective`, has the ways in which ranks meet and the algorithms.
//!
//! Buffers with a part for each rank are [`Parts`](crate::memory::Parts): evenly spaced parts make `MPI_Gather`, parts
//! given one by one make `MPI_Gatherv`. So each method here serves both, and `alltoall` serves `MPI_Alltoallw` too.
//! `None` in place of a buffer is `MPI_IN_PLACE`, or a buffer that means nothing at this rank.

mod alltoall;
mod at_once;
mod barrier;
mod broadcast;
mod gather;
mod neighbor;
mod reduce;
mod role;
mod scan;
mod scatter;
mod start;
mod traffic;

pub use role::{Role, Rooted};

use crate::check::Checks;
use crate::collective::{
    AllBuffers, Arrival, Buffers, Call, Invocation, Leader, Round, SharedByRanks, Task, nowhere_in_place,
};
use crate::comm::Comm;
use crate::error::Result;
use crate::memory::{Source, Target};
use simurgh_core::sync::Arc;

/// A collective operation as one rank calls it, ready to run.
#[derive(Debug)]
#[must_use = "a collective does nothing until it is run"]
pub struct Collective<'a> {
    comm: &'a Comm,
    call: Call,
    buffers: Buffers,
    /// Whether other ranks read or write this rank's buffers, so that it has to wait until they have done so.
    lends: bool,
    task: Task,
}

impl<'a> Collective<'a> {
    /// A collective in which other ranks use every rank's buffers.
    #[inline(always)]
    fn new(comm: &'a Comm, call: Call, buffers: Buffers, task: Task) -> Self {
        let call = match comm.checks() {
            Checks::All => call.with_arguments(&task),
            _ => call,
        };
        Self {
            comm,
            call,
            buffers,
            lends: true,
            task,
        }
    }

    /// The same collective, with a different answer to whether other ranks use this rank's buffers.
    fn lending(self, lends: bool) -> Self {
        Self { lends, ..self }
    }

    /// Runs the collective. Returns when this rank's buffers hold the result and no other rank uses them any more.
    ///
    /// The function is inlined together with the constructor of the value, so that short collectives do not move the
    /// value about.
    ///
    /// # Errors
    ///
    /// When other ranks are in different collective calls, or give buffers that do not fit this rank's.
    #[inline(always)]
    pub fn run(self) -> Result<()> {
        let comm = self.comm;
        if let Task::Barrier = self.task
            && let Some(done) = comm.barrier_at_once()
        {
            return done;
        }
        comm.report(self.call, |outflow| outflow.collective(&self.task, &self.buffers));
        if comm.spans_hosts() {
            return across_hosts(comm, self.into_invocation());
        }
        if let (Task::Allreduce { op } | Task::Reduce { op, .. }, Some(send)) =
            (&self.task, self.buffers.whole_source())
            && let Some(by_value) = comm.short_reduction(self.task.operation(), send, op)
        {
            let recv = self.buffers.whole_target();
            return comm
                .intra_host()
                .reduce_by_value(comm.seat(), self.call, &by_value, recv);
        }
        if let Some(done) = comm.alltoall_by_value(&self.task, &self.buffers) {
            return done;
        }
        self.run_with_buffers()
    }

    fn run_with_buffers(self) -> Result<()> {
        let Self {
            comm,
            call,
            buffers,
            lends,
            task,
        } = self;
        if let Task::Broadcast { root } = task {
            let (source, target) = (buffers.whole_source(), buffers.whole_target());
            let bytes = source.map(Source::bytes).or_else(|| target.map(Target::bytes));
            if comm.root_leads(bytes.unwrap_or(0)) {
                return comm.publish(call, (source, target), root);
            }
        }
        comm.intra_host()
            .run(comm.seat(), call, buffers, lends, comm.process().job(), &task)
    }
}

impl Comm {
    /// Refuses `MPI_IN_PLACE` on an inter-communicator.
    fn check_placed(&self, in_place: bool) -> Result<()> {
        if in_place && self.is_inter() {
            return Err(nowhere_in_place());
        }
        Ok(())
    }

    /// The calling rank, as an index.
    fn index(&self) -> usize {
        self.rank() as usize
    }
}

/// Takes part in a blocking collective of several hosts.
#[cold]
fn across_hosts(comm: &Comm, invocation: Invocation) -> Result<()> {
    comm.intra_host()
        .run_across_hosts(comm.local_index(), invocation, |contributions, same_call| {
            let round = Round::Blocking(comm.shared().next_round());
            let Some(leader) = leader_of(comm, round) else {
                return same_call;
            };
            let local = AllBuffers::new(contributions, comm.group_sizes());
            let own = contributions[comm.local_index()].invocation();
            let invocations: Vec<_> = contributions.iter().filter_map(Arrival::invocation).collect();
            own.map_or(Ok(()), |own| leader.lead(own, &invocations, local, same_call))
        })
}

/// The leader of this host in a collective of several hosts; `None` if all ranks of the communicator are here.
fn leader_of(comm: &Comm, round: Round) -> Option<Leader> {
    comm.spans_hosts().then(|| {
        let shared = Arc::clone(comm.shared()) as Arc<dyn SharedByRanks>;
        Leader::new(
            Arc::clone(comm.process()),
            shared,
            comm.group_sizes(),
            comm.context(),
            round,
        )
    })
}
