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

mod connect;
mod disconnect;
mod join;
mod parent;
mod ports;
mod spawn;

pub(crate) use parent::parent_of;
pub use spawn::Spawned;

use crate::error::{Error, ErrorClass, Result};
use crate::job::Job;
use crate::worlds::Launcher;
use parent::Parent;
use simurgh_core::sync::{AtomicU64, SpinLock};
use simurgh_net::control::{Answer, Question, Refusal};

/// What a program is told that asks for a launcher and has none.
const ALONE: &str = "the program has not been started by an mpiexec that can do so; start it with \"mpiexec -n 1\" \
                     and its name";

/// What is kept for a job.
#[derive(Default)]
struct Universe {
    parent: SpinLock<Option<Parent>>,
    /// Sockets over which processes of this host have joined others.
    joins: AtomicU64,
}

impl Job {
    /// Says whom to ask for more processes; the first saying counts. Returns whether it was the first.
    pub fn set_launcher(&self, launcher: impl Launcher + 'static) -> bool {
        self.worlds().set_launcher(launcher)
    }

    fn universe(&self) -> &Universe {
        self.layer_state().get_or_init(Universe::default)
    }

    /// Asks the launcher.
    fn ask(&self, question: Question) -> Result<Answer> {
        let Some(launcher) = self.worlds().launcher() else {
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
fn unexpected_answer(answer: &Answer) -> Error {
    Error::new(
        ErrorClass::Intern,
        format!("the launcher has answered {answer:?}; all of the installation has to be of one version"),
    )
}
