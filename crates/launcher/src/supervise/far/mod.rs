//! The nodes of a job, as `mpiexec` sees them through their agents ([`crate::agent`]).

mod members;
mod modex;
mod news;

use super::input::Input;
use super::printer::Printer;
use super::srun::Srun;
use super::{GRACE, Member, Watched};
use crate::agent::message::{Down, NodeJob};
use crate::agent::{Branch, CROWDED, Loss, split};
use crate::error::LaunchError;
use crate::nodes::Room;
use crate::start::Nodes;
use members::members;
use modex::Meetings;
use news::News;
use rustix::process::Signal;
use simurgh_net::control::ToHost;
use simurgh_net::job::JobSpec;
use simurgh_net::transport::HostId;
use simurgh_settings::Id;
use std::time::{Duration, Instant};

/// How far a node has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// Its agent has not spoken.
    Absent,
    /// Its agent is at work.
    Here,
    /// Its hosts have ended, or it is lost.
    Over,
}

/// The nodes of a job.
pub(in crate::supervise) struct Far {
    job: NodeJob,
    room: Room,
    branches: Vec<Branch>,
    srun: Option<Srun>,
    standing: Vec<Standing>,
    output: Printer,
    errors: Printer,
    input: Input,
    meetings: Meetings,
    timeout: Option<Duration>,
    launcher: String,
    /// What could not be started.
    untold: Vec<News>,
}

impl Far {
    fn start(nodes: Nodes) -> Result<Self, LaunchError> {
        let Nodes {
            job,
            room,
            tool,
            srun,
        } = nodes;
        let launcher = match &srun {
            Some(command) => command.first().map_or("srun", String::as_str),
            None => job.launch.name(),
        };
        let mut far = Self {
            branches: Vec::new(),
            srun: None,
            standing: vec![Standing::Absent; job.names.len()],
            output: Printer::new("standard output", std::io::stdout())?,
            errors: Printer::new("standard error", std::io::stderr())?,
            input: Input::new(),
            meetings: Meetings::of(&job.spec),
            timeout: job.spec.settings.time(Id::PeerTimeout),
            launcher: launcher.to_owned(),
            untold: Vec::new(),
            room,
            job,
        };
        if let Some(command) = srun {
            far.srun = Some(Srun::start(&far.job, &command, &tool)?);
            return Ok(far);
        }
        for nodes in split(0..far.job.nodes.1, far.job.width) {
            match Branch::start(&far.job, nodes.clone(), &tool) {
                Ok(branch) => far.branches.push(branch),
                Err(error) => far.untold.extend(nodes.map(|node| News::Lost {
                    node,
                    loss: Loss::of(format!(": {error}")),
                })),
            }
        }
        Ok(far)
    }

    /// Where programs go that running ranks ask for.
    pub(in crate::supervise) fn room(&self) -> &Room {
        &self.room
    }

    /// What agents are started by.
    pub(in crate::supervise) fn launcher(&self) -> &str {
        &self.launcher
    }

    /// The nodes whose agents have not spoken.
    pub(in crate::supervise) fn absent(&self) -> Vec<String> {
        let nodes = self.job.names.iter().zip(&self.standing);
        let absent = nodes.filter(|(_, standing)| **standing == Standing::Absent);
        absent.map(|(name, _)| name.clone()).collect()
    }

    pub(in crate::supervise) fn watch<'a>(&'a self, watched: &mut Watched<'a>) {
        let crowded = self.is_crowded();
        self.branches
            .iter()
            .for_each(|branch| branch.watch(crowded, watched));
        if let Some(srun) = &self.srun {
            srun.watch(watched);
        }
        self.output.watch(watched);
        self.errors.watch(watched);
        if self.standing[0] == Standing::Here {
            self.input.watch(watched);
        }
    }

    /// When there is something to do even if nothing happens.
    pub(in crate::supervise) fn wakes_at(&self) -> Option<Instant> {
        let signs = self.timeout.map(|timeout| Instant::now() + timeout / 8);
        let silent = self.srun.as_ref().and_then(Srun::wakes_at);
        if self.untold.is_empty() {
            signs.into_iter().chain(silent).min()
        } else {
            Some(Instant::now())
        }
    }

    fn is_crowded(&self) -> bool {
        self.output.backlog().max(self.errors.backlog()) > CROWDED
    }

    fn stands(&self, node: u32) -> bool {
        self.standing
            .get(node as usize)
            .is_some_and(|standing| *standing != Standing::Over)
    }

    fn set(&mut self, node: u32, standing: Standing) {
        if let Some(known) = self.standing.get_mut(node as usize) {
            *known = standing;
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
        self.branches
            .iter_mut()
            .for_each(|branch| branch.send(message, bytes));
    }

    /// Tells one host something.
    pub(in crate::supervise) fn tell(&mut self, node: u32, host: HostId, message: ToHost) {
        self.send_to(node, &Down::Tell { node, host, message }, &[]);
    }

    /// Lets the agents start the hosts of a job beside the first one; these hosts.
    pub(in crate::supervise) fn start_beside(&mut self, spec: &JobSpec) -> Vec<Member> {
        self.send_all(&Down::Start(Box::new(spec.clone())));
        members(spec, &self.job.names)
    }

    /// Lets the agents end hosts of which nobody has been told.
    pub(in crate::supervise) fn forget(&mut self, members: &[Member]) {
        if let Some(first) = members.first() {
            self.send_all(&Down::Forget {
                first: first.number(),
                hosts: members.len() as u32,
            });
        }
    }

    /// Tells all hosts the same.
    pub(in crate::supervise) fn tell_all(&mut self, message: &ToHost) {
        self.send_all(&Down::TellAll(message.clone()));
    }

    /// Sends all hosts a signal.
    pub(in crate::supervise) fn signal_all(&mut self, signal: Signal) {
        self.send_all(&Down::Signal(signal.as_raw()));
    }

    pub(in crate::supervise) fn print_error(&mut self, text: &[u8]) {
        self.errors.print(text.to_vec());
    }

    /// Hears the last of the nodes, and lets go of them; whether all has been written that ranks wrote.
    fn end(mut self, in_order: bool) -> bool {
        self.send_all(&Down::Over);
        let until = Instant::now() + GRACE;
        while !self.branches.is_empty() && Instant::now() < until {
            self.listen();
            if self.branches.is_empty() || self.standing.iter().all(|standing| *standing == Standing::Over) {
                break;
            }
            let mut watched = Watched::default();
            self.watch(&mut watched);
            let _ = watched.wait(Some(until));
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
