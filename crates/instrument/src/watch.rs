//! The number of watchers, which decides whether hooks do anything.

use simurgh_core::sync::{AtomicU32, Ordering};

/// The number of watchers in this process, those of all its ranks together.
static WATCHERS: AtomicU32 = AtomicU32::new(0);

/// Whether there is any watcher, so that events have to be counted, timed or noted.
#[inline]
#[must_use]
pub fn on() -> bool {
    // Relaxed: an event that happens while a watcher comes or goes may be seen or missed.
    WATCHERS.load(Ordering::Relaxed) != 0
}

/// A watcher, which counts as one as long as it lives.
#[derive(Debug)]
pub struct Watch(());

impl Watch {
    /// Adds a watcher.
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
