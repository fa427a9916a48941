//! Whether anybody watches.

use simurgh_core::sync::{AtomicU32, Ordering};

/// Watchers in this process, of all its ranks.
static WATCHERS: AtomicU32 = AtomicU32::new(0);

/// Whether anything has to be counted, timed or noted at all.
#[inline]
#[must_use]
pub fn on() -> bool {
    // Relaxed: what happens while a watcher comes or goes may be seen or not.
    WATCHERS.load(Ordering::Relaxed) != 0
}

/// A watcher, as long as it lives.
#[derive(Debug)]
pub struct Watch(());

impl Watch {
    /// One watcher more.
    #[must_use]
    pub fn begin() -> Self {
        WATCHERS.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        WATCHERS.fetch_sub(1, Ordering::Relaxed);
    }
}
