//! Hosts that are lost, and reports of them to the handler.

use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use simurgh_core::HostTable;
use simurgh_core::sync::{AtomicBool, Ordering, SpinLock};

use crate::HostId;
use crate::transport::Handler;
use rustix::event::{EventfdFlags, eventfd};
use rustix::io::Errno;

/// The lost hosts.
pub(super) struct LostHosts {
    /// For each host, whether it is lost or removed.
    lost: HostTable<AtomicBool>,
    /// Whether there are unreported losses, or a sleeper has been woken for another reason. Set under the lock if it is
    /// for a loss.
    any: AtomicBool,
    unreported: SpinLock<Vec<(HostId, String)>>,
    /// Becomes readable when `any` is set.
    event: OwnedFd,
}

impl LostHosts {
    /// No host of these is lost.
    pub(super) fn new(hosts: Range<HostId>) -> Result<Self, Errno> {
        Ok(Self {
            lost: HostTable::new(hosts, |_| AtomicBool::new(false)),
            any: AtomicBool::new(false),
            unreported: SpinLock::new(Vec::new()),
            event: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
        })
    }

    /// Adds a host, which is not lost.
    pub(super) fn add_host(&self, host: HostId) {
        self.lost.add(host, AtomicBool::new(false));
    }

    /// Whether a host has been lost or removed.
    pub(super) fn has(&self, host: HostId) -> bool {
        // Relaxed: it orders nothing else.
        self.lost[host].load(Ordering::Relaxed)
    }

    /// Removes a host that has ended as it should. Its loss is not reported.
    pub(super) fn remove_host(&self, host: HostId) {
        let mut unreported = self.unreported.lock();
        // Relaxed: under the lock.
        self.lost[host].store(true, Ordering::Relaxed);
        unreported.retain(|(lost, _)| *lost != host);
    }

    /// Adds a loss, unless the host has been lost or removed before.
    #[cold]
    pub(super) fn add(&self, host: HostId, reason: String) {
        let mut unreported = self.unreported.lock();
        // Relaxed: under the lock.
        if self.lost[host].swap(true, Ordering::Relaxed) {
            return;
        }
        unreported.push((host, reason));
        // SeqCst: a thread that goes to sleep arms, then looks here.
        self.any.store(true, Ordering::SeqCst);
        drop(unreported);
        // It fails only if the counter is full, and then the descriptor is readable.
        let _ = rustix::io::write(&self.event, &1_u64.to_ne_bytes());
    }

    /// Wakes the thread that sleeps on the descriptor, so that it polls.
    #[cold]
    pub(super) fn wake(&self) {
        // SeqCst: as in `add`. The next report resets the descriptor.
        self.any.store(true, Ordering::SeqCst);
        let _ = rustix::io::write(&self.event, &1_u64.to_ne_bytes());
    }

    /// The descriptor that becomes readable when a host is lost, until that has been reported.
    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }

    /// Whether there may be something to report.
    pub(super) fn any(&self) -> bool {
        self.any.load(Ordering::SeqCst)
    }

    /// Reports each unreported loss to the handler. Whether there was any.
    pub(super) fn report(&self, handler: &dyn Handler) -> bool {
        if !self.any() {
            return false;
        }
        let unreported = {
            let mut unreported = self.unreported.lock();
            self.any.store(false, Ordering::SeqCst);
            std::mem::take(&mut *unreported)
        };
        // It fails if the descriptor has been reset already.
        let _ = rustix::io::read(&self.event, &mut [0; 8]);
        for (host, reason) in &unreported {
            handler.lost(*host, reason);
        }
        !unreported.is_empty()
    }
}
