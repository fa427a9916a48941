//! What a job asks of the launcher that has started it.
//!
//! The engine asks when ranks start others, or look for each other by names; the launcher knows all worlds and answers.
//! It is asked by one rank for all ranks of a communicator, and answers in whatever order it likes.

use crate::error::Result;
use crate::info::Info;

/// Whoever has started the job, and may start more.
pub trait Launcher: Send + Sync {
    /// Asks, and suspends the calling execution context until the answer is there.
    ///
    /// # Errors
    ///
    /// What goes wrong, in the class that MPI has for it: [`Spawn`](crate::ErrorClass::Spawn),
    /// [`Port`](crate::ErrorClass::Port), [`Service`](crate::ErrorClass::Service), [`Name`](crate::ErrorClass::Name).
    fn ask(&self, question: Question) -> Result<Answer>;

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

/// What the launcher is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Start these programs as a world of their own, and tell all hosts of the universe of its hosts before its ranks
    /// run. The answer is [`Answer::Spawned`], when all hosts know the new ones and can reach them.
    Spawn {
        /// The programs, in the order of their ranks.
        commands: Vec<Command>,
        /// What each new host gives to [`Job::set_parent`](crate::Job::set_parent) before its ranks run.
        parent: Vec<u8>,
    },
    /// Make up the name of a new port: [`Answer::Port`]. It is in use until it is closed, or the process has ended.
    OpenPort {
        /// The process that opens it.
        process: u32,
    },
    /// Nobody shall find the port any more: [`Answer::Done`]. [`Port`](crate::ErrorClass::Port) if there is none.
    ClosePort {
        /// Its name.
        port: String,
    },
    /// Wait for a [`Question::Connect`] to the port, the earliest first: [`Answer::Partner`].
    /// [`Port`](crate::ErrorClass::Port) if there is no such port, or it is closed meanwhile.
    Accept {
        /// Its name.
        port: String,
        /// The process that waits, for itself and others.
        process: u32,
    },
    /// Wait for an [`Question::Accept`] at the port: [`Answer::Partner`]. [`Port`](crate::ErrorClass::Port) as there.
    Connect {
        /// Its name.
        port: String,
        /// The process that waits, for itself and others.
        process: u32,
    },
    /// Others shall find the port under the name of a service: [`Answer::Done`].
    /// [`Service`](crate::ErrorClass::Service) if the name is taken.
    Publish {
        /// The name.
        service: String,
        /// The port.
        port: String,
        /// The process that asks.
        process: u32,
    },
    /// They shall not any more: [`Answer::Done`]. [`Service`](crate::ErrorClass::Service) if no process has published
    /// the name with this port.
    Unpublish {
        /// The name.
        service: String,
        /// The port.
        port: String,
    },
    /// Which port has the service: [`Answer::Port`]. [`Name`](crate::ErrorClass::Name) if there is none.
    Lookup {
        /// The name.
        service: String,
    },
}

/// A program that is to be started, so many times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The program.
    pub program: Vec<u8>,
    /// Its arguments, without the name of the program.
    pub arguments: Vec<Vec<u8>>,
    /// How many processes there are to be at most (`maxprocs`): all of these, unless the key `soft` allows fewer.
    pub processes: u32,
    /// Keys that the launcher knows, and others: `host`, `hostfile`, `wdir`, `path`, `file`, `soft`,
    /// `mpi_initial_errhandler`.
    pub info: Info,
}

/// What the launcher answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A world has started.
    Spawned {
        /// Its first process.
        first: u32,
        /// How many processes each command has; in the order of the commands, whose processes follow each other.
        processes: Vec<u32>,
    },
    /// A name of a port.
    Port(String),
    /// Somebody is at the other end.
    Partner {
        /// The process there that has asked.
        process: u32,
        /// A number that both ends are told and nobody else ever.
        meeting: u64,
    },
    /// It has been done.
    Done,
}
