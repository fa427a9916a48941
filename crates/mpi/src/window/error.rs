//! Errors of calls on windows.

use crate::error::{Error, ErrorClass};
use std::borrow::Cow;

#[cold]
pub(super) fn fault(class: ErrorClass, message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(class, message)
}

/// A call outside of the epoch that it needs.
#[cold]
pub(super) fn no_epoch(target: i32) -> Error {
    fault(
        ErrorClass::RmaSync,
        format!(
            "no access epoch is open for rank {target}: call MPI_Win_fence, MPI_Win_start with it, MPI_Win_lock or \
             MPI_Win_lock_all first"
        ),
    )
}

/// A call within an epoch that it cannot be made in.
#[cold]
pub(super) fn in_epoch(call: &str, epoch: &str, end: &str) -> Error {
    fault(
        ErrorClass::RmaSync,
        format!("{call} is called in an epoch of {epoch}; end it with {end} first"),
    )
}

/// A lock that a rank has asserted to get at once, but others hold or want.
#[cold]
pub(super) fn not_free(target: u32) -> Error {
    fault(
        ErrorClass::RmaSync,
        format!(
            "MPI_MODE_NOCHECK says that nobody holds or wants a conflicting lock of rank {target}, but somebody does; \
             call MPI_Win_lock without it"
        ),
    )
}

/// An access beyond the memory that a rank has in the window.
#[cold]
pub(super) fn beyond(target: usize, range: &std::ops::Range<i128>, bytes: usize) -> Error {
    fault(
        ErrorClass::RmaRange,
        format!(
            "the access covers bytes {} to {} of rank {target}'s memory, but the window has {bytes} bytes there",
            range.start, range.end
        ),
    )
}

/// An access to memory that is not attached.
#[cold]
pub(super) fn not_attached(target: usize, range: &std::ops::Range<i128>) -> Error {
    fault(
        ErrorClass::RmaRange,
        format!(
            "the access covers the addresses {:#x} to {:#x} of rank {target}, which are not in memory that it has \
             attached to the window",
            range.start, range.end
        ),
    )
}
