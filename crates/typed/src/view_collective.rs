//! Collective calls that move data of any layout.

use super::collective::at_root;
use super::prepared::together;
use super::{View, ViewMut};
use simurgh_mpi::{Comm, Result};

/// [`broadcast`](crate::broadcast).
///
/// # Errors
///
/// As the call of the communicator.
pub fn broadcast_view<V: ViewMut + ?Sized>(comm: &Comm, values: &mut V, root: i32) -> Result<()> {
    // SAFETY:
    // - the call is complete when it returns; until then nothing unwinds.
    let target = unsafe { values.target() };
    let collective = comm.bcast(&target, root)?;
    together(|| collective.run())
}

/// [`gather`](crate::gather).
///
/// # Errors
///
/// As the call of the communicator; [`Count`](simurgh_mpi::ErrorClass::Count) if the root's `received` cannot be
/// cut into a part for each rank.
pub fn gather_view<S, R>(comm: &Comm, sent: &S, received: &mut R, root: i32) -> Result<()>
where
    S: View + ?Sized,
    R: ViewMut<Item = S::Item> + ?Sized,
{
    // SAFETY:
    // - the call is complete when it returns; until then nothing unwinds.
    let (source, targets) = unsafe {
        let targets = at_root(comm, root, || received.targets(comm.peers()))?;
        (sent.source(), targets)
    };
    let collective = comm.gather(Some(&source), targets, root)?;
    together(|| collective.run())
}

/// [`all_gather`](crate::all_gather).
///
/// # Errors
///
/// As the call of the communicator; [`Count`](simurgh_mpi::ErrorClass::Count) if `received` cannot be cut into a
/// part for each rank.
pub fn all_gather_view<S, R>(comm: &Comm, sent: &S, received: &mut R) -> Result<()>
where
    S: View + ?Sized,
    R: ViewMut<Item = S::Item> + ?Sized,
{
    // SAFETY:
    // - as in `gather_view`.
    let (source, targets) = unsafe { (sent.source(), received.targets(comm.peers())?) };
    let collective = comm.allgather(Some(&source), targets)?;
    together(|| collective.run())
}

/// [`scatter`](crate::scatter).
///
/// # Errors
///
/// As the call of the communicator; [`Count`](simurgh_mpi::ErrorClass::Count) if the root's `sent` cannot be cut
/// into a part for each rank.
pub fn scatter_view<S, R>(comm: &Comm, sent: &S, received: &mut R, root: i32) -> Result<()>
where
    S: View + ?Sized,
    R: ViewMut<Item = S::Item> + ?Sized,
{
    // SAFETY:
    // - as in `gather_view`.
    let (sources, target) = unsafe {
        let sources = at_root(comm, root, || sent.sources(comm.peers()))?;
        (sources, received.target())
    };
    let collective = comm.scatter(sources, Some(&target), root)?;
    together(|| collective.run())
}

/// [`all_to_all`](crate::all_to_all).
///
/// # Errors
///
/// As the call of the communicator; [`Count`](simurgh_mpi::ErrorClass::Count) if the data cannot be cut into a part
/// for each rank.
pub fn all_to_all_view<S, R>(comm: &Comm, sent: &S, received: &mut R) -> Result<()>
where
    S: View + ?Sized,
    R: ViewMut<Item = S::Item> + ?Sized,
{
    let peers = comm.peers();
    // SAFETY:
    // - as in `gather_view`.
    let (sources, targets) = unsafe { (sent.sources(peers)?, received.targets(peers)?) };
    let collective = comm.alltoall(Some(sources), targets)?;
    together(|| collective.run())
}
