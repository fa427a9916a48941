//! Collective calls that move data.
//!
//! A buffer with a part for each rank is a slice that holds the parts one behind the other.

use super::parts::{even_sources, even_targets, sources, targets};
use super::{Equivalence, Prepared, Received, Sent};
use simurgh_mpi::Comm;
use simurgh_mpi::Result;
use simurgh_mpi::constants::ROOT;

/// Waits for all ranks ([`Comm::barrier`]).
///
/// # Errors
///
/// None.
#[inline]
pub fn barrier(comm: &Comm) -> Result<Prepared<'_, u8>> {
    Prepared::new((&mut [][..]).into(), |_| Ok(comm.barrier()))
}

/// Gives the root's values to all ranks ([`Comm::bcast`]).
///
/// # Errors
///
/// As the call of the communicator.
pub fn broadcast<'a, T: Equivalence>(
    comm: &'a Comm,
    values: impl Into<Received<'a, T>>,
    root: i32,
) -> Result<Prepared<'a, T>> {
    Prepared::new(values.into(), |values| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete.
        comm.bcast(&unsafe { values.target() }, root)
    })
}

/// Collects equal parts at the root ([`Comm::gather`]).
///
/// # Errors
///
/// As the call of the communicator; [`Count`](simurgh_mpi::ErrorClass::Count) if the root's `received` cannot be
/// cut into a part for each rank.
pub fn gather<'a, T: Equivalence>(
    comm: &'a Comm,
    sent: impl Into<Sent<'a, T>>,
    received: impl Into<Received<'a, T>>,
    root: i32,
) -> Result<Prepared<'a, T>> {
    Prepared::new(received.into(), |received| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete.
        unsafe {
            let received = at_root(comm, root, || even_targets(received, comm.peers()))?;
            comm.gather(Some(&sent.into().source()), received, root)
        }
    })
}

/// Collects parts at the root, `counts[r]` values from rank `r` ([`Comm::gather`]).
///
/// # Errors
///
/// As the call of the communicator; [`Count`](simurgh_mpi::ErrorClass::Count) if the root's `counts` do not fit
/// its ranks or `received`.
pub fn gatherv<'a, T: Equivalence>(
    comm: &'a Comm,
    sent: impl Into<Sent<'a, T>>,
    received: impl Into<Received<'a, T>>,
    counts: &[usize],
    root: i32,
) -> Result<Prepared<'a, T>> {
    Prepared::new(received.into(), |received| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete.
        unsafe {
            let received = at_root(comm, root, || targets(received, counts, comm.peers()))?;
            comm.gather(Some(&sent.into().source()), received, root)
        }
    })
}

/// Collects equal parts at all ranks ([`Comm::allgather`]).
///
/// # Errors
///
/// As the call of the communicator; [`Count`](simurgh_mpi::ErrorClass::Count) if `received` cannot be cut into a
/// part for each rank.
pub fn all_gather<'a, T: Equivalence>(
    comm: &'a Comm,
    sent: impl Into<Sent<'a, T>>,
    received: impl Into<Received<'a, T>>,
) -> Result<Prepared<'a, T>> {
    Prepared::new(received.into(), |received| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete.
        unsafe { comm.allgather(Some(&sent.into().source()), even_targets(received, comm.peers())?) }
    })
}

/// Collects parts at all ranks, `counts[r]` values from rank `r` ([`Comm::allgather`]).
///
/// # Errors
///
/// As the call of the communicator; [`Count`](simurgh_mpi::ErrorClass::Count) if the `counts` do not fit the
/// ranks or `received`.
pub fn all_gatherv<'a, T: Equivalence>(
    comm: &'a Comm,
    sent: impl Into<Sent<'a, T>>,
    received: impl Into<Received<'a, T>>,
    counts: &[usize],
) -> Result<Prepared<'a, T>> {
    Prepared::new(received.into(), |received| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete.
        unsafe {
            comm.allgather(
                Some(&sent.into().source()),
                targets(received, counts, comm.peers())?,
            )
        }
    })
}

/// Gives equal parts of the root's values to the ranks ([`Comm::scatter`]).
///
/// # Errors
///
/// As the call of the communicator; [`Count`](simurgh_mpi::ErrorClass::Count) if the root's `sent` cannot be cut
/// into a part for each rank.
pub fn scatter<'a, T: Equivalence>(
    comm: &'a Comm,
    sent: impl Into<Sent<'a, T>>,
    received: impl Into<Received<'a, T>>,
    root: i32,
) -> Result<Prepared<'a, T>> {
    Prepared::new(received.into(), |received| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete.
        unsafe {
            let sent = at_root(comm, root, || even_sources(sent.into(), comm.peers()))?;
            comm.scatter(sent, Some(&received.target()), root)
        }
    })
}

/// Gives parts of the root's values to the ranks, `counts[r]` values to rank `r` ([`Comm::scatter`]).
///
/// # Errors
///
/// As the call of the communicator; [`Count`](simurgh_mpi::ErrorClass::Count) if the root's `counts` do not fit
/// its ranks or `sent`.
pub fn scatterv<'a, T: Equivalence>(
    comm: &'a Comm,
    sent: impl Into<Sent<'a, T>>,
    counts: &[usize],
    received: impl Into<Received<'a, T>>,
    root: i32,
) -> Result<Prepared<'a, T>> {
    Prepared::new(received.into(), |received| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete.
        unsafe {
            let sent = at_root(comm, root, || sources(sent.into(), counts, comm.peers()))?;
            comm.scatter(sent, Some(&received.target()), root)
        }
    })
}

/// Gives each rank its part of every rank's values ([`Comm::alltoall`]).
///
/// # Errors
///
/// As the call of the communicator; [`Count`](simurgh_mpi::ErrorClass::Count) if a slice cannot be cut into a
/// part for each rank.
pub fn all_to_all<'a, T: Equivalence>(
    comm: &'a Comm,
    sent: impl Into<Sent<'a, T>>,
    received: impl Into<Received<'a, T>>,
) -> Result<Prepared<'a, T>> {
    let peers = comm.peers();
    Prepared::new(received.into(), |received| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete.
        unsafe {
            comm.alltoall(
                Some(even_sources(sent.into(), peers)?),
                even_targets(received, peers)?,
            )
        }
    })
}

/// [`all_to_all`] with a separate number of values to, and from, each rank.
///
/// # Errors
///
/// As the call of the communicator; [`Count`](simurgh_mpi::ErrorClass::Count) if counts do not fit the ranks or
/// their slice.
pub fn all_to_allv<'a, T: Equivalence>(
    comm: &'a Comm,
    (sent, send_counts): (impl Into<Sent<'a, T>>, &[usize]),
    (received, receive_counts): (impl Into<Received<'a, T>>, &[usize]),
) -> Result<Prepared<'a, T>> {
    let peers = comm.peers();
    Prepared::new(received.into(), |received| {
        // SAFETY:
        // - `Prepared` keeps the values lent until the collective is complete.
        unsafe {
            let sent = sources(sent.into(), send_counts, peers)?;
            comm.alltoall(Some(sent), targets(received, receive_counts, peers)?)
        }
    })
}

/// Makes the argument that only the root passes.
pub(super) fn at_root<P>(comm: &Comm, root: i32, parts: impl FnOnce() -> Result<P>) -> Result<Option<P>> {
    is_root(comm, root).then(parts).transpose()
}

/// Whether the calling rank is the root. On an inter-communicator it says so, and other ranks say which rank of the
/// other group it is.
pub(super) fn is_root(comm: &Comm, root: i32) -> bool {
    root == if comm.is_inter() { ROOT } else { comm.rank() }
}
