//! Checks of arguments: each says on one line what is wrong.
//!
//! Those on the path of every message can be switched off for a job; a wrong argument may then end the process.

use crate::comm::Comm;
use crate::constants::{ANY_SOURCE, ANY_TAG, PROC_NULL, ROOT, TAG_UB};
use crate::error::{Error, ErrorClass, Result};
use simurgh_settings::{Id, Values};

/// What is checked in a job, each including those before it (the setting `check`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Checks {
    /// As little as possible.
    Off,
    /// The arguments of calls.
    Arguments,
    /// And whether what ranks bring to a collective fits together, and what a rank has left behind when its use of MPI
    /// ends.
    All,
}

impl Checks {
    pub(crate) fn of(settings: &Values) -> Self {
        match settings.amount(Id::Check) {
            0 => Self::Off,
            1 => Self::Arguments,
            _ => Self::All,
        }
    }
}

/// Checks the destination and the tag of a send.
///
/// # Errors
///
/// [`ErrorClass::Rank`] unless the destination is a rank of the communicator or the null process;
/// [`ErrorClass::Tag`] if the tag is negative.
#[inline]
pub fn to(dest: i32, tag: i32, comm: &Comm) -> Result<()> {
    if !comm.is_checked() {
        return Ok(());
    }
    if !is_rank(dest, comm) && dest != PROC_NULL {
        return Err(wrong_rank("destination", dest, comm));
    }
    self::tag(tag)
}

/// Checks the source and the tag of a receive.
///
/// # Errors
///
/// [`ErrorClass::Rank`] unless the source is a rank of the communicator, the null process or the wildcard;
/// [`ErrorClass::Tag`] if the tag is negative and not the wildcard; either for a wildcard that the hints of the
/// communicator say is not used.
#[inline]
pub fn from(source: i32, tag: i32, comm: &Comm) -> Result<()> {
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
        _ => Err(wrong_tag(tag, " or MPI_ANY_TAG")),
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

/// Checks the tag of a send.
///
/// # Errors
///
/// [`ErrorClass::Tag`] if it is negative.
#[inline]
pub fn tag(tag: i32) -> Result<()> {
    if tag >= 0 { Ok(()) } else { Err(wrong_tag(tag, "")) }
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
