//! The memory that a rank may have which is a process.

use crate::error::LaunchError;
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use simurgh_net::job::JobSpec;
use simurgh_settings::Id;
use std::process::Child;

/// Limits the data of a process that has just been started, if it is a rank, or a native program: then to what all its
/// ranks may have. A lower limit of the user stays. What the
/// process has allocated until then counts, too.
pub(super) fn set(child: &Child, spec: &JobSpec) -> Result<(), LaunchError> {
    let bytes = spec.settings.get(Id::MemoryLimit);
    let Some(bytes) = bytes.filter(|_| spec.mode_of(spec.host).starts_program()) else {
        return Ok(());
    };
    let bytes = bytes.saturating_mul(spec.ranks().count.into());
    let own = getrlimit(Resource::Data);
    let current = own.current.map_or(bytes, |own| own.min(bytes));
    let limit = Rlimit {
        current: Some(current),
        ..own
    };
    match prlimit(Some(Pid::from_child(child)), Resource::Data, limit) {
        // It has ended already.
        Ok(_) | Err(Errno::SRCH) => Ok(()),
        Err(error) => Err(LaunchError::Supervise(error.into())),
    }
}
