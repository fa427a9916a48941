//! What goes from whom to whom in a collective.

use std::ops::Range;

use simurgh_settings::rules::Operation;

use super::offers::Offers;
use super::task::Task;
use crate::error::Result;
use crate::members::Seating;
use crate::memory::{Source, Target};
use crate::topology::Origin;

/// What one seat sends to another, and where that takes it.
pub(super) struct Flow {
    pub(super) from: usize,
    pub(super) source: Source,
    pub(super) to: usize,
    pub(super) target: Target,
}

/// A way that data goes, as both ends know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Route {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Which of the sender's parts it is, if what it sends has parts.
    pub(super) given: usize,
    /// Which of the taker's parts it goes to, if it has parts.
    pub(super) taken: usize,
}

/// Calls `visit` with all that goes from one seat to another, until it fails. What one of the two has no buffer for is
/// left out, and so are reductions.
pub(super) fn for_each(
    task: &Task,
    offers: Offers<'_>,
    mut visit: impl FnMut(Flow) -> Result<()>,
) -> Result<()> {
    for to in 0..offers.len() {
        for route in task.routes_to(offers.seating(), to) {
            if let (Some(source), Some(target)) = (task.sent(offers, route), task.taken(offers, route)) {
                let from = route.from;
                visit(Flow {
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
    /// The ways on which data goes to a seat, by sender or, among neighbours, by edge. All ranks that know the task say
    /// the same.
    pub(super) fn routes_to(&self, seating: Seating, to: usize) -> impl Iterator<Item = Route> + '_ {
        let across = seating.across(to);
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
        let given = seating.rank(to);
        let ranks = senders.map(move |from| Route {
            from,
            to,
            given,
            taken: seating.rank(from),
        });
        ranks.chain(self.edges_to(to))
    }

    /// The edges of a topology that end at a seat.
    fn edges_to(&self, to: usize) -> impl Iterator<Item = Route> + '_ {
        let edges: &[Option<Origin>] = match self {
            Task::NeighborAllgather { origins } | Task::NeighborAlltoall { origins } => origins.of(to),
            _ => &[],
        };
        edges.iter().enumerate().filter_map(move |(taken, origin)| {
            let origin = (*origin)?;
            Some(Route {
                from: origin.rank as usize,
                to,
                given: origin.place as usize,
                taken,
            })
        })
    }

    /// Whether a sender gives the same to everybody.
    pub(super) fn gives_whole(&self) -> bool {
        !matches!(
            self,
            Task::Scatter { .. }
                | Task::Alltoall
                | Task::AlltoallInPlace
                | Task::NeighborAlltoall { .. }
                | Task::Aside {
                    operation: Operation::Scatter,
                    ..
                }
        )
    }

    /// What is sent on a route, which has to be one of the task's.
    pub(super) fn sent(&self, offers: Offers<'_>, route: Route) -> Option<Source> {
        let Route { from, to, given, .. } = route;
        let sender = offers.at(from);
        match self {
            Task::Barrier => None,
            // Who has its own part in place gets nothing from itself.
            Task::Allgather if from == to && sender.in_place => None,
            Task::AlltoallInPlace if from == to => None,
            Task::AlltoallInPlace => Some(sender.target_part(given)?.as_source()),
            _ if self.gives_whole() => sender.source(),
            _ => sender.source_part(given),
        }
    }

    /// Where that is taken, unless it is to be combined.
    pub(super) fn taken(&self, offers: Offers<'_>, route: Route) -> Option<Target> {
        let taker = offers.at(route.to);
        match self {
            Task::Broadcast { .. } | Task::Scatter { .. } => taker.target(),
            Task::Gather { .. }
            | Task::Allgather
            | Task::Alltoall
            | Task::AlltoallInPlace
            | Task::NeighborAllgather { .. }
            | Task::NeighborAlltoall { .. } => taker.target_part(route.taken),
            // Who stands aside does not know the root, but only the root and the other group have buffers.
            Task::Aside { operation, .. } => match operation {
                Operation::Bcast | Operation::Scatter => taker.target(),
                Operation::Gather => taker.target_part(route.taken),
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

    fn senders(task: &Task, seating: Seating, to: usize) -> Vec<usize> {
        task.routes_to(seating, to).map(|route| route.from).collect()
    }

    #[test]
    fn everybody_knows_who_sends_to_whom() {
        let (one, two) = (Seating { left: 4, right: 0 }, Seating { left: 2, right: 3 });
        assert_eq!(senders(&Task::Alltoall, one, 2), [0, 1, 2, 3]);
        assert_eq!(senders(&Task::Alltoall, two, 3), [0, 1]);
        assert_eq!(senders(&Task::Broadcast { root: 3 }, two, 1), [3]);
        assert!(senders(&Task::Broadcast { root: 3 }, two, 4).is_empty());
        assert_eq!(senders(&Task::Gather { root: 1 }, two, 1), [2, 3, 4]);
        assert!(senders(&Task::Gather { root: 1 }, two, 2).is_empty());
        let op = || BuiltinOp::Sum.into();
        assert_eq!(senders(&Task::Scan { op: op() }, one, 2), [0, 1, 2]);
        assert_eq!(senders(&Task::Exscan { op: op() }, one, 2), [0, 1]);
        let route = Task::Alltoall.routes_to(two, 3).nth(1);
        let (from, to, given, taken) = (1, 3, 1, 1);
        assert_eq!(
            route,
            Some(Route {
                from,
                to,
                given,
                taken
            })
        );
    }
}
