//! What hosts and launcher say to each other.

use super::{Answer, Question};
use crate::auth::Secret;
use crate::encoding::Bytes;
use crate::job::Place;
use crate::{HostId, pmi};
use serde::{Deserialize, Serialize};

/// Longest text in a message, in bytes: with the worst of characters it still fits.
pub const MAX_TEXT: usize = 16 << 10;

/// From a host to the launcher.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum FromHost {
    /// The host is there.
    Hello(Hello),
    /// All ranks of the host have ended.
    Ended {
        /// The first exit status of a rank that is not zero, or zero.
        status: u8,
    },
    /// The job cannot go on.
    Abort {
        /// Exit status of the job.
        status: u8,
        /// Why, for the user.
        message: String,
    },
    /// Another host cannot be reached any more.
    Lost {
        /// The other host.
        host: HostId,
        /// Why; reads on after "host 3: ".
        reason: String,
    },
    /// All ranks of the host wait, and nothing happens unless another host sends something.
    Quiet {
        /// Number of the question that it answers; 0 if nobody has asked.
        wave: u32,
        /// Packets that the host has sent so far.
        sent: u64,
        /// Packets that it has received, and answers that ranks have taken.
        received: u64,
    },
    /// What the ranks of the host are waiting for.
    Waiting {
        /// For the user.
        text: String,
    },
    /// A rank asks the launcher something.
    Ask {
        /// The number of the question, which no other of the host has had.
        number: u64,
        /// What it asks.
        question: Question,
    },
    /// Ranks of the host have a communicator with ranks of another world from now on, or have none any more.
    Connected {
        /// The other world.
        world: u32,
        /// Whether they have.
        so: bool,
    },
    /// The answer to [`ToHost::Grow`].
    Opened {
        /// Where its transports can be reached.
        addresses: Vec<Address>,
    },
    /// The answer to [`ToHost::Grow`] of a host that those of other launchers cannot reach.
    Unreachable {
        /// Why; reads on after "host 3: ".
        reason: String,
    },
    /// The answer to [`ToHost::Meet`]; of a host that has just started among others, to [`ToHost::Go`].
    Met,
    /// A program that is linked with another MPI speaks PMI. No host of ours says so: it comes over another socket.
    Pmi(pmi::Message),
}

/// From the launcher to a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum ToHost {
    /// Other hosts: at most [`MAX_PEERS`](super::MAX_PEERS) of them. The host itself may be among them.
    Peers(Vec<Peer>),
    /// With a descriptor of the memory that the hosts of another world on the host's node share.
    Memory {
        /// All these hosts, in ascending order.
        hosts: Vec<HostId>,
    },
    /// All peers are told: connect to them, and run the ranks.
    Go,
    /// Say whether the host is still quiet; if it is not, it will say so later when it is again.
    StillQuiet {
        /// Number of the question; 0 if what has been said before is void, and the answer is as if nobody had asked.
        wave: u32,
    },
    /// Say what the ranks are waiting for.
    Report {
        /// They may go on meanwhile, unlike those that wait for ever: what they wait for is that of a moment.
        moving: bool,
    },
    /// The answer to [`FromHost::Ask`].
    Answer {
        /// The number of the question.
        number: u64,
        /// The answer.
        answer: Answer,
    },
    /// Other hosts are about to join: say where transports can be reached that could lead to them.
    Grow {
        /// Whether there may be hosts of other launchers among them, with whom no node is shared.
        far: bool,
    },
    /// All that join have been introduced: connect to them.
    Meet,
    /// Hosts have ended that had ceased to have to do with the job's others.
    Gone {
        /// The first of them.
        first: HostId,
        /// How many.
        hosts: u32,
    },
    /// All ranks that this host's have to do with have ended: so may the host.
    End,
    /// The job has failed: end at once. The user knows why.
    Die,
    /// The answer to [`FromHost::Pmi`].
    Pmi(pmi::Message),
}

/// How a host begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// Version of the protocol.
    pub version: u32,
    /// The job's secret.
    pub secret: Secret,
    /// The host's number.
    pub host: HostId,
    /// Where its transports can be reached.
    pub addresses: Vec<Address>,
}

/// A host that another one shall connect to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peer {
    /// Its number.
    pub host: HostId,
    /// Where its transports can be reached.
    pub addresses: Vec<Address>,
    /// Where it is and what lives on it, if the other one's job description does not say so.
    pub place: Option<Place>,
}

impl Peer {
    /// The peer as bytes, for those who carry them in other ways.
    ///
    /// # Panics
    ///
    /// Never: a peer has no map keys and no failing serializer.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a peer has no map keys and no failing serializer")
    }

    /// The peer of such bytes, if they are one's.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

/// Where one transport of a host can be reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Address {
    /// The transport's name.
    pub transport: String,
    /// The address, in the transport's terms.
    pub bytes: Bytes,
}

/// How many descriptors come with a message.
pub(super) trait Descriptors {
    /// As many as this.
    fn descriptors(&self) -> usize;
}

impl Descriptors for FromHost {
    fn descriptors(&self) -> usize {
        0
    }
}

impl Descriptors for ToHost {
    fn descriptors(&self) -> usize {
        usize::from(matches!(self, Self::Memory { .. }))
    }
}

/// As much of a text as a message has room for.
#[must_use]
pub fn shortened(text: &str) -> String {
    const MORE: &str = "…";
    if text.len() <= MAX_TEXT {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_TEXT - MORE.len());
    format!("{}{MORE}", &text[..end])
}
