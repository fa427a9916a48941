//! What a job asks of the launcher that has started it.
//!
//! The engine asks when ranks start others, or look for each other by names; the launcher knows all worlds and answers.
//! It is asked by one rank for all ranks of a communicator, and answers in whatever order it likes.

use simurgh_net::control::{Answer, Question};

/// Whoever has started the job, and may start more.
pub trait Launcher: Send + Sync {
    /// Asks, and suspends the calling execution context until the answer is there. What cannot be done, or asked, is an
    /// answer, too: [`Answer::Refused`].
    fn ask(&self, question: Question) -> Answer;

    /// A number by which hosts know that they are of the same universe: the same on all, another in others.
    fn universe(&self) -> u64;

    /// This host has a communicator with processes of that other world from now on, or has no such communicator any
    /// more. Told when it begins and when it is over, and not waited for.
    ///
    /// Worlds of which any host has such a communicator, directly or by way of others, are *connected*: their hosts may
    /// go when all of these worlds have ended. A world with which nobody is connected goes when it has ended by itself.
    /// What is connected when a process finalizes stays so.
    ///
    /// The hosts of a world that was started for a communicator say that they are connected with its worlds before
    /// their ranks run; until the first host of either side has said so, the launcher takes them to be connected with
    /// the world that has asked for the start.
    fn connected(&self, world: u32, so: bool);
}
