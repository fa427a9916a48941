//! The work of a collective, to be done once the buffers of all ranks are known.

use std::borrow::Cow;

use simurgh_settings::rules::{Algorithm, Operation};

use super::all_buffers::AllBuffers;
use super::call::Call;
use super::consistency::check_consistency;
use super::reduce::{Counts, MoveToFront};
use super::share::Share;
use super::{alltoall, broadcast, gather, neighbor, reduce, scan, scatter};
use crate::check::Checks;
use crate::error::Result;
use crate::job::Job;
use crate::limits::{PART_COST, REDUCTION_CHUNK, WORK_PIECE};
use crate::members::GroupSizes;
use crate::op::Op;
use simurgh_core::sync::{Arc, SpinLock};
use simurgh_topology::InEdges;

/// The work of a collective, with what it needs besides the ranks' buffers. Roots are seats.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// Nothing: it is enough that all have come.
    Barrier,
    /// Nothing, because the rank passes `MPI_PROC_NULL`: another rank of its group is the root and exchanges data with
    /// the other group. The operation of a reduction means nothing here, but if this rank has to call a user's function
    /// it calls its own.
    ProcNull { operation: Operation, op: Option<Op> },
    /// Copy the root's data to all ranks.
    Broadcast { root: usize },
    /// Collect a part from each rank at the root.
    Gather { root: usize },
    /// Collect a part from each rank at all ranks.
    Allgather,
    /// Copy to each rank its part of the root's data.
    Scatter { root: usize },
    /// Copy to each rank its part of every rank's data.
    Alltoall,
    /// Exchange the parts of each pair of ranks.
    AlltoallInPlace,
    /// Copy to each rank the data of its neighbours.
    NeighborAllgather { in_edges: Arc<InEdges> },
    /// Copy to each rank its part of its neighbours' data.
    NeighborAlltoall { in_edges: Arc<InEdges> },
    /// Combine all data at the root.
    Reduce { op: Op, root: usize },
    /// Combine all data at all ranks.
    Allreduce { op: Op },
    /// Combine all data, and leave at each rank its part of the result.
    ReduceScatter { op: Op, counts: Counts },
    /// Combine at each rank the data of the ranks up to it.
    Scan { op: Op },
    /// Combine at each rank the data of the ranks before it.
    Exscan { op: Op },
}

impl Task {
    /// The same task with copies of the program's arrays, which may be freed once an operation is set up.
    pub(crate) fn kept(self) -> Self {
        match self {
            Self::ReduceScatter { op, counts } => Self::ReduceScatter {
                op,
                counts: counts.kept(),
            },
            task => task,
        }
    }

    /// The operation to which the work belongs.
    pub(crate) fn operation(&self) -> Operation {
        match self {
            Task::Barrier => Operation::Barrier,
            Task::ProcNull { operation, .. } => *operation,
            Task::Broadcast { .. } => Operation::Bcast,
            Task::Gather { .. } => Operation::Gather,
            Task::Allgather => Operation::Allgather,
            Task::Scatter { .. } => Operation::Scatter,
            Task::Alltoall | Task::AlltoallInPlace => Operation::Alltoall,
            Task::Reduce { .. } => Operation::Reduce,
            Task::Allreduce { .. } => Operation::Allreduce,
            Task::ReduceScatter { .. } => Operation::ReduceScatter,
            Task::Scan { .. } => Operation::Scan,
            Task::Exscan { .. } => Operation::Exscan,
            Task::NeighborAllgather { .. } => Operation::NeighborAllgather,
            Task::NeighborAlltoall { .. } => Operation::NeighborAlltoall,
        }
    }

    /// The reduction operation, if data is combined.
    pub(crate) fn op(&self) -> Option<&Op> {
        match self {
            Task::Reduce { op, .. }
            | Task::Allreduce { op }
            | Task::ReduceScatter { op, .. }
            | Task::Scan { op }
            | Task::Exscan { op } => Some(op),
            _ => None,
        }
    }

    /// Whether the work calls a function of the program, which has to run in one of the ranks.
    pub(crate) fn calls_program(&self) -> bool {
        matches!(self.op(), Some(Op::User(_)))
    }

    /// Decides how the work is done, after a comparison of what all ranks bring if everything is checked. The last rank
    /// to arrive calls it before any work is done.
    ///
    /// # Errors
    ///
    /// When the ranks' arguments do not fit together.
    pub(crate) fn plan(&self, call: Call, all_buffers: AllBuffers<'_>, job: &Job) -> Result<Algorithm> {
        if job.checks() == Checks::All {
            check_consistency(call, self, all_buffers)?;
        }
        match job.algorithm(self.operation(), all_buffers.len(), all_buffers.work()) {
            // An idle virtual processor is no rank, so it cannot call the program's function.
            Algorithm::Striped if self.calls_program() => Ok(Algorithm::Shared),
            algorithm => Ok(algorithm),
        }
    }

    /// The root's seat.
    fn root(&self) -> Option<usize> {
        match self {
            Task::Broadcast { root }
            | Task::Gather { root }
            | Task::Scatter { root }
            | Task::Reduce { root, .. } => Some(*root),
            _ => None,
        }
    }

