//! Worlds beside the own one: programs that ranks start, and others that they find by name (chapter 11 of the standard).
//!
//! The processes that one launcher has started together are a *world*; all its worlds are a *universe*. The engine
//! knows the hosts of all worlds ([`Layout`](crate::Layout)), and whatever it does between hosts it does between those of
//! different worlds as well. What it does not know, it asks the launcher ([`Launcher`]).

mod launcher;

pub use launcher::{Answer, Command, Launcher, Question};

use crate::job::Job;
use std::fmt;
use std::sync::OnceLock;

/// The other worlds, as the engine knows them.
#[derive(Default)]
pub(crate) struct Universe {
    launcher: OnceLock<Box<dyn Launcher>>,
}

impl Job {
    /// Says whom to ask for more processes; the first saying counts. Returns whether it was the first.
    pub fn set_launcher(&self, launcher: impl Launcher + 'static) -> bool {
        self.universe().launcher.set(Box::new(launcher)).is_ok()
    }
}

impl fmt::Debug for Universe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Universe")
            .field("has a launcher", &self.launcher.get().is_some())
            .finish_non_exhaustive()
    }
}
