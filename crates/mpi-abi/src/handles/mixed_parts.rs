//! Descriptions of buffers whose parts have different datatypes. They are kept for reuse, so that steady calls of
//! `MPI_Alltoallw` allocate nothing.

use simurgh_core::sync::{Arc, SpinLock};
use simurgh_mpi::memory::MixedParts;

/// The most descriptions that are kept. Collectives under way may have more.
const KEPT_MAX: usize = 64;

/// The descriptions of a rank, including those in use.
#[derive(Default)]
pub(super) struct MixedPartsCache(SpinLock<Vec<Arc<MixedParts>>>);

impl MixedPartsCache {
    /// An unused description, filled by `describe`.
    pub(super) fn take<E>(
        &self,
        describe: impl FnOnce(&mut MixedParts) -> Result<(), E>,
    ) -> Result<Arc<MixedParts>, E> {
        let mut mixed = self.unused();
        if let Some(unshared) = Arc::get_mut(&mut mixed) {
            describe(unshared)?;
        }
        let mut kept = self.0.lock();
        if kept.len() < KEPT_MAX {
            kept.push(Arc::clone(&mixed));
        }
        Ok(mixed)
    }

    /// A description that nobody else holds.
    fn unused(&self) -> Arc<MixedParts> {
        let mut kept = self.0.lock();
        let unused = kept.iter_mut().position(|kept| Arc::get_mut(kept).is_some());
        unused.map_or_else(Arc::default, |unused| kept.swap_remove(unused))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_uses_is_used_again() {
        let mixed_parts = MixedPartsCache::default();
        let take = || mixed_parts.take(|_| Ok::<(), ()>(())).unwrap();
        let (first, second) = (take(), take());
        assert!(!Arc::ptr_eq(&first, &second));
        let address = Arc::as_ptr(&first);
        drop(first);
        assert_eq!(Arc::as_ptr(&take()), address);
        assert_eq!(mixed_parts.0.lock().len(), 2);
    }
}
