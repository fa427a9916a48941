//! The interface of the launcher that has started a job.
//!
//! The engine asks the launcher when ranks start programs, or look for each other by names; the launcher knows all
//! worlds and answers. One rank asks for all ranks of a communicator. Answers come in any order.

use simurgh_net::control::{Answer, Question};

/// The launcher of a job.
pub trait Launcher: Send + Sync {
    /// Asks, and suspends the calling execution context until the answer is there. A question that cannot be asked or
    /// fulfilled is answered, too: by [`Answer::Refused`].
    fn ask(&self, question: Question) -> Answer;

    /// A number that identifies the universe: the same on all its hosts, and a different one in others.
    fn universe(&self) -> u64;

    /// Tells the launcher that this host now has a communicator with processes of that world (`so`), or has none any
    /// more. The call does not wait.
    ///
    /// Worlds are *connected* if a host of one has a communicator with processes of the other, directly or by way of
    /// further worlds. Hosts of connected worlds may go when all of these worlds have ended. A world with which no
    /// other is connected goes when it has ended itself. What is connected when a process finalizes stays so.
    ///
    /// The hosts of a world that was started for a communicator report their connection before their ranks run. Until
    /// the first host of either side has reported it, the launcher takes the new world to be connected with the world
    /// that has asked for the start.
    fn connected(&self, world: u32, so: bool);
}
