//! The nodes of a job, as `mpiexec` sees them through their agents ([`crate::agent`]).

mod events;
mod input;
mod members;
mod modex;
mod printer;
mod srun;

use crate::error::LaunchError;
use crate::hosts::Member;
use crate::nodes::NodePool;
use crate::process::{GRACE, PollSet};
use crate::tree::message::{Down, NodeJob};
use crate::tree::{Branch, HIGH_WATER, Loss};
use events::NodeEvent;
use input::Input;
use modex::Fences;
use printer::Printer;
use rustix::process::Signal;
use simurgh_net::HostId;
use simurgh_net::control::ToHost;
use simurgh_net::job::JobSpec;
use simurgh_settings::Id;
use srun::Srun;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The data with which the agents of a job are started.
pub(crate) struct RemoteLaunch {
    /// The job of all agents, with all nodes.
    pub(crate) job: NodeJob,
    /// The nodes, also for programs that ranks spawn.
    pub(crate) pool: NodePool,
    /// How its agents come to be.
    pub(crate) agents: Agents,
}

/// How the agents of a job come to be.
pub(crate) enum Agents {
    /// Each branch of the tree by a command ([`NodeJob::launch`]) that runs this executable on its first node.
    Commands { tool: PathBuf },
    /// All by srun, which runs the executable on each node, or by the command in its place; empty for srun itself.
    Srun { command: Vec<String>, tool: PathBuf },
    /// They are at the other ends of these links, one for each branch.
    #[cfg(test)]
    There(Vec<crate::oob::Link>),
}

/// The state of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeState {
    /// Its agent has sent nothing yet.
    Absent,
    /// Its agent is at work.
    Up,
    /// Its hosts have ended, or it is lost.
    Done,
}

/// The nodes of a job.
pub(in crate::supervise) struct RemoteNodes {
    job: NodeJob,
    pool: NodePool,
    branches: Vec<Branch>,
    srun: Option<Srun>,
    states: Vec<NodeState>,
    /// The number of nodes whose agents have sent nothing yet.
    absent: usize,
    output: Printer,
    errors: Printer,
    input: Input,
    fences: Fences,
    timeout: Option<Duration>,
    launcher: String,
    /// The loss of nodes whose agents could not be started.
    pending: Vec<NodeEvent>,
}

impl RemoteNodes {
    fn start(nodes: RemoteLaunch) -> Result<Self, LaunchError> {
        let RemoteLaunch { job, pool, agents } = nodes;
        let launcher = match &agents {
            Agents::Srun { command, .. } => command.first().map_or("srun", String::as_str),
            _ => job.launch.name(),
        };
        let mut remote = Self {
            branches: Vec::new(),
            srun: None,
            absent: job.names.len(),
            states: vec![NodeState::Absent; job.names.len()],
            output: Printer::new("standard output", std::io::stdout())?,
            errors: Printer::new("standard error", std::io::stderr())?,
            input: Input::new(),
            fences: Fences::of(&job.spec),
            timeout: job.spec.settings.time(Id::PeerTimeout),
            launcher: launcher.to_owned(),
            pending: Vec::new(),
            pool,
            job,
        };
        match agents {
            Agents::Srun { command, tool } => {
                remote.srun = Some(Srun::start(&remote.job, &command, &tool)?);
            }
            Agents::Commands { tool } => remote.start_branches(&tool),
            #[cfg(test)]
            Agents::There(links) => {
                let branches = links.into_iter().zip(remote.job.branches());
                let branch = |(link, nodes)| Branch::over(link, None, &remote.job, nodes);
                remote.branches = branches.map(branch).collect();
            }
        }
        Ok(remote)
    }

    /// Starts the first agent of each branch.
    fn start_branches(&mut self, tool: &Path) {
        for nodes in self.job.branches() {
            match Branch::start(&self.job, nodes.clone(), tool) {
                Ok(branch) => self.branches.push(branch),
                Err(error) => self.pending.extend(nodes.map(|node| NodeEvent::Lost {
                    node,
                    loss: Loss::of(format!(": {error}")),
                })),
            }
        }
    }

    /// The nodes to which spawned programs go.
    pub(in crate::supervise) fn pool(&self) -> &NodePool {
        &self.pool
    }

    /// The command that starts agents, for messages.
    pub(in crate::supervise) fn launcher(&self) -> &str {
        &self.launcher
    }

    /// Whether the agents of all nodes have sent something.
    pub(in crate::supervise) fn are_here(&self) -> bool {
        self.absent == 0
    }

