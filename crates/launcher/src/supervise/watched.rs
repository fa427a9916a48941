//! What is waited for.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::os::fd::BorrowedFd;
use std::time::Instant;

/// Descriptors, any of which ends the wait.
#[derive(Default)]
pub(crate) struct Watched<'a>(Vec<PollFd<'a>>);

impl<'a> Watched<'a> {
    /// Waits for a descriptor, too.
    pub(crate) fn add(&mut self, fd: BorrowedFd<'a>, flags: PollFlags) {
        self.0.push(PollFd::from_borrowed_fd(fd, flags));
    }

    /// Sleeps until there is something to do, or the time has come.
    pub(crate) fn wait(mut self, until: Option<Instant>) -> rustix::io::Result<()> {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(&mut self.0, left.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
