//! Dynamic processes: programs that ranks start, and others that they find by name (chapter 11 of the standard).
//!
//! The processes that one launcher has started together are a *world*; all its worlds are a *universe*. The engine
//! knows the hosts of all worlds ([`Layout`](crate::Layout)), and communicates with those of other worlds as with those
//! of its own. For what it does not know it asks the launcher ([`Launcher`]). One rank asks for all ranks of its
//! communicator, and tells them in an exchange.
//!
//! Costs: a question to the launcher, two exchanges of the ranks and one of two processes. If none of this is used, a
//! look at the hosts of each new communicator that spans several.

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

/// The message to a program that needs a launcher and has none.
const ALONE: &str = "the program has not been started by an mpiexec that can do so; start it with \"mpiexec -n 1\" \
                     and its name";

/// The dynamic processes' part of a job.
#[derive(Default)]
struct Universe {
    parent: SpinLock<Option<Parent>>,
    /// Number of sockets over which processes of this host have joined others.
    joins: AtomicU64,
}

impl Job {
    /// Sets the launcher to ask for more processes; the first setting counts. Returns whether it was the first.
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

/// The error class of a refusal.
fn class_of(refusal: Refusal) -> ErrorClass {
    match refusal {
        Refusal::Spawn => ErrorClass::Spawn,
        Refusal::Port => ErrorClass::Port,
        Refusal::Name => ErrorClass::Name,
        Refusal::Service => ErrorClass::Service,
    }
}

/// The error of an answer that does not belong to the question.
#[cold]
fn unexpected_answer(answer: &Answer) -> Error {
    Error::new(
        ErrorClass::Intern,
        format!("the launcher has answered {answer:?}; all of the installation has to be of one version"),
    )
}
