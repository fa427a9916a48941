//! Checks of the ranks and tags that a call on a communicator is given.

use super::Comm;
use crate::check;
use crate::constants::{ANY_SOURCE, ANY_TAG, PROC_NULL, ROOT};
use crate::error::{Error, ErrorClass, Result};

/// Checks the destination and the tag of a send.
///
/// # Errors
///
/// [`ErrorClass::Rank`] unless the destination is a rank of the communicator or the null process;
/// [`ErrorClass::Tag`] if the tag is negative.
#[inline]
pub(crate) fn to(dest: i32, tag: i32, comm: &Comm) -> Result<()> {
    if !comm.is_checked() {
        return Ok(());
    }
    if !is_rank(dest, comm) && dest != PROC_NULL {
        return Err(wrong_rank("destination", dest, comm));
    }
    check::tag(tag)
}

/// Checks the source and the tag of a receive.
///
/// # Errors
///
/// [`ErrorClass::Rank`] unless the source is a rank of the communicator, the null process or the wildcard;
/// [`ErrorClass::Tag`] if the tag is negative and not the wildcard; either for a wildcard that the hints of the
/// communicator say is not used.
#[inline(always)]
pub(crate) fn from(source: i32, tag: i32, comm: &Comm) -> Result<()> {
    if !comm.is_checked() {
        return Ok(());
    }
    if !is_rank(source, comm) {
        match source {
            ANY_SOURCE => comm.check_any_source()?,
            PROC_NULL => {}
            _ => return Err(wrong_rank("source", source, comm)),
        }
    }
    match tag {
        0.. => Ok(()),
        ANY_TAG => comm.check_any_tag(),
        _ => Err(check::wrong_tag(tag, " or MPI_ANY_TAG")),
    }
}

/// Checks the argument `name`, which is the rank of a process to communicate with.
///
/// # Errors
///
/// [`ErrorClass::Rank`] unless it is a rank of the communicator.
pub(crate) fn member(name: &str, rank: i32, comm: &Comm) -> Result<()> {
    if is_rank(rank, comm) {
        Ok(())
    } else {
        Err(wrong_rank(name, rank, comm))
    }
}

/// Checks the root of a collective operation.
///
/// # Errors
///
/// [`ErrorClass::Root`] unless it is a rank of the communicator, or, for an inter-communicator, a rank of the remote
/// group, `MPI_ROOT` or `MPI_PROC_NULL`.
#[inline]
pub(crate) fn root(rank: i32, comm: &Comm) -> Result<()> {
    if is_rank(rank, comm) || !comm.is_checked() || (comm.is_inter() && matches!(rank, ROOT | PROC_NULL)) {
        return Ok(());
    }
    Err(wrong_root(rank, comm))
}

#[cold]
fn wrong_root(rank: i32, comm: &Comm) -> Error {
    let size = comm.peers();
    let last = size - 1;
    let reason = if comm.is_inter() {
        format!(
            "root {rank} is not in the remote group of {size} ranks (0 to {last}); ranks of the root's own group pass \
             MPI_ROOT, if they are the root, or MPI_PROC_NULL"
        )
    } else {
        format!("root {rank} is not in the communicator of {size} ranks (0 to {last})")
    };
    Error::new(ErrorClass::Root, reason)
}

#[inline]
fn is_rank(rank: i32, comm: &Comm) -> bool {
    usize::try_from(rank).is_ok_and(|rank| rank < comm.peers())
}

#[cold]
fn wrong_rank(role: &str, rank: i32, comm: &Comm) -> Error {
    let size = comm.peers();
    let last = size - 1;
    let whose = if comm.is_inter() {
        "remote group"
    } else {
        "communicator"
    };
    Error::new(
        ErrorClass::Rank,
        format!("{role} {rank} is not in the {whose} of {size} ranks (0 to {last})"),
    )
}
