//! The assertions that a program may make in synchronisation calls, as the standard ABI numbers them.
//!
//! Where all that they would save is done at once anyway, they are checked and not used. With [`NOCHECK`] a lock is
//! not taken, and no signal is sent for a post and awaited. With `--check` nobody relies on it: a lock is taken, which
//! is an error if the rank would have to wait for it, and posts are signals.

use super::Window;
use super::error::fault;
use crate::error::{ErrorClass, Result};

/// No conflicting lock is held, or the matching calls have been made.
pub const NOCHECK: i32 = 1024;
/// The fence does not complete any operations of the rank.
pub const NOPRECEDE: i32 = 2048;
/// The rank's memory will not be changed by others until the next synchronisation.
pub const NOPUT: i32 = 4096;
/// The rank's memory was not changed by stores since the last synchronisation.
pub const NOSTORE: i32 = 8192;
/// The fence does not begin an epoch.
pub const NOSUCCEED: i32 = 16384;

impl Window {
    /// Whether the rank relies on [`NOCHECK`] in its assertions.
    #[inline]
    pub(super) fn relies_on_nocheck(&self, assert: i32) -> bool {
        assert & NOCHECK != 0 && self.shared.access_logs().is_none()
    }
}

/// Refuses assertions other than the allowed ones.
pub(super) fn check(call: &str, assert: i32, allowed: i32) -> Result<()> {
    if assert & !allowed == 0 {
        return Ok(());
    }
    let message =
        format!("assert is {assert}, but {call} takes MPI_MODE constants that are meant for it only");
    Err(fault(ErrorClass::Assert, message))
}
