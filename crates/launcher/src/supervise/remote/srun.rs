//! Agents that Slurm starts: one task on each node, all by one srun. They connect to `mpiexec`.

use crate::error::LaunchError;
use crate::oob::{Frame, Link, Listener, addresses_of};
use crate::process::PollSet;
use crate::tree::message::{AGENT_PROTOCOL, ConnectBack, Down, NodeJob, Up, VERSION};
use crate::tree::{Branch, LaunchCommand, Loss};
use simurgh_net::auth::Secret;
use simurgh_settings::Id;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Variables by which Slurm describes the job, and which srun would take for options of this step.
const MISLEADING: [&str; 9] = [
    "SLURM_CPUS_PER_TASK",
    "SRUN_CPUS_PER_TASK",
    "SLURM_NTASKS",
    "SLURM_NPROCS",
    "SLURM_NTASKS_PER_NODE",
    "SLURM_TASKS_PER_NODE",
    "SLURM_CPU_BIND",
    "SLURM_DISTRIBUTION",
    "SLURM_MPI_TYPE",
];

/// A running srun, and the agents that it starts.
pub(super) struct Srun {
    command: LaunchCommand,
    /// The port to which agents connect; closed when all have.
    listener: Option<Listener>,
    /// What each of them is sent first: its length grows with the number of nodes, so all share it.
    job: Frame,
    /// The number of agents that have not connected.
    missing: usize,
}

impl Srun {
    /// Starts an agent on each node of the job.
    ///
    /// # Errors
    ///
    /// When srun cannot be started, or there is no port.
    pub(super) fn start(job: &NodeJob, command: &[String], tool: &Path) -> Result<Self, LaunchError> {
        let secret = job.known_secret();
        let listener = listener(job, secret.clone()).map_err(LaunchError::Supervise)?;
        let call = ConnectBack {
            version: VERSION,
            secret,
            port: listener.port().map_err(LaunchError::Supervise)?,
        };
        let words = match command {
            [] => vec!["srun".to_owned()],
            words => words.to_vec(),
        };
        let mut srun = Command::new(&words[0]);
        srun.args(&words[1..])
            .args(arguments(&job.names))
            .arg(tool)
            .arg("agent");
        for name in MISLEADING {
            srun.env_remove(name);
        }
        let (command, _, input) = LaunchCommand::start(srun).map_err(|source| LaunchError::Launcher {
            what: source.to_string(),
        })?;
        // Every task reads this; it is shorter than what a pipe holds. If srun has ended already, that is noticed soon.
        let _ = std::fs::File::from(input).write_all(&Link::frame_of(&Down::Call(call), &[]));
        Ok(Self {
            command,
            listener: Some(listener),
            job: Link::frame_of(&Down::Job(Box::new(for_agents(job))), &[]),
            missing: job.names.len(),
        })
    }

    pub(super) fn watch<'a>(&'a self, set: &mut PollSet<'a>) {
        self.command.watch(set);
        if let Some(listener) = &self.listener {
            listener.watch(set);
        }
    }

    /// When there is something to do even if nothing happens.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.listener.as_ref().and_then(Listener::next_deadline)
    }

    /// The agents that have connected and authenticated themselves.
    pub(super) fn accept(&mut self, job: &NodeJob) -> Vec<Branch> {
        self.command.read_errors();
        let called = self.listener.as_mut().map(Listener::accept).unwrap_or_default();
        let come: Vec<(Link, u32)> = called
            .into_iter()
            .filter_map(|(link, word)| Some((link, node_of(job, &word)?)))
            .collect();
        self.missing = self.missing.saturating_sub(come.len());
        if self.missing == 0 {
            self.listener = None;
        }
        come.into_iter()
            .map(|(link, node)| Branch::connected(link, &self.job, node))
            .collect()
    }

    /// Why srun has ended, if it has before all agents have connected.
    pub(super) fn has_failed(&mut self) -> Option<Loss> {
        (self.missing > 0 && self.command.has_ended()).then(|| self.command.loss(Duration::ZERO))
    }

    /// Waits for its end, and kills it when `patience` is over.
    pub(super) fn end(mut self, patience: Duration) {
        self.command.wait(patience);
    }
}

/// The port for agents. It is open at the interface that the user has named, or else at all, since srun knows which
/// address leads here.
fn listener(job: &NodeJob, secret: Secret) -> io::Result<Listener> {
    let interface = job.spec.settings.name(Id::Interface);
    match interface.map(addresses_of).filter(|found| !found.is_empty()) {
        Some(addresses) => Listener::open(AGENT_PROTOCOL, secret, &addresses),
        None => Listener::open_everywhere(AGENT_PROTOCOL, secret),
    }
}

/// The job as all agents are sent it. Each has proved that it knows the secret, and finds its node among all.
fn for_agents(job: &NodeJob) -> NodeJob {
    NodeJob {
        secret: None,
        nodes: (0, job.names.len() as u32),
        ..job.clone()
    }
}

/// The node of an agent, from its first message.
fn node_of(job: &NodeJob, word: &Up) -> Option<u32> {
    let Up::Called { node } = word else {
        return None;
    };
    let place = job.names.iter().position(|name| name == node)?;
    u32::try_from(place).ok()
}

/// The options of srun: one task on each of the nodes, beside other steps of the job, and with all processors that the
/// job has there.
fn arguments(names: &[String]) -> Vec<String> {
    let count = names.len();
    [
        format!("--nodes={count}"),
        format!("--ntasks={count}"),
        "--ntasks-per-node=1".to_owned(),
        format!("--nodelist={}", names.join(",")),
        "--overlap".to_owned(),
        "--cpu-bind=none".to_owned(),
        "--mpi=none".to_owned(),
        "--input=all".to_owned(),
        "--kill-on-bad-exit=1".to_owned(),
        "--quiet".to_owned(),
    ]
    .to_vec()
}
