//! What wakes a thread that sleeps until something happens to the transport.
//!
//! One descriptor for two: the completion queue's, and one that is rung when a host has been lost.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{EventfdFlags, epoll, eventfd};
use rustix::io::Errno;

/// The descriptor that becomes readable.
pub(super) struct RungBell {
    both: OwnedFd,
    own: OwnedFd,
}

impl RungBell {
    /// Of the completion queue's descriptor and one of our own.
    pub(super) fn new(queue: BorrowedFd<'_>) -> Result<Self, Errno> {
        let both = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let own = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        for descriptor in [queue, own.as_fd()] {
            epoll::add(
                &both,
                descriptor,
                epoll::EventData::new_u64(0),
                epoll::EventFlags::IN,
            )?;
        }
        Ok(Self { both, own })
    }

    /// What becomes readable.
    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.both.as_fd()
    }

    /// Makes it readable.
    pub(super) fn ring(&self) {
        // It fails only if it has been rung so often that nobody can miss it.
        let _ = rustix::io::write(&self.own, &1_u64.to_ne_bytes());
    }

    /// What it was rung for has been dealt with.
    pub(super) fn quiet(&self) {
        // It fails if it has not been rung.
        let _ = rustix::io::read(&self.own, &mut [0; 8]);
    }
}
