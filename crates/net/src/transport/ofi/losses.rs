//! Hosts that will not be heard of any more, until the handler has been told.

use simurgh_core::sync::{AtomicBool, Ordering, SpinLock};

use super::bell::RungBell;
use crate::transport::{Handler, HostId};

/// Hosts that have been lost.
pub(super) struct Losses {
    /// Of each host.
    lost: Box<[AtomicBool]>,
    /// Whether some have not been told yet. Set under the lock.
    any: AtomicBool,
    untold: SpinLock<Vec<(HostId, String)>>,
    /// Wakes who has to tell it.
    bell: Option<RungBell>,
}

impl Losses {
    /// Of so many hosts none; the bell is rung for each.
    pub(super) fn new(hosts: u32, bell: Option<RungBell>) -> Self {
        Self {
            lost: (0..hosts).map(|_| AtomicBool::new(false)).collect(),
            any: AtomicBool::new(false),
            untold: SpinLock::new(Vec::new()),
            bell,
        }
    }

    /// Whether a host has been lost.
    pub(super) fn has(&self, host: HostId) -> bool {
        // Relaxed: it says nothing about anything else.
        self.lost[host as usize].load(Ordering::Relaxed)
    }

    /// A host has been lost, unless that is known.
    #[cold]
    pub(super) fn add(&self, host: HostId, reason: String) {
        let mut untold = self.untold.lock();
        // Relaxed: under the lock.
        if self.lost[host as usize].swap(true, Ordering::Relaxed) {
            return;
        }
        untold.push((host, reason));
        // SeqCst: who goes to sleep arms, then looks here.
        self.any.store(true, Ordering::SeqCst);
        drop(untold);
        if let Some(bell) = &self.bell {
            bell.ring();
        }
    }

    /// What becomes readable when a host has been lost or the completion queue has something.
    pub(super) fn bell(&self) -> Option<&RungBell> {
        self.bell.as_ref()
    }

    /// Whether there is something to tell.
    pub(super) fn any(&self) -> bool {
        self.any.load(Ordering::SeqCst)
    }

    /// Tells the handler, each loss once; whether there was any.
    pub(super) fn tell(&self, handler: &dyn Handler) -> bool {
        if !self.any() {
            return false;
        }
        let untold = {
            let mut untold = self.untold.lock();
            self.any.store(false, Ordering::SeqCst);
            std::mem::take(&mut *untold)
        };
        if let Some(bell) = &self.bell {
            bell.quiet();
        }
        for (host, reason) in &untold {
            handler.lost(*host, reason);
        }
        !untold.is_empty()
    }
}
