//! What a universe and the `mpiexec`s in it say to each other.
//!
//! All numbers of hosts, processes and worlds are those that all mpiexecs agree on ([`Realm`]).

use crate::oob::Protocol;
use crate::ports::Asker;
use serde::{Deserialize, Serialize};
use simurgh_net::HostId;
use simurgh_net::control::{Answer, Peer, Question};
use simurgh_net::job::Realm;
use std::time::Duration;

/// Version of the protocol.
pub(crate) const VERSION: u32 = 2;

/// What they speak, who know each other by the universe's secret.
pub(crate) const ENROLLING: Protocol = Protocol {
    name: "universe",
    version: VERSION,
};

/// From an `mpiexec` to the universe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) enum ToServer {
    /// The first word, when both have shown that they know the universe's secret: it wants to belong to the universe.
    Enroll {
        /// How many hosts its job has.
        hosts: u32,
        /// How long the other machine may be silent before it is taken for lost, on either side.
        silence: Option<Duration>,
    },
    /// A running rank asks for something that has to do with ports and names: everything but programs. Each question is
    /// answered by [`FromServer::Answer`], that of a visitor of a port perhaps much later.
    Ask {
        /// Who asks.
        asker: Asker,
        /// What.
        question: Question,
    },
    /// It has acquaintances and hosts of a new world, which are to be introduced to them. The answer is
    /// [`FromServer::Granted`]; until then the hosts of the new world are strangers to everybody.
    Turn,
    /// The answer to [`FromServer::Gather`]: all its hosts that are there, with where they can be reached by those of
    /// others, and their places.
    Gathered {
        /// The hosts.
        peers: Vec<Peer>,
    },
    /// The other answer to [`FromServer::Gather`]: its hosts cannot be reached by those of others.
    Declined {
        /// Why, for the user.
        reason: String,
    },
    /// What it has been [`FromServer::Granted`] is done: its own hosts know the new ones. The universe introduces these
    /// to its acquaintances, and then says [`FromServer::Introduced`].
    New {
        /// The new hosts, as in [`ToServer::Gathered`]; none if their world has been given up meanwhile.
        peers: Vec<Peer>,
    },
    /// The answer to [`FromServer::Meet`]: all its hosts have connected to those.
    Met,
    /// Worlds, the first of which is its own, have communicators in common from now on, or have none any more.
    Tied {
        /// Its own.
        a: u32,
        /// The other, its own as well or another's.
        b: u32,
        /// Whether they have.
        so: bool,
    },
    /// All ranks of one of its worlds have ended.
    Ended {
        /// The world.
        world: u32,
    },
    /// One of its worlds has been let go.
    Gone {
        /// The world.
        world: u32,
        /// The first of its hosts.
        first_host: HostId,
        /// How many there were.
        hosts: u32,
    },
    /// Its job has ended badly: the last word.
    Failed {
        /// Why, for the users of those who have to do with it.
        message: String,
    },
    /// All its worlds have been let go: the last word.
    Farewell,
}

/// From the universe to an `mpiexec`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) enum FromServer {
    /// The answer to [`ToServer::Enroll`]: it belongs to the universe.
    Enrolled {
        /// Its realm, which no other has or will have.
        realm: Realm,
        /// Numbers that none of the others gives to a host ([`Place::share`](simurgh_net::job::Place)): as many as its
        /// job has hosts, and more for worlds that may be started.
        shares: Vec<u32>,
    },
    /// The other answer to [`ToServer::Enroll`].
    Refused {
        /// Why, for the user.
        reason: String,
    },
    /// The answer to [`ToServer::Ask`].
    Answer {
        /// Who has asked.
        asker: Asker,
        /// The answer.
        answer: Answer,
    },
    /// The answer to [`ToServer::Turn`]: it may introduce its new hosts, and has to say [`ToServer::New`].
    Granted,
    /// Its hosts are to be introduced to those of others. As soon as it introduces none itself, it lets none go and no
    /// new ones come until it hears [`FromServer::Introduced`], and says [`ToServer::Gathered`] or
    /// [`ToServer::Declined`].
    Gather,
    /// All its hosts are to connect to these, which they do not know. The answer is [`ToServer::Met`].
    Meet {
        /// Those hosts.
        peers: Vec<Peer>,
    },
    /// What has begun with [`FromServer::Gather`] or [`FromServer::Granted`] is over: hosts may come and go again.
    Introduced,
    /// All ranks that have to do with those of these worlds, which are its own, have ended: they are to be let go.
    Release {
        /// The worlds.
        worlds: Vec<u32>,
    },
    /// Hosts of another one, which it knows, are gone.
    Gone {
        /// The first of them.
        first_host: HostId,
        /// How many.
        hosts: u32,
    },
    /// A job has ended badly with whose ranks some of its own have to do, by chains as well: so has its own.
    Failed {
        /// Why, for the user.
        message: String,
    },
}