    /// Whether the rank knows what there is to do.
    pub(crate) fn is_known(&self) -> bool {
        !matches!(self, Task::ProcNull { .. })
    }

    /// The work as this rank can do it; `known` is the task of a rank that knows it, in case this one does not.
    pub(crate) fn as_known_by<'a>(&'a self, known: &'a Self) -> Cow<'a, Self> {
        match (self, known) {
            (Task::ProcNull { op: Some(op), .. }, Task::Reduce { root, .. }) if known.calls_program() => {
                let (op, root) = (op.clone(), *root);
                Cow::Owned(Task::Reduce { op, root })
            }
            (Task::ProcNull { .. }, _) => Cow::Borrowed(known),
            _ => Cow::Borrowed(self),
        }
    }

    /// The share of the rank at a seat. All ranks work, or those with which the root exchanges data.
    pub(crate) fn share(&self, group_sizes: GroupSizes, seat: usize) -> Share {
        let seats = self
            .root()
            .map_or(0..group_sizes.seats(), |root| group_sizes.peers_of(root));
        if self.is_known() && seats.contains(&seat) {
            Share::one(seat - seats.start, seats.len())
        } else {
            Share::NONE
        }
    }

    /// Does all of the work.
    pub(crate) fn complete(&self, all_buffers: AllBuffers<'_>) -> Result<()> {
        self.perform(all_buffers, Share::ALL)?;
        self.finish(all_buffers, Share::ALL)
    }

    /// Does all of the work, together with idle virtual processors.
    pub(crate) fn complete_in_pieces(&self, all_buffers: AllBuffers<'_>) -> Result<()> {
        self.perform_in_pieces(all_buffers, Share::ALL)?;
        self.finish(all_buffers, Share::ALL)
    }

    /// Does a share of the work, together with idle virtual processors.
    pub(crate) fn perform_in_pieces(&self, all_buffers: AllBuffers<'_>, share: Share) -> Result<()> {
        let (pieces, fault) = (share.pieces_of(self.pieces(all_buffers)), SpinLock::new(None));
        simurgh_core::parallel_for(pieces, &|index| {
            if let Err(error) = self.perform(all_buffers, share.piece(index, pieces)) {
                fault.lock().get_or_insert(error);
            }
        });
        fault.lock().take().map_or(Ok(()), Err)
    }

    /// The number of pieces, of elements or of seats, into which it is worth dividing the work.
    pub(crate) fn pieces(&self, all_buffers: AllBuffers<'_>) -> usize {
        let seats = all_buffers.len();
        let (most, parts) = match self {
            Task::Reduce { .. } | Task::Allreduce { .. } | Task::Scan { .. } | Task::Exscan { .. } => {
                let first = all_buffers
                    .groups()
                    .map(|group| all_buffers.at(group.start).work());
                (first.max().unwrap_or(0) / REDUCTION_CHUNK, 0)
            }
            Task::Allgather | Task::Alltoall | Task::AlltoallInPlace => (seats, seats * seats),
            _ => (seats, seats),
        };
        let cost = all_buffers.work().saturating_add(parts * PART_COST);
        most.min(cost / WORK_PIECE).max(1)
    }

    /// Does a share of the work. Shares may be done at the same time, in any order.
    pub(crate) fn perform(&self, all_buffers: AllBuffers<'_>, share: Share) -> Result<()> {
        match self {
            Task::Barrier | Task::ProcNull { .. } => Ok(()),
            Task::Broadcast { root } => broadcast::spread(all_buffers, share, *root),
            Task::Gather { root } => gather::collect(all_buffers, share, *root),
            Task::Allgather => gather::collect_everywhere(all_buffers, share),
            Task::Scatter { root } => scatter::distribute(all_buffers, share, *root),
            Task::Alltoall => alltoall::fetch(all_buffers, share),
            Task::AlltoallInPlace => alltoall::swap(all_buffers, share),
            Task::NeighborAllgather { in_edges } => neighbor::fetch_whole(all_buffers, share, in_edges),
            Task::NeighborAlltoall { in_edges } => neighbor::fetch_part(all_buffers, share, in_edges),
            Task::Reduce { op, root } => reduce::to_root(op, all_buffers, share, *root),
            Task::Allreduce { op } => reduce::to_all(op, all_buffers, share),
            Task::ReduceScatter { op, counts } => reduce::to_each(op, all_buffers, share, counts),
            Task::Scan { op } => scan::inclusive(op, all_buffers, share),
            Task::Exscan { op } => scan::exclusive(op, all_buffers, share),
        }
    }

    /// Does the rest of a share, for which all ranks must have performed theirs.
    pub(crate) fn finish(&self, all_buffers: AllBuffers<'_>, share: Share) -> Result<()> {
        match self {
            Task::ReduceScatter { counts, .. } => reduce::move_to_front(all_buffers, share, counts),
            _ => Ok(()),
        }
    }

    /// The rest of a share of one seat, as a value that can be carried out without the buffers of others.
    pub(crate) fn pending_move(&self, all_buffers: AllBuffers<'_>, share: Share) -> Option<MoveToFront> {
        match self {
            Task::ReduceScatter { counts, .. } => reduce::moves(all_buffers, share, counts).next(),
            _ => None,
        }
    }
}
