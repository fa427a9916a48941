//! The communication pattern of a collective: which rank sends which data to which rank.

use std::ops::Range;

use simurgh_settings::rules::Operation;

use super::all_buffers::AllBuffers;
use super::task::Task;
use crate::error::Result;
use crate::members::GroupSizes;
use crate::memory::{Source, Target};
use simurgh_topology::InEdge;

/// One transfer: the data that a seat sends and the place where another seat receives it.
pub(super) struct Transfer {
    pub(super) from: usize,
    pub(super) source: Source,
    pub(super) to: usize,
    pub(super) target: Target,
}

/// An edge of the communication pattern, as both of its ends know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Index of the part among the sender's parts, if its data is divided into parts.
    pub(super) send_part: usize,
    /// Index of the part among the receiver's parts, if its buffer is divided into parts.
    pub(super) recv_part: usize,
}

/// Calls `visit` for every transfer, until it fails. Transfers for which one of the two ends has no buffer are left
/// out, and so are reductions.
pub(super) fn for_each(
    task: &Task,
    all_buffers: AllBuffers<'_>,
    mut visit: impl FnMut(Transfer) -> Result<()>,
) -> Result<()> {
    for to in 0..all_buffers.len() {
        for edge in task.edges_to(all_buffers.group_sizes(), to) {
            if let (Some(source), Some(target)) = (
                task.source_of(all_buffers, edge),
                task.target_of(all_buffers, edge),
            ) {
                let from = edge.from;
                visit(Transfer {
                    from,
                    source,
                    to,
                    target,
                })?;
            }
        }
    }
    Ok(())
}

impl Task {
    /// The edges that end at a seat, ordered by sender, or among neighbours by the edges of the topology. All ranks
    /// that know the task get the same edges.
    pub(super) fn edges_to(&self, group_sizes: GroupSizes, to: usize) -> impl Iterator<Item = Edge> + '_ {
        let across = group_sizes.peers_of(to);
        let only = |seat: usize, range: Range<usize>| {
            if range.contains(&seat) {
                seat..seat + 1
            } else {
                0..0
            }
        };
        let senders = match self {
            Task::Broadcast { root } | Task::Scatter { root } => only(*root, across),
            Task::Gather { root } | Task::Reduce { root, .. } if to != *root => 0..0,
            Task::Scan { .. } => 0..to + 1,
            Task::Exscan { .. } => 0..to,
            Task::Barrier | Task::NeighborAllgather { .. } | Task::NeighborAlltoall { .. } => 0..0,
            _ => across,
        };
        let send_part = group_sizes.rank(to);
        let ranks = senders.map(move |from| Edge {
            from,
            to,
            send_part,
            recv_part: group_sizes.rank(from),
        });
        ranks.chain(self.neighbor_edges_to(to))
    }

    /// The edges of a virtual topology that end at a seat.
    fn neighbor_edges_to(&self, to: usize) -> impl Iterator<Item = Edge> + '_ {
        let edges: &[Option<InEdge>] = match self {
            Task::NeighborAllgather { in_edges } | Task::NeighborAlltoall { in_edges } => in_edges.of(to),
            _ => &[],
        };
        edges.iter().enumerate().filter_map(move |(recv_part, in_edge)| {
            let in_edge = (*in_edge)?;
            Some(Edge {
                from: in_edge.rank as usize,
                to,
                send_part: in_edge.out_index as usize,
                recv_part,
            })
        })
    }

    /// Whether a sender sends the same data to every receiver.
    pub(crate) fn gives_whole(&self) -> bool {
        !matches!(
            self,
            Task::Scatter { .. }
                | Task::Alltoall
                | Task::AlltoallInPlace
                | Task::NeighborAlltoall { .. }
                | Task::ProcNull {
                    operation: Operation::Scatter,
                    ..
                }
        )
    }

    /// The data sent along an edge of the task.
    pub(super) fn source_of(&self, all_buffers: AllBuffers<'_>, edge: Edge) -> Option<Source> {
        let Edge {
            from, to, send_part, ..
        } = edge;
        let sender = all_buffers.at(from);
        match self {
            Task::Barrier => None,
            // A rank with `MPI_IN_PLACE` has its own part in place already.
            Task::Allgather if from == to && sender.in_place => None,
            Task::AlltoallInPlace if from == to => None,
            Task::AlltoallInPlace => Some(sender.target_part(send_part)?.as_source()),
            _ if self.gives_whole() => sender.source(),
            _ => sender.source_part(send_part),
        }
    }

    /// Where the data of an edge is received; `None` if it is to be combined.
    pub(super) fn target_of(&self, all_buffers: AllBuffers<'_>, edge: Edge) -> Option<Target> {
        let taker = all_buffers.at(edge.to);
        match self {
            Task::Broadcast { .. } | Task::Scatter { .. } => taker.target(),
            Task::Gather { .. }
            | Task::Allgather
            | Task::Alltoall
            | Task::AlltoallInPlace
            | Task::NeighborAllgather { .. }
            | Task::NeighborAlltoall { .. } => taker.target_part(edge.recv_part),
            // A rank that passes `MPI_PROC_NULL` does not know the root, but only the root and the other group have
            // buffers.
            Task::ProcNull { operation, .. } => match operation {
                Operation::Bcast | Operation::Scatter => taker.target(),
                Operation::Gather => taker.target_part(edge.recv_part),
                _ => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::BuiltinOp;

    fn senders(task: &Task, group_sizes: GroupSizes, to: usize) -> Vec<usize> {
        task.edges_to(group_sizes, to).map(|edge| edge.from).collect()
    }

    #[test]
    fn all_ranks_get_the_same_edges() {
        let (one, two) = (GroupSizes { left: 4, right: 0 }, GroupSizes { left: 2, right: 3 });
        assert_eq!(senders(&Task::Alltoall, one, 2), [0, 1, 2, 3]);
        assert_eq!(senders(&Task::Alltoall, two, 3), [0, 1]);
        assert_eq!(senders(&Task::Broadcast { root: 3 }, two, 1), [3]);
        assert!(senders(&Task::Broadcast { root: 3 }, two, 4).is_empty());
        assert_eq!(senders(&Task::Gather { root: 1 }, two, 1), [2, 3, 4]);
        assert!(senders(&Task::Gather { root: 1 }, two, 2).is_empty());
        let op = || BuiltinOp::Sum.into();
        assert_eq!(senders(&Task::Scan { op: op() }, one, 2), [0, 1, 2]);
        assert_eq!(senders(&Task::Exscan { op: op() }, one, 2), [0, 1]);
        let edge = Task::Alltoall.edges_to(two, 3).nth(1);
        let (from, to, send_part, recv_part) = (1, 3, 1, 1);
        assert_eq!(
            edge,
            Some(Edge {
                from,
                to,
                send_part,
                recv_part
            })
        );
    }
}
