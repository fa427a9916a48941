//! Hosts that will not be heard of any more, until the handler has been told.

use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use simurgh_core::HostTable;
use simurgh_core::sync::{AtomicBool, Ordering, SpinLock};

use crate::HostId;
use crate::transport::Handler;
use rustix::event::{EventfdFlags, eventfd};
use rustix::io::Errno;

/// Hosts that have been lost.
pub(super) struct LostHosts {
    /// Of each host.
    lost: HostTable<AtomicBool>,
    /// Whether some have not been told yet, or somebody is to look. Set under the lock where it is about a loss.
    any: AtomicBool,
    unreported: SpinLock<Vec<(HostId, String)>>,
    /// Becomes readable when there is something to tell.
    event: OwnedFd,
}

impl LostHosts {
    /// Of these hosts none.
    pub(super) fn new(hosts: Range<HostId>) -> Result<Self, Errno> {
        Ok(Self {
            lost: HostTable::new(hosts, |_| AtomicBool::new(false)),
            any: AtomicBool::new(false),
            unreported: SpinLock::new(Vec::new()),
            event: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
        })
    }

    /// A host has come.
    pub(super) fn add_host(&self, host: HostId) {
        self.lost.add(host, AtomicBool::new(false));
    }

    /// Whether a host has been lost, or has gone.
    pub(super) fn has(&self, host: HostId) -> bool {
        // Relaxed: it says nothing about anything else.
        self.lost[host].load(Ordering::Relaxed)
    }

    /// A host has gone as it should: that is nothing to tell.
    pub(super) fn remove_host(&self, host: HostId) {
        let mut unreported = self.unreported.lock();
        // Relaxed: under the lock.
        self.lost[host].store(true, Ordering::Relaxed);
        unreported.retain(|(lost, _)| *lost != host);
    }

    /// A host has been lost, unless that is known.
    #[cold]
    pub(super) fn add(&self, host: HostId, reason: String) {
        let mut unreported = self.unreported.lock();
        // Relaxed: under the lock.
        if self.lost[host].swap(true, Ordering::Relaxed) {
            return;
        }
        unreported.push((host, reason));
        // SeqCst: who goes to sleep arms, then looks here.
        self.any.store(true, Ordering::SeqCst);
        drop(unreported);
        // It fails only if it has been rung so often that nobody can miss it.
        let _ = rustix::io::write(&self.event, &1_u64.to_ne_bytes());
    }

    /// Wakes whoever sleeps at the event, so that it looks what has come.
    #[cold]
    pub(super) fn wake(&self) {
        // SeqCst: as in `add`; who is told that there is something reads the event.
        self.any.store(true, Ordering::SeqCst);
        let _ = rustix::io::write(&self.event, &1_u64.to_ne_bytes());
    }

    /// What becomes readable when a host has been lost, until that has been told.
    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }

    /// Whether there may be something to tell.
    pub(super) fn any(&self) -> bool {
        self.any.load(Ordering::SeqCst)
    }

    /// Tells the handler, each loss once; whether there was any.
    pub(super) fn report(&self, handler: &dyn Handler) -> bool {
        if !self.any() {
            return false;
        }
        let unreported = {
            let mut unreported = self.unreported.lock();
            self.any.store(false, Ordering::SeqCst);
            std::mem::take(&mut *unreported)
        };
        // It fails if another turn has read it.
        let _ = rustix::io::read(&self.event, &mut [0; 8]);
        for (host, reason) in &unreported {
            handler.lost(*host, reason);
        }
        !unreported.is_empty()
    }
}