    /// The nodes whose agents have sent nothing yet.
    pub(in crate::supervise) fn absent(&self) -> Vec<String> {
        let nodes = self.job.names.iter().zip(&self.states);
        let absent = nodes.filter(|(_, states)| **states == NodeState::Absent);
        absent.map(|(name, _)| name.clone()).collect()
    }

    pub(in crate::supervise) fn watch<'a>(&'a self, set: &mut PollSet<'a>) {
        let congested = self.is_congested();
        self.branches
            .iter()
            .for_each(|branch| branch.watch(congested, set));
        if let Some(srun) = &self.srun {
            srun.watch(set);
        }
        self.output.watch(set);
        self.errors.watch(set);
        if self.states[0] == NodeState::Up {
            self.input.watch(set);
        }
    }

    /// When there is something to do even if nothing happens.
    pub(in crate::supervise) fn next_deadline(&self) -> Option<Instant> {
        let signs = self.timeout.map(|timeout| Instant::now() + timeout / 8);
        let silent = self.srun.as_ref().and_then(Srun::next_deadline);
        if self.pending.is_empty() {
            signs.into_iter().chain(silent).min()
        } else {
            Some(Instant::now())
        }
    }

    fn is_congested(&self) -> bool {
        self.output.backlog().max(self.errors.backlog()) > HIGH_WATER
    }

    fn is_active(&self, node: u32) -> bool {
        self.states
            .get(node as usize)
            .is_some_and(|states| *states != NodeState::Done)
    }

    fn set_state(&mut self, node: u32, state: NodeState) {
        if let Some(known) = self.states.get_mut(node as usize) {
            self.absent -= usize::from(*known == NodeState::Absent);
            *known = state;
        }
    }

    fn send_to(&mut self, node: u32, message: &Down, bytes: &[u8]) {
        if let Some(branch) = self
            .branches
            .iter_mut()
            .find(|branch| branch.nodes().contains(&node))
        {
            branch.send(message, bytes);
        }
    }

    fn send_all(&mut self, message: &Down) {
        self.send_all_with(message, &[]);
    }

    fn send_all_with(&mut self, message: &Down, bytes: &[u8]) {
        Branch::send_all(&mut self.branches, message, bytes);
    }

    /// Sends a message to one host.
    pub(in crate::supervise) fn send_to_host(&mut self, node: u32, host: HostId, message: ToHost) {
        self.send_to(node, &Down::Tell { node, host, message }, &[]);
    }

    /// Has the agents start the hosts of a spawned job; returns these hosts.
    pub(in crate::supervise) fn start_beside(&mut self, spec: &JobSpec) -> Vec<Member> {
        self.send_all(&Down::Start(Box::new(spec.clone())));
        Member::of_nodes(spec, &self.job.names)
    }

    /// Has the agents kill hosts that no other host has been told of.
    pub(in crate::supervise) fn forget(&mut self, members: &[Member]) {
        if let Some(first) = members.first() {
            self.send_all(&Down::Forget {
                first: first.number(),
                hosts: members.len() as u32,
            });
        }
    }

    /// Sends a message to all hosts.
    pub(in crate::supervise) fn send_to_all_hosts(&mut self, message: &ToHost) {
        self.send_all(&Down::TellAll(message.clone()));
    }

    /// Sends all hosts a signal.
    pub(in crate::supervise) fn signal_all(&mut self, signal: Signal) {
        self.send_all(&Down::Signal(signal.as_raw()));
    }

    pub(in crate::supervise) fn print_error(&mut self, text: &[u8]) {
        self.errors.print(text.to_vec());
    }

    /// Receives the last messages of the nodes, and ends their agents; false if output of ranks was lost.
    fn end(mut self, in_order: bool) -> bool {
        self.send_all(&Down::Over);
        let until = Instant::now() + GRACE;
        while !self.branches.is_empty() && Instant::now() < until {
            self.poll_events();
            if self.branches.is_empty() || self.states.iter().all(|states| *states == NodeState::Done) {
                break;
            }
            let mut set = PollSet::default();
            self.watch(&mut set);
            let _ = set.wait(Some(until));
        }
        self.branches.into_iter().for_each(|branch| branch.end(GRACE));
        if let Some(srun) = self.srun {
            srun.end(2 * GRACE);
        }
        let patience = (!in_order).then_some(GRACE);
        let written = [self.output, self.errors].map(|printer| printer.finish(patience));
        written == [true; 2]
    }
}
