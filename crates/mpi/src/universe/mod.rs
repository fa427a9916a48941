//! Worlds beside the own one: programs that ranks start, and others that they find by name (chapter 11 of the
//! standard).
//!
//! The processes that one launcher has started together are a *world*; all its worlds are a *universe*. The engine
//! knows the hosts of all worlds ([`Layout`](crate::Layout)), and whatever it does between hosts it does between
//! those of different worlds as well. What it does not know, it asks the launcher ([`Launcher`]); one rank does so
//! for all, and tells them in an exchange of their communicator.
//!
//! Costs: a question to the launcher, two exchanges of the ranks and one of two processes; nothing when none of this is
//! used but a look at the hosts of each new communicator of several.

mod bond;
mod disconnect;
mod join;
mod launcher;
mod meet;
mod parent;
mod ports;
mod spawn;

pub(crate) use bond::Bond;
pub use launcher::Launcher;
pub use spawn::Spawned;

use crate::error::{Error, ErrorClass, Result};
use crate::job::Job;
use bond::Connections;
use parent::Parent;
use simurgh_core::sync::{AtomicBool, AtomicU64, AtomicUsize, SpinLock};
use simurgh_net::control::{Answer, Question, Refusal};
use std::fmt;
use std::sync::OnceLock;

/// What a program is told that asks for a launcher and has none.
const ALONE: &str = "the program has not been started by an mpiexec that can do so; start it with \"mpiexec -n 1\" \
                     and its name";

/// The other worlds, as the engine knows them.
#[derive(Default)]
pub(crate) struct Universe {
    launcher: OnceLock<Box<dyn Launcher>>,
    connections: SpinLock<Connections>,
    /// All processes here have finalized: what is connected stays so.
    is_ending: AtomicBool,
    /// How many processes of this host have finalized.
    finalized: AtomicUsize,
    parent: SpinLock<Option<Parent>>,
    /// Sockets over which processes of this host have joined others.
    joins: AtomicU64,
}

impl Job {
    /// Says whom to ask for more processes; the first saying counts. Returns whether it was the first.
    pub fn set_launcher(&self, launcher: impl Launcher + 'static) -> bool {
        self.universe().launcher.set(Box::new(launcher)).is_ok()
    }

    /// Asks the launcher.
    fn ask(&self, question: Question) -> Result<Answer> {
        let Some(launcher) = self.universe().launcher.get() else {
            return Err(Error::new(class_of(question.refusal()), ALONE));
        };
        match launcher.ask(question) {
            Answer::Refused { refusal, reason } => Err(Error::new(class_of(refusal), reason)),
            answer => Ok(answer),
        }
    }
}

/// Of which class an error is.
fn class_of(refusal: Refusal) -> ErrorClass {
    match refusal {
        Refusal::Spawn => ErrorClass::Spawn,
        Refusal::Port => ErrorClass::Port,
        Refusal::Name => ErrorClass::Name,
        Refusal::Service => ErrorClass::Service,
    }
}

/// The launcher's answer is that to another question.
#[cold]
fn beside_the_point(answer: &Answer) -> Error {
    Error::new(
        ErrorClass::Intern,
        format!("the launcher has answered {answer:?}; all of the installation has to be of one version"),
    )
}

impl fmt::Debug for Universe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Universe")
            .field("has a launcher", &self.launcher.get().is_some())
            .field("connections", &*self.connections.lock())
            .finish_non_exhaustive()
    }
}
