//! Descriptors that the launcher has left open for the host.

use std::os::fd::{FromRawFd, OwnedFd};

/// The descriptor with this number, if it is open and not one of the standard streams.
///
/// Each number is asked for once: it is named in the environment or in the job description.
pub(super) fn owned(number: i32) -> Option<OwnedFd> {
    let open = number > 2 && std::fs::metadata(format!("/proc/self/fd/{number}")).is_ok();
    // SAFETY:
    // - the descriptor is open, and the launcher has passed it for us to own.
    open.then(|| unsafe { OwnedFd::from_raw_fd(number) })
}
