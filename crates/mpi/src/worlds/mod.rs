//! The worlds of a universe as the launcher and the hosts see them: whom to ask for more of them, and with which ones
//! this host is connected.

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
    /// All processes here have finalized: what is connected stays so.
    is_ending: AtomicBool,
    /// How many processes of this host have finalized.
    finalized: AtomicUsize,
}

impl Worlds {
    /// Sets whom to ask; the first setting counts. Returns whether it was the first.
    pub(crate) fn set_launcher(&self, launcher: impl Launcher + 'static) -> bool {
        self.launcher.set(Box::new(launcher)).is_ok()
    }

    /// Whom to ask, if a launcher has started the job.
    pub(crate) fn launcher(&self) -> Option<&dyn Launcher> {
        self.launcher.get().map(AsRef::as_ref)
    }

    /// One of so many processes here finalizes. When all have, what is still connected stays so; until then those who
    /// have not may give up communicators that others have given up before.
    pub(crate) fn stay_connected(&self, processes: usize) {
        // AcqRel: who is the last has seen what the others gave up.
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
