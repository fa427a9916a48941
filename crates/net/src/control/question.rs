//! The questions that running ranks ask the launcher: to start programs, and to connect them with programs that were
//! started apart.

use crate::encoding::{Bytes, Text};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A question of a rank. Each is answered once; [`Question::Accept`] perhaps much later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Question {
    /// Start these programs as a world of their own. The answer is [`Answer::Spawned`]. It comes when all hosts of the
    /// universe know the new hosts and can reach them; the ranks of the world run only then.
    Spawn {
        /// The programs, in the order of their ranks.
        commands: Vec<Command>,
        /// The message about their parents that the new hosts get, for the engine.
        parent: Bytes,
    },
    /// Invent the name of a new port: [`Answer::Port`]. The port is open until it is closed, or the host has ended.
    OpenPort,
    /// Close a port: [`Answer::Done`], or [`Refusal::Port`] if there is none.
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
    /// Wait for an [`Question::Accept`] at the port: [`Answer::Partner`]. [`Refusal::Port`] as there, and if none comes
    /// in time.
    Connect {
        /// Its name.
        port: String,
        /// The process that waits, for itself and others.
        process: u32,
        /// How long to wait; for ever if absent.
        patience: Option<Duration>,
    },
    /// Publish the port under the name of a service: [`Answer::Done`]. [`Refusal::Service`] if the name is taken.
    Publish {
        /// The name.
        service: String,
        /// The port.
        port: String,
    },
    /// Withdraw the name: [`Answer::Done`]. [`Refusal::Service`] if nobody has published it with this port.
    Unpublish {
        /// The name.
        service: String,
        /// The port.
        port: String,
    },
    /// Look up the port of a service: [`Answer::Port`]. [`Refusal::Name`] if there is none.
    Lookup {
        /// The name.
        service: String,
    },
}

impl Question {
    /// The refusal if there is nobody who could answer.
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

/// A program that is to be started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// Its name or path.
    pub program: Text,
    /// Its arguments, without the name of the program.
    pub arguments: Vec<Text>,
    /// The most processes that run it (`maxprocs`): all of these, unless the key `soft` allows fewer.
    pub processes: u32,
    /// Hints: keys and values, including those that the launcher does not know.
    pub info: Vec<(Text, Text)>,
}

/// The answer to a question.
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
    /// A partner is at the other end of the port.
    Partner {
        /// The process that has asked there.
        process: u32,
        /// A number that both ends are told, and that is never used again.
        meeting: u64,
    },
    /// It has been done.
    Done,
    /// It cannot be done.
    Refused {
        /// The kind of the fault.
        refusal: Refusal,
        /// Why, for the user.
        reason: String,
    },
}

/// The kind of a refusal.
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
    /// A refusal.
    #[must_use]
    pub fn refused(refusal: Refusal, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::Refused { refusal, reason }
    }
}
