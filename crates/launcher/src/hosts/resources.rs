//! The resources that all hosts of a launcher share, including those of spawned programs.

use super::SharedMemories;
use crate::error::LaunchError;
use rustix::io::FdFlags;
use simurgh_net::auth::Secret;
use simurgh_net::job;
use std::cell::RefCell;
use std::os::fd::{AsFd, OwnedFd};

/// The resources that all hosts of one launching process have in common.
pub(crate) struct SharedResources {
    /// The secret that a host shows when it joins the job.
    pub(super) secret: Secret,
    /// The file whose lock a host holds while it writes output.
    pub(super) output: OwnedFd,
    /// The memory that hosts of one node share.
    pub(super) memories: RefCell<SharedMemories>,
    /// The number of processors that there are for all hosts.
    pub(super) processors: u32,
}

impl SharedResources {
    /// The resources of a job that is about to start.
    ///
    /// # Errors
    ///
    /// When the file for the output lock cannot be made.
    pub(super) fn new(secret: Secret) -> Result<Self, LaunchError> {
        let output = job::output_lock().map_err(LaunchError::Supervise)?;
        Ok(Self::with(secret, output, SharedMemories::default()))
    }

    /// The resources of a job that runs already.
    pub(crate) fn with(secret: Secret, output: OwnedFd, memories: SharedMemories) -> Self {
        Self {
            secret,
            output,
            memories: RefCell::new(memories),
            processors: job::processors(),
        }
    }
}

/// Decides whether a descriptor survives `exec`.
pub(super) fn inherit(fd: impl AsFd, inherited: bool) -> Result<(), LaunchError> {
    let flags = if inherited {
        FdFlags::empty()
    } else {
        FdFlags::CLOEXEC
    };
    rustix::io::fcntl_setfd(fd, flags).map_err(|error| LaunchError::Supervise(error.into()))
}
