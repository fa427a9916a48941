//! Copying data from one rank's buffer to another's.

use crate::error::{Error, ErrorClass, Result};
use crate::members::GroupSizes;
use crate::memory::{Source, Target, Writer};

/// Copies the data of seat `from` to seat `to`.
pub(crate) fn deliver(
    writer: &Writer,
    group_sizes: GroupSizes,
    source: Option<Source>,
    from: usize,
    target: Option<Target>,
    to: usize,
) -> Result<()> {
    let (Some(source), Some(target)) = (source, target) else {
        return Err(no_buffer(&group_sizes.name(from), &group_sizes.name(to)));
    };
    if writer.transfer(&source, &target).truncated {
        let (bytes, room) = (source.bytes(), target.bytes());
        return Err(truncated(group_sizes, (from, bytes), (to, room)));
    }
    Ok(())
}

#[cold]
pub(crate) fn truncated(
    group_sizes: GroupSizes,
    (from, bytes): (usize, usize),
    (to, room): (usize, usize),
) -> Error {
    let (from, to) = (group_sizes.name(from), group_sizes.name(to));
    Error::new(
        ErrorClass::Truncate,
        format!("{from} gives {bytes} bytes to {to}, which has room for {room}: make the counts agree"),
    )
}

#[cold]
pub(crate) fn no_buffer(from: &str, to: &str) -> Error {
    Error::new(
        ErrorClass::Buffer,
        format!("nothing can go from {from} to {to}: one of them gave no buffer for it"),
    )
}

/// The error of a rank that passes `MPI_IN_PLACE` on an inter-communicator.
#[cold]
pub(crate) fn nowhere_in_place() -> Error {
    Error::new(
        ErrorClass::Buffer,
        "MPI_IN_PLACE has no meaning on an inter-communicator, where all data comes from the other group",
    )
}

/// The error of a rank that passes `MPI_IN_PLACE` where only the root may.
#[cold]
pub(crate) fn not_in_place(rank: i32, root: i32) -> Error {
    Error::new(
        ErrorClass::Buffer,
        format!("rank {rank} gives MPI_IN_PLACE for its buffer, but only the root, rank {root}, may"),
    )
}
