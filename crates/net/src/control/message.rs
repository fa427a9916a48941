//! The messages between hosts and launcher.

use super::{Answer, Question};
use crate::auth::Secret;
use crate::encoding::Bytes;
use crate::job::Place;
use crate::{HostId, pmi};
use serde::{Deserialize, Serialize};

/// Longest text in a message, in bytes. Even if JSON has to escape every character, the message is not too long.
pub const MAX_TEXT: usize = 16 << 10;

/// A message of a host to the launcher.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum FromHost {
    /// The host has started.
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
        /// The reason, for the user.
        message: String,
    },
    /// Another host cannot be reached any more.
    Lost {
        /// The other host.
        host: HostId,
        /// The reason. Reads on after "host 3: ".
        reason: String,
    },
    /// All ranks of the host wait, and nothing happens unless another host sends something.
    Quiet {
        /// Number of the question that it answers; 0 if nobody has asked.
        wave: u32,
        /// Packets that the host has sent so far.
        sent: u64,
        /// Packets that the host has received, and answers that its ranks have taken.
        received: u64,
    },
    /// A report on what the ranks of the host wait for.
    Waiting {
        /// Text for the user.
        text: String,
    },
    /// A rank asks the launcher something.
    Ask {
        /// The number of the question, unique for the host.
        number: u64,
        /// The question.
        question: Question,
    },
    /// Ranks of the host have a communicator with ranks of another world from now on, or no longer have one.
    Connected {
        /// The other world.
        world: u32,
        /// Whether they have one.
        so: bool,
    },
    /// The answer to [`ToHost::Grow`].
    Opened {
        /// The addresses of its transports.
        addresses: Vec<Address>,
    },
    /// The answer to [`ToHost::Grow`] of a host that hosts of other launchers cannot reach.
    Unreachable {
        /// The reason. Reads on after "host 3: ".
        reason: String,
    },
    /// The answer to [`ToHost::Meet`]; and to [`ToHost::Go`] of a host that has started while others are running.
    Met,
    /// A message of PMI of a program that is linked with another MPI. No host sends it: it comes over another socket.
    Pmi(pmi::Message),
}

/// A message of the launcher to a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum ToHost {
    /// Other hosts, at most [`MAX_PEERS`](super::MAX_PEERS). The host itself may be among them.
    Peers(Vec<Peer>),
    /// The memory that the hosts of another world on the host's node share. Comes with a descriptor of it.
    Memory {
        /// All these hosts, in ascending order.
        hosts: Vec<HostId>,
    },
    /// All peers have been told. Connect to them, and run the ranks.
    Go,
    /// Tell whether the host is still quiet. A host that is not tells later, when it is quiet again.
    StillQuiet {
        /// Number of the question. 0 if reports so far are void, and the host is to answer as if nobody had asked.
        wave: u32,
    },
    /// Tell what the ranks wait for.
    Report {
        /// Whether the ranks may go on meanwhile, so that they wait for that at the moment only.
        moving: bool,
    },
    /// The answer to [`FromHost::Ask`].
    Answer {
        /// The number of the question.
        number: u64,
        /// The answer.
        answer: Answer,
    },
    /// Other hosts are about to be added. Tell the addresses of the transports that could lead to them.
    Grow {
        /// Whether hosts of other launchers may be among them, with which the host shares no node.
        far: bool,
    },
    /// All hosts that are added have been told. Connect to them.
    Meet,
    /// Hosts have ended that are not connected with the others of the job any more.
    Gone {
        /// The first of them.
        first: HostId,
        /// How many.
        hosts: u32,
    },
    /// All ranks that this host's ranks are connected with have ended, so the host may end.
    End,
    /// The job has failed. End at once. The user has been told why.
    Die,
    /// The answer to [`FromHost::Pmi`].
    Pmi(pmi::Message),
}

/// The first message of a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// Version of the protocol.
    pub version: u32,
    /// The job's secret.
    pub secret: Secret,
    /// The host's number.
    pub host: HostId,
    /// The addresses of its transports.
    pub addresses: Vec<Address>,
}

/// A host that another one is to connect to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peer {
    /// Its number.
    pub host: HostId,
    /// The addresses of its transports.
    pub addresses: Vec<Address>,
    /// Where it is and what lives on it, unless the receiver's job description says so.
    pub place: Option<Place>,
}

impl Peer {
    /// Encodes the peer, for those who carry it by other means.
    ///
    /// # Panics
    ///
    /// Never: a peer has no map keys and no failing serializer.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a peer has no map keys and no failing serializer")
    }

    /// Decodes a peer; none if the bytes are not one.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

/// The address of one transport of a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Address {
    /// The name of the transport.
    pub transport: String,
    /// The address, in the terms of the transport.
    pub bytes: Bytes,
}

/// The number of descriptors that come with a message.
pub(super) trait Descriptors {
    /// The number.
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

/// Shortens a text to what a message has room for.
#[must_use]
pub fn shortened(text: &str) -> String {
    const MORE: &str = "…";
    if text.len() <= MAX_TEXT {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_TEXT - MORE.len());
    format!("{}{MORE}", &text[..end])
}
