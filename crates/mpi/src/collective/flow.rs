//! What goes from whom to whom in a collective that moves data.

use simurgh_settings::rules::Operation;

use super::offers::Offers;
use super::task::Task;
use crate::error::Result;
use crate::memory::{Source, Target};
use crate::topology::Origins;

/// What one seat sends to another, and where that takes it.
pub(super) struct Flow {
    pub(super) from: usize,
    pub(super) source: Source,
    pub(super) to: usize,
    pub(super) target: Target,
}

/// Calls `visit` with all that goes from one seat to another, until it fails. What one of the two has no buffer for is
/// left out, and so are reductions.
pub(super) fn for_each(
    task: &Task,
    offers: Offers<'_>,
    mut visit: impl FnMut(Flow) -> Result<()>,
) -> Result<()> {
    if let Task::NeighborAllgather { origins } | Task::NeighborAlltoall { origins } = task {
        return along_edges(task, offers, origins, visit);
    }
    for to in 0..offers.len() {
        for from in offers.across(to) {
            if let Some((source, target)) = between(task, offers, from, to) {
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

/// What goes from one seat to another.
fn between(task: &Task, offers: Offers<'_>, from: usize, to: usize) -> Option<(Source, Target)> {
    let (sender, taker) = (offers.at(from), offers.at(to));
    let (rank_from, rank_to) = (offers.rank(from), offers.rank(to));
    match task {
        Task::Broadcast { root } if from == *root => Some((sender.source()?, taker.target()?)),
        Task::Scatter { root } if from == *root => Some((sender.source_part(rank_to)?, taker.target()?)),
        Task::Gather { root } if to == *root => Some((sender.source()?, taker.target_part(rank_from)?)),
        // Who stands aside does not know the root, but only the root and the other group have buffers.
        Task::Aside { operation, .. } => match operation {
            Operation::Bcast => Some((sender.source()?, taker.target()?)),
            Operation::Gather => Some((sender.source()?, taker.target_part(rank_from)?)),
            Operation::Scatter => Some((sender.source_part(rank_to)?, taker.target()?)),
            _ => None,
        },
        Task::Allgather if from != to || !taker.in_place => {
            Some((sender.source()?, taker.target_part(rank_from)?))
        }
        Task::Alltoall => Some((sender.source_part(rank_to)?, taker.target_part(rank_from)?)),
        Task::AlltoallInPlace if from != to => {
            let given = sender.target_part(rank_to)?;
            Some((given.as_source(), taker.target_part(rank_from)?))
        }
        _ => None,
    }
}

/// What goes along the edges of a topology.
fn along_edges(
    task: &Task,
    offers: Offers<'_>,
    origins: &Origins,
    mut visit: impl FnMut(Flow) -> Result<()>,
) -> Result<()> {
    for to in 0..offers.len() {
        for (place, origin) in origins.of(to).iter().enumerate() {
            let Some(origin) = origin else { continue };
            let from = origin.rank as usize;
            let sender = offers.at(from);
            let source = match task {
                Task::NeighborAllgather { .. } => sender.source(),
                _ => sender.source_part(origin.place as usize),
            };
            if let (Some(source), Some(target)) = (source, offers.at(to).target_part(place)) {
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
