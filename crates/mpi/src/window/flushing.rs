//! The turns of a rank's threads at waiting for operations on other hosts.
//!
//! A thread that flushes takes over all that has been sent, also by other threads. One that flushes meanwhile finds
//! nothing left and has to wait for the first one, since that may wait for its operations.

use super::Window;
use super::epoch::Epochs;
use simurgh_core::{Mutex, MutexGuard};

/// The lock of the thread whose turn it is.
pub(super) struct Flushing(Mutex<()>);

/// The turn of a thread.
pub(super) struct Turn<'a> {
    window: &'a Window,
    /// None where the calls of the program come one after the other: then there is nobody to wait for.
    lock: Option<MutexGuard<'a, ()>>,
}

impl Default for Flushing {
    fn default() -> Self {
        Self(Mutex::new(()))
    }
}

impl Window {
    /// Waits until no other thread of the rank flushes.
    #[inline]
    pub(super) fn take_turn(&self) -> Turn<'_> {
        let has_others = !self.process.serialized().holds();
        let lock = has_others.then(|| {
            self.epochs().flushing += 1;
            self.flushing.0.lock()
        });
        Turn { window: self, lock }
    }
}

impl Drop for Turn<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.lock.is_some() {
            self.window.epochs().flushing -= 1;
        }
    }
}

impl Epochs {
    /// Whether no operation is under way to another host.
    #[inline]
    pub(super) fn is_clean(&self) -> bool {
        self.dirty.is_empty() && self.transfers.is_empty() && self.flushing == 0
    }
}
