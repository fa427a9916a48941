//! The worlds of a universe: the launcher, which starts further worlds, and the worlds with which this host is
//! connected.

mod connections;
mod launcher;

pub(crate) use connections::ConnectedWorlds;
pub use launcher::Launcher;

use connections::Connections;
use simurgh_core::sync::{AtomicBool, AtomicUsize, Ordering, SpinLock};
use std::fmt;
use std::sync::OnceLock;

/// The other worlds, as a host knows them.
#[derive(Default)]
pub(crate) struct Worlds {
    launcher: OnceLock<Box<dyn Launcher>>,
    connections: SpinLock<Connections>,
    /// Whether all processes of this host have finalized. From then on connections are kept.
    is_ending: AtomicBool,
    /// The number of processes of this host that have finalized.
    finalized: AtomicUsize,
}

impl Worlds {
    /// Sets the launcher; the first setting counts. Returns whether it was the first.
    pub(crate) fn set_launcher(&self, launcher: impl Launcher + 'static) -> bool {
        self.launcher.set(Box::new(launcher)).is_ok()
    }

    /// The launcher, if one has started the job.
    pub(crate) fn launcher(&self) -> Option<&dyn Launcher> {
        self.launcher.get().map(AsRef::as_ref)
    }

    /// Notes that one of `processes` processes of this host finalizes. When all have finalized, the remaining
    /// connections are kept. Until then, processes that have not finalized may free communicators that others have
    /// already freed.
    pub(crate) fn stay_connected(&self, processes: usize) {
        // AcqRel: the last process to finalize sees which communicators the others have freed.
        let before = self.finalized.fetch_add(1, Ordering::AcqRel);
        if before + 1 == processes {
            self.is_ending.store(true, Ordering::Relaxed);
        }
    }
}

impl fmt::Debug for Worlds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worlds")
            .field("has a launcher", &self.launcher.get().is_some())
            .field("connections", &*self.connections.lock())
            .finish_non_exhaustive()
    }
}
