//! The interface of the launcher that has started a job.
//!
//! The engine asks the launcher when ranks start programs or look for each other by names; the launcher knows all
//! worlds and answers. One rank asks on behalf of all ranks of a communicator. Answers may come in any order.

use simurgh_net::control::{Answer, Question};

/// The launcher of a job.
pub trait Launcher: Send + Sync {
    /// Asks a question, and suspends the calling execution context until the answer arrives. A question that cannot be
    /// asked or fulfilled is answered by [`Answer::Refused`].
    fn ask(&self, question: Question) -> Answer;

    /// The number of the universe. It is the same on all hosts of the universe, and different in other universes.
    fn universe(&self) -> u64;

    /// Tells the launcher that this host now has a communicator with processes of `world` (`so` is true), or no longer
    /// has one. The call does not wait.
    ///
    /// Worlds are *connected* if a host of one has a communicator with processes of the other, directly or by way of
    /// further worlds. Hosts of connected worlds are released when all of these worlds have ended. A world with which
    /// no other is connected is released when it has ended itself. Worlds that are connected when a process finalizes
    /// stay connected.
    ///
    /// The hosts of a world that was started for a communicator report their connection before their ranks run. Until
    /// the first host of either side has reported it, the launcher considers the new world connected with the world
    /// that asked for the start.
    fn connected(&self, world: u32, so: bool);
}
