//! What any launcher does for a process of its job.

use super::error::PmiError;
use std::os::fd::BorrowedFd;

/// The launcher, as a process sees it: it gives each its place, and lets all see what each shows.
pub(super) trait Launcher: Send {
    /// The process's place in the job.
    fn place(&self) -> Place;

    /// Shows all processes bytes under a key, from the next meeting on.
    fn put(&mut self, key: &str, bytes: &[u8]) -> Result<(), PmiError>;

    /// What a process has shown under a key before the last meeting.
    fn get(&mut self, rank: u32, key: &str) -> Result<Vec<u8>, PmiError>;

    /// The first half of [`meet`](Self::meet): there is news when all have come.
    fn begin_fence(&mut self) -> Result<(), PmiError>;

    /// The second half: waits until all have.
    fn end_fence(&mut self) -> Result<(), PmiError>;

    /// Waits until all processes have called it.
    fn fence(&mut self) -> Result<(), PmiError> {
        self.begin_fence()?;
        self.end_fence()
    }

    /// Readable when all have come, or the launcher is gone.
    fn event_fd(&self) -> BorrowedFd<'_>;

    /// Says that this process needs the launcher no more.
    fn finalize(&mut self) -> Result<(), PmiError>;

    /// Ends all processes.
    fn abort(&mut self, status: u8, why: &str);
}

/// Which process of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Its number.
    pub(super) rank: u32,
    /// How many there are.
    pub(super) size: u32,
}

impl Place {
    /// If that can be.
    pub(super) fn new(rank: u32, size: u32) -> Result<Self, PmiError> {
        if rank < size {
            Ok(Self { rank, size })
        } else {
            Err(PmiError::Place { rank, size })
        }
    }
}
