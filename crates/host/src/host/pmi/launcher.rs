//! The interface of a foreign launcher, by whatever protocol.

use super::error::PmiError;
use std::os::fd::BorrowedFd;

/// The launcher, as a process sees it. It gives each process its rank, and a key-value space in which processes publish
/// data for each other.
pub(super) trait Launcher: Send {
    /// The process's place in the job.
    fn place(&self) -> Place;

    /// Publishes bytes under a key, for all processes that read them after the next fence.
    fn put(&mut self, key: &str, bytes: &[u8]) -> Result<(), PmiError>;

    /// The bytes that a process has published under a key before the last fence.
    fn get(&mut self, rank: u32, key: &str) -> Result<Vec<u8>, PmiError>;

    /// The first half of [`fence`](Self::fence): the descriptor [`event_fd`](Self::event_fd) becomes readable when all
    /// processes have entered.
    fn begin_fence(&mut self) -> Result<(), PmiError>;

    /// The second half: waits until all processes have entered.
    fn end_fence(&mut self) -> Result<(), PmiError>;

    /// Waits until all processes have called it.
    fn fence(&mut self) -> Result<(), PmiError> {
        self.begin_fence()?;
        self.end_fence()
    }

    /// Readable when the fence is complete, or the launcher is gone.
    fn event_fd(&self) -> BorrowedFd<'_>;

    /// Tells the launcher that this process needs it no more.
    fn finalize(&mut self) -> Result<(), PmiError>;

    /// Ends all processes.
    fn abort(&mut self, status: u8, why: &str);
}

/// The place of a process in the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The process's number.
    pub(super) rank: u32,
    /// The number of processes.
    pub(super) size: u32,
}

impl Place {
    /// Checks that the rank is below the size.
    pub(super) fn new(rank: u32, size: u32) -> Result<Self, PmiError> {
        if rank < size {
            Ok(Self { rank, size })
        } else {
            Err(PmiError::Place { rank, size })
        }
    }
}
