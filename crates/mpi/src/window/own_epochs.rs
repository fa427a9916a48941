//! The rank's own epochs while it has their lock, and what the short ways know of them without it (`open`).

use super::Window;
use super::epoch::Epochs;
use super::open::Open;
use simurgh_core::sync::SpinGuard;
use std::ops::{Deref, DerefMut};

/// Access to the epochs of a rank. When it ends, the short ways are told whether operations are under way.
pub(super) struct OwnEpochs<'a> {
    epochs: SpinGuard<'a, Epochs>,
    open: &'a Open,
}

impl Window {
    /// Locks the rank's epochs, which are told what the short ways have done.
    #[inline]
    pub(super) fn epochs(&self) -> OwnEpochs<'_> {
        let mut epochs = self.epochs.lock_serialized(self.process.serialized());
        if let Some(news) = self.open.news() {
            epochs.note(&news);
        }
        let open = &self.open;
        OwnEpochs { epochs, open }
    }
}

impl Deref for OwnEpochs<'_> {
    type Target = Epochs;

    #[inline]
    fn deref(&self) -> &Epochs {
        &self.epochs
    }
}

impl DerefMut for OwnEpochs<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Epochs {
        &mut self.epochs
    }
}

impl Drop for OwnEpochs<'_> {
    #[inline]
    fn drop(&mut self) {
        self.open.tell_clean(self.epochs.is_clean());
    }
}
