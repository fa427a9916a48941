//! The messages between a universe and the `mpiexec`s in it.
//!
//! All numbers of hosts, processes and worlds are unique in the universe ([`Realm`]).

use crate::oob::Protocol;
use crate::ports::Asker;
use serde::{Deserialize, Serialize};
use simurgh_net::HostId;
use simurgh_net::control::{Answer, Peer, Question};
use simurgh_net::job::Realm;
use std::time::Duration;

/// Version of the protocol.
pub(crate) const VERSION: u32 = 2;

/// The protocol of connections with a universe.
pub(crate) const UNIVERSE_PROTOCOL: Protocol = Protocol {
    name: "universe",
    version: VERSION,
};

/// Messages from an `mpiexec` to the universe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) enum ToServer {
    /// The first message after the handshake: it wants to belong to the universe.
    Enroll {
        /// The number of hosts of its job.
        hosts: u32,
        /// The time without a sign of life after which either side takes the other for lost.
        silence: Option<Duration>,
    },
    /// A rank asks a question about ports or names. [`FromServer::Answer`] answers each question; one about a port
    /// perhaps much later.
    Ask {
        /// The rank.
        asker: Asker,
        /// The question.
        question: Question,
    },
    /// It wants to wire up the hosts of a new world to the jobs of its group. The answer is [`FromServer::Granted`];
    /// until then no other host is told of the new ones.
    Turn,
    /// The answer to [`FromServer::Gather`]: all its hosts, with their places, and the addresses at which other jobs
    /// reach them.
    Gathered {
        /// The hosts.
        peers: Vec<Peer>,
    },
    /// The other answer to [`FromServer::Gather`]: other jobs cannot reach its hosts.
    Declined {
        /// The reason, for the user.
        reason: String,
    },
    /// The end of what [`FromServer::Granted`] has allowed: its own hosts are wired up to the new ones. The universe
    /// has the rest of the group do the same, and then sends [`FromServer::Introduced`].
    New {
        /// The new hosts, as in [`ToServer::Gathered`]; none if their world has been given up meanwhile.
        peers: Vec<Peer>,
    },
    /// The answer to [`FromServer::Meet`]: all its hosts have connected to these.
    Met,
    /// Two worlds are connected by communicators from now on, or are not any more.
    Tied {
        /// A world of its own.
        a: u32,
        /// The other world, its own as well or another's.
        b: u32,
        /// Whether they are connected.
        so: bool,
    },
    /// All ranks of one of its worlds have ended.
    Ended {
        /// The world.
        world: u32,
    },
    /// One of its worlds has been released.
    Gone {
        /// The world.
        world: u32,
        /// The first of its hosts.
        first_host: HostId,
        /// The number of its hosts.
        hosts: u32,
    },
    /// Its job has failed. This is its last message.
    Failed {
        /// The reason, for the users of jobs that are connected with it.
        message: String,
    },
    /// All its worlds have been released. This is its last message.
    Farewell,
}

/// Messages from the universe to an `mpiexec`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) enum FromServer {
    /// The answer to [`ToServer::Enroll`]: it belongs to the universe.
    Enrolled {
        /// Its realm, which no other has had or will have.
        realm: Realm,
        /// Shares that no other gives to its hosts ([`Place::share`](simurgh_net::job::Place)): as many as its job has
        /// hosts, and more for worlds that may be spawned.
        shares: Vec<u32>,
    },
    /// The other answer to [`ToServer::Enroll`].
    Refused {
        /// The reason, for the user.
        reason: String,
    },
    /// The answer to [`ToServer::Ask`].
    Answer {
        /// The rank that has asked.
        asker: Asker,
        /// The answer.
        answer: Answer,
    },
    /// The answer to [`ToServer::Turn`]: it may wire up its new hosts, and has to send [`ToServer::New`].
    Granted,
    /// Its hosts are to be wired up to those of other jobs. As soon as no wire-up of its own is under way, it answers
    /// with [`ToServer::Gathered`] or [`ToServer::Declined`]. From then on it releases no host and admits no new one
    /// until [`FromServer::Introduced`].
    Gather,
    /// All its hosts are to connect to these hosts, which they do not know. The answer is [`ToServer::Met`].
    Meet {
        /// The hosts.
        peers: Vec<Peer>,
    },
    /// The wire-up is over that began with [`FromServer::Gather`] or [`FromServer::Granted`]: hosts may come and go
    /// again.
    Introduced,
    /// All ranks that are connected with these worlds of its own have ended: the worlds are to be released.
    Release {
        /// The worlds.
        worlds: Vec<u32>,
    },
    /// Hosts of another job that its own know are gone.
    Gone {
        /// The first of them.
        first_host: HostId,
        /// The number of them.
        hosts: u32,
    },
    /// A job has failed with which its own is connected, directly or by chains: so has its own.
    Failed {
        /// The reason, for the user.
        message: String,
    },
}
