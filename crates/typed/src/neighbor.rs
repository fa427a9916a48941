//! Collective calls among the neighbours of a topology.
//!
//! A buffer with a part for each edge is a slice that holds the parts one behind the other. An edge across the border
//! of a grid has a part, too, whose values are ignored.

use super::parts::{even_sources, even_targets, sources, targets};
use super::{Equivalence, Prepared, Received, Sent};
use simurgh_mpi::Comm;
use simurgh_mpi::Result;

/// Collects equal parts of the neighbours at all ranks ([`Comm::neighbor_allgather`]).
///
/// # Errors
///
/// As the call of the communicator; [`Count`](simurgh_mpi::ErrorClass::Count) if `received` cannot be cut into a
/// part for each edge.
pub fn neighbor_all_gather<'a, T: Equivalence>(
    comm: &'a Comm,
    sent: impl Into<Sent<'a, T>>,
    received: impl Into<Received<'a, T>>,
) -> Result<Prepared<'a, T>> {
    let edges = comm.degrees()?;
    Prepared::new(received.into(), |received| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete.
        unsafe { comm.neighbor_allgather(sent.into().source(), even_targets(received, edges.incoming)?) }
    })
}

/// Collects parts of the neighbours at all ranks, `counts[e]` values along edge `e` ([`Comm::neighbor_allgather`]).
///
/// # Errors
///
/// As the call of the communicator; [`Count`](simurgh_mpi::ErrorClass::Count) if the `counts` do not fit the
/// edges or `received`.
pub fn neighbor_all_gatherv<'a, T: Equivalence>(
    comm: &'a Comm,
    sent: impl Into<Sent<'a, T>>,
    received: impl Into<Received<'a, T>>,
    counts: &[usize],
) -> Result<Prepared<'a, T>> {
    let edges = comm.degrees()?;
    Prepared::new(received.into(), |received| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete.
        unsafe { comm.neighbor_allgather(sent.into().source(), targets(received, counts, edges.incoming)?) }
    })
}

/// Gives each neighbour its part of every rank's values ([`Comm::neighbor_alltoall`]).
///
/// # Errors
///
/// As the call of the communicator; [`Count`](simurgh_mpi::ErrorClass::Count) if a slice cannot be cut into a
/// part for each edge.
pub fn neighbor_all_to_all<'a, T: Equivalence>(
    comm: &'a Comm,
    sent: impl Into<Sent<'a, T>>,
    received: impl Into<Received<'a, T>>,
) -> Result<Prepared<'a, T>> {
    let edges = comm.degrees()?;
    Prepared::new(received.into(), |received| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete.
        unsafe {
            let sent = even_sources(sent.into(), edges.outgoing)?;
            comm.neighbor_alltoall(sent, even_targets(received, edges.incoming)?)
        }
    })
}

/// [`neighbor_all_to_all`] with a separate number of values along each edge.
///
/// # Errors
///
/// As the call of the communicator; [`Count`](simurgh_mpi::ErrorClass::Count) if counts do not fit the edges or
/// their slice.
pub fn neighbor_all_to_allv<'a, T: Equivalence>(
    comm: &'a Comm,
    (sent, send_counts): (impl Into<Sent<'a, T>>, &[usize]),
    (received, receive_counts): (impl Into<Received<'a, T>>, &[usize]),
) -> Result<Prepared<'a, T>> {
    let edges = comm.degrees()?;
    Prepared::new(received.into(), |received| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete.
        unsafe {
            let sent = sources(sent.into(), send_counts, edges.outgoing)?;
            comm.neighbor_alltoall(sent, targets(received, receive_counts, edges.incoming)?)
        }
    })
}
