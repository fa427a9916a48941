//! The heaps of ranks, from which their memory comes if the program has installed [`Allocator`](crate::Allocator).

use simurgh_core::sync::SpinLock;
use simurgh_heap::RankHeaps;

/// The heaps of ranks that have ended. They serve those of the next run: what is left in them may still be in use.
static UNUSED: SpinLock<Vec<&'static RankHeaps>> = SpinLock::new(Vec::new());

/// The heaps of the calling rank, until this is dropped on its execution context.
pub(crate) struct OwnHeaps(&'static RankHeaps);

impl OwnHeaps {
    pub(crate) fn enter() -> Self {
        let unused = UNUSED.lock().pop();
        let heaps = unused.unwrap_or_else(|| Box::leak(Box::new(RankHeaps::new())));
        // Where there are no addresses for heaps, memory comes from the C library.
        let _ = heaps.enter();
        Self(heaps)
    }
}

impl Drop for OwnHeaps {
    fn drop(&mut self) {
        RankHeaps::leave();
        UNUSED.lock().push(self.0);
    }
}
