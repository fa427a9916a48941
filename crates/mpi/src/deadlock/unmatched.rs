//! Operations that wait for their counterparts, and how a deadlock report describes them.

use crate::constants::{ANY_SOURCE, ANY_TAG};
use crate::matching::{Pattern, communicator_of, is_partitioned};
use std::fmt;

/// The kind of an operation that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A receive without a message.
    Receive,
    /// A probe without a message.
    Probe,
    /// A send without a receive.
    Send,
    /// A send without a receive, which need not wait for one, had its host not used up the other's window.
    Stalled,
    /// A message without a receive, whose sender waits no more.
    Message,
    /// No message, for which its receiver has looked so many times in a row.
    Looks(u64),
}

/// How far a partitioned operation has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// It is one message, to or from another host.
    Together,
    /// The other side has not been set up.
    Unpaired,
    /// The other side has not been started.
    Unmet,
    /// Some partitions have not been moved.
    Missing {
        /// Number of these.
        left: usize,
        /// Number of all that are sent.
        of: usize,
    },
}

/// An operation that waits for its counterpart; it displays itself as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmatched {
    /// The rank that receives, as users [call](crate::Layout::name_of) it.
    pub receiver: String,
    /// The operation that waits.
    pub operation: Operation,
    /// Rank of the sender in the communicator, or [`ANY_SOURCE`].
    pub source: i32,
    /// The tag, or [`ANY_TAG`].
    pub tag: i32,
    /// Number of the communicator; the world is 0.
    pub communicator: u32,
    /// Whether a blocking call waits, not a request.
    pub blocking: bool,
    /// How far it has come, if it is partitioned.
    pub parts: Option<Parts>,
}

impl Unmatched {
    pub(crate) fn new(receiver: String, pattern: Pattern, operation: Operation, blocking: bool) -> Self {
        let Pattern { context, source, tag } = pattern;
        Self {
            receiver,
            operation,
            source,
            tag,
            communicator: communicator_of(context),
            blocking,
            parts: is_partitioned(context).then_some(Parts::Together),
        }
    }

    /// A partitioned operation of this process as far as it has come.
    pub(crate) fn in_parts(receiver: String, label: Pattern, operation: Operation, parts: Parts) -> Self {
        Self {
            parts: Some(parts),
            ..Self::new(receiver, label, operation, false)
        }
    }

    /// The sender and the tag.
    #[must_use]
    pub fn origin(&self) -> String {
        let sender = self.sender();
        match self.tag {
            ANY_TAG => format!("{sender} with any tag"),
            tag => format!("{sender} with tag {tag}"),
        }
    }

    /// The sender: a rank of the world, or of another communicator, or anyone.
    fn sender(&self) -> String {
        match (self.source, self.communicator) {
            (ANY_SOURCE, _) => "any rank".to_owned(),
            (source, 0) => format!("rank {source}"),
            (source, communicator) => format!("rank {source} of communicator {communicator}"),
        }
    }
}

impl fmt::Display for Unmatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let receiver = &self.receiver;
        let waits = if self.blocking { "waits in" } else { "has started" };
        let a = if self.parts.is_some() {
            "a partitioned"
        } else {
            "a"
        };
        match self.operation {
            Operation::Receive => write!(f, "rank {receiver} {waits} {a} receive from {}", self.origin())?,
            Operation::Probe => write!(
                f,
                "rank {receiver} {waits} a probe for a message from {}",
                self.origin()
            )?,
            Operation::Send | Operation::Stalled => {
                let (sender, tag) = (self.sender(), self.tag);
                write!(f, "{sender} {waits} {a} send to rank {receiver} with tag {tag}")?;
                if self.operation == Operation::Stalled {
                    f.write_str(", since too much lies unreceived at that rank's host (eager-window)")?;
                }
            }
            Operation::Message => write!(
                f,
                "rank {receiver} has not received a message from {}",
                self.origin()
            )?,
            Operation::Looks(times) => write!(
                f,
                "rank {receiver} has looked {times} times in vain for a message from {}",
                self.origin()
            )?,
        }
        match self.parts {
            None | Some(Parts::Together) => Ok(()),
            Some(Parts::Unpaired) => f.write_str(", of which the other side has not been set up"),
            Some(Parts::Unmet) => f.write_str(", of which the other side has not been started"),
            Some(Parts::Missing { left, of }) => write!(f, ", which lacks {left} of {of} partitions"),
        }
    }
}
