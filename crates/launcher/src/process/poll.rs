//! Waiting for several descriptors at once.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::os::fd::BorrowedFd;
use std::time::Instant;

/// Descriptors of which any one ends the wait.
#[derive(Default)]
pub(crate) struct PollSet<'a>(Vec<PollFd<'a>>);

impl<'a> PollSet<'a> {
    /// Adds a descriptor, with the events that end the wait.
    pub(crate) fn add(&mut self, fd: BorrowedFd<'a>, flags: PollFlags) {
        self.0.push(PollFd::from_borrowed_fd(fd, flags));
    }

    /// Sleeps until one of the descriptors is ready, `until` has come, or a signal has.
    ///
    /// # Errors
    ///
    /// When the kernel refuses.
    pub(crate) fn wait(mut self, until: Option<Instant>) -> rustix::io::Result<()> {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(&mut self.0, left.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
