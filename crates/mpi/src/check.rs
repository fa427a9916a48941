//! Checks of arguments: each says on one line what is wrong.

use crate::comm::Comm;
use crate::constants::{ANY_SOURCE, ANY_TAG, PROC_NULL, TAG_UB};
use crate::error::{Error, ErrorClass, Result};

/// Checks the destination of a send.
///
/// # Errors
///
/// [`ErrorClass::Rank`] unless it is a rank of the communicator or the null process.
#[inline]
pub fn dest(rank: i32, comm: &Comm) -> Result<()> {
    if is_rank(rank, comm) || rank == PROC_NULL {
        Ok(())
    } else {
        Err(wrong_rank("destination", rank, comm))
    }
}

/// Checks the source of a receive.
///
/// # Errors
///
/// [`ErrorClass::Rank`] unless it is a rank of the communicator, the null process or the wildcard, or if the hints of the
/// communicator say that the wildcard is not used.
#[inline]
pub fn source(rank: i32, comm: &Comm) -> Result<()> {
    if is_rank(rank, comm) {
        return Ok(());
    }
    match rank {
        ANY_SOURCE => comm.check_any_source(),
        PROC_NULL => Ok(()),
        _ => Err(wrong_rank("source", rank, comm)),
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
/// [`ErrorClass::Root`] unless it is a rank of the communicator, [`ErrorClass::Comm`] on an inter-communicator.
#[inline]
pub fn root(rank: i32, comm: &Comm) -> Result<()> {
    comm.check_intra()?;
    if is_rank(rank, comm) {
        return Ok(());
    }
    let size = comm.size();
    let last = size - 1;
    Err(Error::new(
        ErrorClass::Root,
        format!("root {rank} is not in the communicator of {size} ranks (0 to {last})"),
    ))
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

/// Checks the tag of a send.
///
/// # Errors
///
/// [`ErrorClass::Tag`] if it is negative.
#[inline]
pub fn tag(tag: i32) -> Result<()> {
    if tag >= 0 { Ok(()) } else { Err(wrong_tag(tag, "")) }
}

/// Checks the tag of a receive.
///
/// # Errors
///
/// [`ErrorClass::Tag`] if it is negative and not the wildcard, or if the hints of the communicator say that the wildcard is
/// not used.
#[inline]
pub fn receive_tag(tag: i32, comm: &Comm) -> Result<()> {
    match tag {
        0.. => Ok(()),
        ANY_TAG => comm.check_any_tag(),
        _ => Err(wrong_tag(tag, " or MPI_ANY_TAG")),
    }
}

#[cold]
fn wrong_tag(tag: i32, or: &str) -> Error {
    Error::new(
        ErrorClass::Tag,
        format!("tag {tag} is not from 0 to {TAG_UB}{or}"),
    )
}

/// Checks a count and converts it.
///
/// # Errors
///
/// [`ErrorClass::Count`] if it is negative.
#[inline]
pub fn count(count: i64) -> Result<usize> {
    usize::try_from(count).map_err(|_| Error::new(ErrorClass::Count, format!("count {count} is negative")))
}
