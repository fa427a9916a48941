//! The messages between `mpiexec` and its agents.

use super::{Loss, split};
use crate::nodes::Launch;
use crate::oob::Protocol;
use serde::{Deserialize, Serialize};
use simurgh_net::HostId;
use simurgh_net::auth::Secret;
use simurgh_net::control::{FromHost, ToHost};
use simurgh_net::encoding::Text;
use simurgh_net::job::JobSpec;
use std::ops::Range;

/// Version of the protocol.
pub(crate) const VERSION: u32 = 5;

/// The protocol of agents that connect to `mpiexec`.
pub(crate) const AGENT_PROTOCOL: Protocol = Protocol {
    name: "agent of srun",
    version: VERSION,
};

/// Messages towards the nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) enum Down {
    /// The first message to an agent that is to connect to `mpiexec`.
    Call(ConnectBack),
    /// The first message, or the first after the agent has connected: the job.
    Job(Box<NodeJob>),
    /// A message for one host. If it is about shared memory of the node, the agent adds the descriptor.
    Tell {
        /// Its node.
        node: u32,
        /// Its number.
        host: HostId,
        /// The message.
        message: ToHost,
    },
    /// A message for all hosts.
    TellAll(ToHost),
    /// Spawned programs: a further job, of which each agent starts the hosts of its node.
    Start(Box<JobSpec>),
    /// Hosts of a spawned job that no other host has been told of are to be killed and forgotten.
    Forget {
        /// The first of them.
        first: HostId,
        /// How many.
        hosts: u32,
    },
    /// All hosts have ended, and no more are to come.
    Over,
    /// A signal for all hosts.
    Signal(i32),
    /// Input for rank 0, in the bytes of the frame. No bytes mean its end.
    Input,
    /// Data from a PMIx server to those of other nodes.
    Modex(Fragment),
    /// A sign of life.
    Alive,
}

/// The messages that PMIx servers of different nodes exchange (the modex).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) enum Modex {
    /// The data of one node for a fence of some ranks, or of all if none are named: the ranks of this node have entered
    /// it.
    Shown {
        /// The node.
        by: u32,
        /// The ranks.
        ranks: Vec<u32>,
    },
    /// The data of all nodes for a fence, one after the other: all ranks have entered it.
    Met {
        /// The ranks.
        ranks: Vec<u32>,
    },
    /// A node asks for the data that a rank of another node has published.
    Question {
        /// The node.
        by: u32,
        /// The node of the rank.
        to: u32,
        /// The rank.
        rank: u32,
    },
    /// The data that a rank has published.
    Answer {
        /// The node that has asked.
        to: u32,
        /// The rank.
        rank: u32,
        /// Whether there is such a rank.
        known: bool,
    },
}

/// A part of an exchange. The data are the bytes of the frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fragment {
    /// The exchange to which it belongs.
    pub(crate) about: Modex,
    /// Whether more fragments follow.
    pub(crate) more: bool,
}

/// Where an agent that srun has started connects to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConnectBack {
    /// [`VERSION`].
    pub(crate) version: u32,
    /// The secret of the job, by which the agent and `mpiexec` authenticate each other.
    pub(crate) secret: Secret,
    /// The port, on the machine that the batch system says srun was called from.
    pub(crate) port: u16,
}

/// The job of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NodeJob {
    /// [`VERSION`].
    pub(crate) version: u32,
    /// The secret of the job; none if the agent knows it already.
    pub(crate) secret: Option<Secret>,
    /// The unique name of the job.
    pub(crate) name: String,
    /// Names of all nodes.
    pub(crate) names: Vec<String>,
    /// The nodes of this branch, `first..end`: the agent's own, and those whose agents it starts. All nodes if the
    /// agent has connected to `mpiexec`: then its own is that of its name, and it starts no agents.
    pub(crate) nodes: (u32, u32),
    /// The job description, written for no host in particular.
    pub(crate) spec: JobSpec,
    /// The command through which hosts are started.
    pub(crate) wrapper: Vec<Text>,
    /// How other agents are started.
    pub(crate) launch: Launch,
    /// How many agents one process starts.
    pub(crate) width: u32,
    /// The processors that hosts may use; all that the node gives them if absent.
    pub(crate) cpus: Option<Vec<usize>>,
    /// The environment of the hosts; the agent's own if absent.
    pub(crate) environment: Option<Vec<(Text, Text)>>,
}

impl NodeJob {
    /// The nodes of each branch of `mpiexec`.
    pub(crate) fn branches(&self) -> Vec<Range<u32>> {
        split(0..self.nodes.1, self.width)
    }

    /// The secret of the job.
    ///
    /// # Panics
    ///
    /// When there is none. An agent that knows the secret already puts it there first.
    pub(crate) fn known_secret(&self) -> Secret {
        self.secret.clone().expect("who has a job knows its secret")
    }
}

/// Messages from the nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) enum Up {
    /// An agent has connected to `mpiexec`.
    Called {
        /// The name of its node.
        node: String,
    },
    /// An agent has received its job.
    Here {
        /// Its node.
        node: u32,
    },
    /// A message from a host.
    Said {
        /// The host.
        host: HostId,
        /// The message.
        message: FromHost,
    },
    /// A host has ended.
    Exited {
        /// The host.
        host: HostId,
        /// Its status, as `wait` returns it.
        status: i32,
    },
    /// Output of ranks, in the bytes of the frame.
    Output {
        /// Whether it goes to the standard error.
        error: bool,
    },
    /// Rank 0 can take more input.
    TookInput,
    /// Data from a PMIx server to those of other nodes.
    Modex(Fragment),
    /// A node cannot do its part.
    Failed {
        /// The node.
        node: u32,
        /// The reason.
        loss: Loss,
    },
    /// All hosts of a node have ended, and their output has been passed on.
    Done {
        /// The node.
        node: u32,
    },
    /// A sign of life.
    Alive,
}
