//! What running ranks ask of the launcher: other programs, and those who started apart from them.

use super::Bytes;
use crate::job::Text;
use serde::{Deserialize, Serialize};

/// A question. Each is answered once; an [`Question::Accept`] perhaps much later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Question {
    /// To start programs, which make a world of their own. The answer is [`Answer::Spawned`].
    Spawn {
        /// The programs, in the order of their ranks.
        commands: Vec<Command>,
        /// What the new ranks are told of those who start them.
        parent: Bytes,
    },
    /// To open a port. The answer is [`Answer::Port`].
    OpenPort {
        /// The process that opens it.
        process: u32,
    },
    /// To close a port.
    ClosePort {
        /// Its name.
        port: String,
    },
    /// To wait for who connects to a port. The answer is [`Answer::Partner`].
    Accept {
        /// Its name.
        port: String,
        /// The process that waits.
        process: u32,
    },
    /// To connect to whoever accepts at a port. The answer is [`Answer::Partner`].
    Connect {
        /// Its name.
        port: String,
        /// The process that connects.
        process: u32,
    },
    /// To give a port a name by which others find it.
    Publish {
        /// The name.
        service: String,
        /// The port.
        port: String,
    },
    /// To take a name back.
    Unpublish {
        /// The name.
        service: String,
        /// The port.
        port: String,
    },
    /// For the port of a name. The answer is [`Answer::Port`].
    Lookup {
        /// The name.
        service: String,
    },
}

/// A program to be started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// Its name or path.
    pub program: Text,
    /// What follows its name.
    pub arguments: Vec<Text>,
    /// How many ranks run it.
    pub processes: u32,
    /// Hints.
    pub info: Vec<(Text, Text)>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Answer {
    /// The programs run.
    Spawned {
        /// The number of the first new process; the others follow.
        first: u32,
        /// How many processes run each program.
        processes: Vec<u32>,
    },
    /// The name of a port.
    Port(String),
    /// Who has been met at a port.
    Partner {
        /// The number of the process.
        process: u32,
        /// A number that both are told, and nobody else ever.
        meeting: u64,
    },
    /// It is done.
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
