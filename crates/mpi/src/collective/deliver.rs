//! Moving data from one rank's buffer to another's.

use crate::error::{Error, ErrorClass, Result};
use crate::memory::{Source, Target, Writer};

/// Moves the data of rank `from` to rank `to`.
pub(super) fn deliver(
    writer: &Writer,
    source: Option<Source>,
    from: usize,
    target: Option<Target>,
    to: usize,
) -> Result<()> {
    let (Some(source), Some(target)) = (source, target) else {
        return Err(no_buffer(from, to));
    };
    if writer.transfer(&source, &target).truncated {
        return Err(truncated(source.bytes(), from, target.bytes(), to));
    }
    Ok(())
}

#[cold]
pub(super) fn truncated(bytes: usize, from: usize, room: usize, to: usize) -> Error {
    Error::new(
        ErrorClass::Truncate,
        format!(
            "rank {from} gives {bytes} bytes to rank {to}, which has room for {room}: make the counts agree"
        ),
    )
}

#[cold]
fn no_buffer(from: usize, to: usize) -> Error {
    Error::new(
        ErrorClass::Buffer,
        format!("nothing can go from rank {from} to rank {to}: one of them gave no buffer for it"),
    )
}

/// The error of a rank that works in place between two groups.
#[cold]
pub(super) fn nowhere_in_place() -> Error {
    Error::new(
        ErrorClass::Buffer,
        "MPI_IN_PLACE has no meaning on an inter-communicator, where all data comes from the other group",
    )
}

/// The error of a rank that may not work in place.
#[cold]
pub(super) fn not_in_place(rank: i32, root: i32) -> Error {
    Error::new(
        ErrorClass::Buffer,
        format!("rank {rank} gives MPI_IN_PLACE for its buffer, but only the root, rank {root}, may"),
    )
}
