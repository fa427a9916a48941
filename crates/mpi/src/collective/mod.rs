//! Collective communication.
//!
//! A collective is a value ([`Collective`]): the buffers of the calling rank and what has to be done with everybody's
//! (`task.rs`). It is made by the methods of [`Comm`] that are called as the standard's functions are, and then run.
//!
//! A short reduction goes by value (`short.rs`), and in a broadcast the root leads (`lead.rs`). Few ranks see each
//! other, and each does its share of the work at once (`few.rs`). Running another collective is one meeting of the
//! communicator's ranks (`board.rs`). Each lays descriptors of its buffers on the table; then the algorithm is looked
//! up (`table`): the last rank to arrive does all of the work before it releases the others, alone or with the help
//! of idle virtual processors, or it is shared: every rank does its part after the release, and whoever's buffers
//! others use waits until all have done theirs (`meeting.rs`). Either way data goes once, straight from the users'
//! buffers to the users' buffers. When everything is checked, what all bring is compared first (`agreement.rs`).
//!
//! One that is started instead waits for nobody (`underway.rs`): the offers lie at a gathering, which the ranks find by
//! counting what they start (`shelf.rs`), and who comes last does the work or leaves it to whoever has time. One that
//! is persistent finds its gathering once (`start.rs`).
//!
//! All that is what the ranks of a host do. If there are others, whoever is last to come then speaks for its host
//! (`hosts`).
//!
//! Reductions combine the ranks' data in rank order, each element by one rank alone, so results depend neither on the
//! scheduling nor on how the work was shared. A user's operation is called as the function of the rank that works.
//!
//! Buffers with a part for each rank are [`Parts`](crate::memory::Parts): evenly spaced ones make `MPI_Gather`, ones
//! given one by one make `MPI_Gatherv`; so each method here serves both, and `alltoall` serves `MPI_Alltoallw` too.
//! `None` in place of a buffer is `MPI_IN_PLACE`, or a buffer that means nothing at this rank.

mod all_buffers;
mod alltoall;
mod barrier;
mod broadcast;
mod buffers;
mod by_value;
mod call;
mod consistency;
mod deliver;
mod gather;
mod inter_host;
mod intra_host;
mod local_reduction;
mod neighbor;
mod nonblocking;
mod outstanding;
mod pattern;
mod published;
mod reduce;
mod role;
mod scan;
mod scatter;
mod share;
mod shared_work;
mod small_group;
mod start;
mod task;

pub use crate::selection::SelectionTable;
pub use intra_host::IntraHost;
pub use role::{Role, Rooted};

pub(crate) use inter_host::{Round, allgather_among_hosts};
pub(crate) use outstanding::Outstanding;
pub(crate) use published::Publication;

use buffers::Buffers;
use by_value::ByValue;
use call::Call;
use task::Task;

use crate::check::Checks;
use crate::comm::Comm;
use crate::error::Result;
use crate::instrument;
use crate::memory::{Source, Target};

/// A collective operation as one rank calls it, ready to run.
#[derive(Debug)]
#[must_use = "a collective does nothing until it is run"]
pub struct Collective<'a> {
    comm: &'a Comm,
    call: Call,
    buffers: Buffers,
    /// Whether others use this rank's buffers.
    lends: bool,
    task: Task,
}

impl<'a> Collective<'a> {
    /// A collective in which every rank's buffers are used by others.
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

    /// The same, in which this rank's buffers may be used by others or not.
    fn lending(self, lends: bool) -> Self {
        Self { lends, ..self }
    }

    /// Takes part in it, and returns when this rank's buffers hold the result and are not used by others.
    ///
    /// Inlined with what makes the value, so that short collectives do not move it about.
    ///
    /// # Errors
    ///
    /// When other ranks are in different collective calls, or give buffers that do not fit this rank's.
    #[inline(always)]
    pub fn run(self) -> Result<()> {
        let comm = self.comm;
        instrument::collective(comm.process(), self.call.name());
        if comm.spans_hosts() {
            return inter_host::run(comm, self.into_invocation());
        }
        if let Task::Barrier = self.task {
            return comm.intra_host().barrier(comm.seat());
        }
        if let (Task::Allreduce { op } | Task::Reduce { op, .. }, Some(send)) =
            (&self.task, self.buffers.whole_source())
            && let Some(by_value) = ByValue::of(comm, self.task.operation(), send, op)
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
            if published::is_published(comm, bytes.unwrap_or(0)) {
                return published::broadcast(comm, call, (source, target), root);
            }
        }
        comm.intra_host()
            .run(comm.seat(), call, buffers, lends, comm.process().job(), &task)
    }
}

impl Comm {
    /// Refuses data in place between two groups.
    fn check_placed(&self, in_place: bool) -> Result<()> {
        if in_place && self.is_inter() {
            return Err(deliver::nowhere_in_place());
        }
        Ok(())
    }

    /// The calling rank, as an index.
    fn index(&self) -> usize {
        self.rank() as usize
    }
}
