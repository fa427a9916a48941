//! What running ranks ask of the launcher: other programs, and those who started apart from them.

use crate::encoding::{Bytes, Text};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A question. Each is answered once; an [`Question::Accept`] perhaps much later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Question {
    /// Start these programs as a world of their own, and tell all hosts of the universe of its hosts before its ranks
    /// run. The answer is [`Answer::Spawned`], when all hosts know the new ones and can reach them.
    Spawn {
        /// The programs, in the order of their ranks.
        commands: Vec<Command>,
        /// What the new hosts are told of those who start them, for the engine.
        parent: Bytes,
    },
    /// Make up the name of a new port: [`Answer::Port`]. It is in use until it is closed, or the host has ended.
    OpenPort,
    /// Nobody shall find the port any more: [`Answer::Done`]. [`Refusal::Port`] if there is none.
    ClosePort {
        /// Its name.
        port: String,
    },
    /// Wait for a [`Question::Connect`] to the port, the earliest first: [`Answer::Partner`]. [`Refusal::Port`] if
    /// there is no such port, or it is closed meanwhile.
    Accept {
        /// Its name.
        port: String,
        /// The process that waits, for itself and others.
        process: u32,
    },
    /// Wait for an [`Question::Accept`] at the port: [`Answer::Partner`]. [`Refusal::Port`] as there, and if none has
    /// come in time.
    Connect {
        /// Its name.
        port: String,
        /// The process that waits, for itself and others.
        process: u32,
        /// For how long; for ever if that is not given.
        patience: Option<Duration>,
    },
    /// Others shall find the port under the name of a service: [`Answer::Done`]. [`Refusal::Service`] if the name is
    /// taken.
    Publish {
        /// The name.
        service: String,
        /// The port.
        port: String,
    },
    /// They shall not any more: [`Answer::Done`]. [`Refusal::Service`] if nobody has published the name with this port.
    Unpublish {
        /// The name.
        service: String,
        /// The port.
        port: String,
    },
    /// Which port has the service: [`Answer::Port`]. [`Refusal::Name`] if there is none.
    Lookup {
        /// The name.
        service: String,
    },
}

impl Question {
    /// What is wrong if there is nobody who could do it.
    #[must_use]
    pub fn refusal(&self) -> Refusal {
        match self {
            Self::Spawn { .. } => Refusal::Spawn,
            Self::OpenPort | Self::ClosePort { .. } | Self::Accept { .. } | Self::Connect { .. } => {
                Refusal::Port
            }
            Self::Publish { .. } | Self::Unpublish { .. } => Refusal::Service,
            Self::Lookup { .. } => Refusal::Name,
        }
    }
}

/// A program that is to be started, so many times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// Its name or path.
    pub program: Text,
    /// Its arguments, without the name of the program.
    pub arguments: Vec<Text>,
    /// How many processes there are to be at most (`maxprocs`): all of these, unless the key `soft` allows fewer.
    pub processes: u32,
    /// Hints: keys and values, those that the launcher does not know among them.
    pub info: Vec<(Text, Text)>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Answer {
    /// A world has started.
    Spawned {
        /// Its first process; the others follow.
        first: u32,
        /// How many processes each command has; in the order of the commands, whose processes follow each other.
        processes: Vec<u32>,
    },
    /// The name of a port.
    Port(String),
    /// Somebody is at the other end.
    Partner {
        /// The process there that has asked.
        process: u32,
        /// A number that both ends are told, and nobody else ever.
        meeting: u64,
    },
    /// It has been done.
    Done,
    /// It cannot be done.
    Refused {
        /// What is wrong.
        refusal: Refusal,
        /// Why, for the user.
        reason: String,
    },
}

/// What is wrong with a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// Programs cannot be started.
    Spawn,
    /// There is no such port.
    Port,
    /// There is no such name.
    Name,
    /// The name is taken, or not that of this port.
    Service,
}

impl Answer {
    /// That it cannot be done.
    #[must_use]
    pub fn refused(refusal: Refusal, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::Refused { refusal, reason }
    }
}
