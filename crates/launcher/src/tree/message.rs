//! What `mpiexec` and its agents say to each other.

use super::Loss;
use crate::nodes::Launch;
use crate::oob::Protocol;
use serde::{Deserialize, Serialize};
use simurgh_net::HostId;
use simurgh_net::auth::Secret;
use simurgh_net::control::{FromHost, ToHost};
use simurgh_net::encoding::Text;
use simurgh_net::job::JobSpec;

/// Version of the protocol.
pub(crate) const VERSION: u32 = 4;

/// What agents that connect to `mpiexec` speak with it.
pub(crate) const CALLING: Protocol = Protocol {
    name: "agent of srun",
    version: VERSION,
};

/// Towards the nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) enum Down {
    /// The first word to an agent that shall connect to `mpiexec`.
    Call(Call),
    /// The first word, or that which follows the connection: what is to be run.
    Job(Box<NodeJob>),
    /// To one host. If it speaks of memory of its node's, the agent adds the descriptor.
    Tell {
        /// Its node.
        node: u32,
        /// Which.
        host: HostId,
        /// What.
        message: ToHost,
    },
    /// To all hosts.
    TellAll(ToHost),
    /// Programs that running ranks ask for: a job beside the first one, of which each agent starts the hosts of its
    /// node.
    Start(Box<JobSpec>),
    /// Hosts that have been started are to be ended and forgotten: nobody has been told of them.
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
    /// What rank 0 reads: the bytes of the frame; none is the end.
    Input,
    /// From a server of PMIx to those of other nodes.
    Modex(Fragment),
    /// A sign of life.
    Alive,
}

/// What servers of PMIx on different nodes have to do with each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) enum Modex {
    /// Ranks meet, all of the job if none are named. Those of a node have come, and show this.
    Shown {
        /// The node.
        by: u32,
        /// The ranks.
        ranks: Vec<u32>,
    },
    /// All of them have: what they show, one node's after the other.
    Met {
        /// The ranks.
        ranks: Vec<u32>,
    },
    /// A node wants to know what a rank of another one has shown.
    Question {
        /// The node.
        by: u32,
        /// The other one.
        to: u32,
        /// The rank.
        rank: u32,
    },
    /// What it has.
    Answer {
        /// The node that wants to know.
        to: u32,
        /// The rank.
        rank: u32,
        /// Whether there is such a rank.
        known: bool,
    },
}

/// The bytes of a frame, which belong to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fragment {
    /// What they are about.
    pub(crate) about: Modex,
    /// Whether more of them follow.
    pub(crate) more: bool,
}

/// Where `mpiexec` waits for agents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Call {
    /// [`VERSION`].
    pub(crate) version: u32,
    /// The job's secret, by which the agent and `mpiexec` know each other.
    pub(crate) secret: Secret,
    /// The port, on the node that the batch system says it was called from.
    pub(crate) port: u16,
}

/// What an agent does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NodeJob {
    /// [`VERSION`].
    pub(crate) version: u32,
    /// The job's secret; none if the agent has shown that it knows it.
    pub(crate) secret: Option<Secret>,
    /// The job's name, which no other has.
    pub(crate) name: String,
    /// Names of all nodes.
    pub(crate) names: Vec<String>,
    /// The agent's own node, and behind it those whose agents it starts or has started: `first..last`.
    pub(crate) nodes: (u32, u32),
    /// The job, written for no host in particular.
    pub(crate) spec: JobSpec,
    /// What hosts are started through.
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
    /// The job's secret.
    ///
    /// # Panics
    ///
    /// When it is not there: an agent that knows it from elsewhere puts it there before it begins.
    pub(crate) fn known_secret(&self) -> Secret {
        self.secret.clone().expect("who has a job knows its secret")
    }
}

/// From the nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) enum Up {
    /// An agent that has been called is there.
    Called {
        /// The name of its node.
        node: String,
    },
    /// An agent has got its job.
    Here {
        /// Its node.
        node: u32,
    },
    /// A host says something.
    Said {
        /// Which host.
        host: HostId,
        /// What.
        message: FromHost,
    },
    /// A host has ended.
    Exited {
        /// Which.
        host: HostId,
        /// As `wait` tells it.
        status: i32,
    },
    /// What ranks have written: the bytes of the frame.
    Output {
        /// To the standard error instead of the standard output.
        error: bool,
    },
    /// There is room for more of what rank 0 reads.
    TookInput,
    /// From a server of PMIx to those of other nodes.
    Modex(Fragment),
    /// A node cannot do its part.
    Failed {
        /// Which.
        node: u32,
        /// Why.
        loss: Loss,
    },
    /// All hosts of a node have ended, and what they wrote has been passed on.
    Done {
        /// Which.
        node: u32,
    },
    /// A sign of life.
    Alive,
}
