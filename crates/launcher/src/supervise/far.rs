//! The nodes of a job, as `mpiexec` sees them through their agents ([`crate::agent`]).

use super::ending::Verdict;
use super::input::Input;
use super::printer::Printer;
use super::srun::Srun;
use super::{GRACE, Member, Supervisor, Watched};
use crate::agent::message::{Down, NodeJob, Up};
use crate::agent::{Branch, CROWDED, LinkError, silent, split};
use crate::error::LaunchError;
use crate::nodes::Room;
use crate::start::Nodes;
use rustix::process::Signal;
use simurgh_net::control::{FromHost, Received, ToHost};
use simurgh_net::job::JobSpec;
use simurgh_net::transport::HostId;
use simurgh_settings::Id;
use std::ops::Range;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
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

/// What has been heard from the nodes.
enum News {
    Said { host: HostId, message: FromHost },
    Exited { host: HostId, status: i32 },
    Lost { node: u32, reason: String },
}

/// The nodes of a job.
pub(super) struct Far {
    job: NodeJob,
    room: Room,
    branches: Vec<Branch>,
    srun: Option<Srun>,
    standing: Vec<Standing>,
    output: Printer,
    errors: Printer,
    input: Input,
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
            output: Printer::new(std::io::stdout())?,
            errors: Printer::new(std::io::stderr())?,
            input: Input::new(),
            timeout: job.spec.settings.get(Id::PeerTimeout).map(Duration::from_millis),
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
                    reason: format!(": {error}"),
                })),
            }
        }
        Ok(far)
    }

    /// Where programs go that running ranks ask for.
    pub(super) fn room(&self) -> &Room {
        &self.room
    }

    /// What agents are started by.
    pub(super) fn launcher(&self) -> &str {
        &self.launcher
    }

    /// The nodes whose agents have not spoken.
    pub(super) fn absent(&self) -> Vec<String> {
        let nodes = self.job.names.iter().zip(&self.standing);
        let absent = nodes.filter(|(_, standing)| **standing == Standing::Absent);
        absent.map(|(name, _)| name.clone()).collect()
    }

    pub(super) fn watch<'a>(&'a self, watched: &mut Watched<'a>) {
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
    pub(super) fn wakes_at(&self) -> Option<Instant> {
        let signs = self.timeout.map(|timeout| Instant::now() + timeout / 8);
        if self.untold.is_empty() {
            signs
        } else {
            Some(Instant::now())
        }
    }

    fn is_crowded(&self) -> bool {
        self.output.backlog().max(self.errors.backlog()) > CROWDED
    }

    /// Hears what there is.
    fn listen(&mut self) -> Vec<News> {
        let mut news = std::mem::take(&mut self.untold);
        self.output.catch_up();
        self.errors.catch_up();
        if let Some(srun) = &mut self.srun {
            self.branches.extend(srun.welcome(&self.job));
            if let Some(reason) = srun.has_failed() {
                news.extend(self.lost(0..self.job.nodes.1, &format!(": {reason}")));
                self.srun = None;
            }
        }
        let mut index = 0;
        while index < self.branches.len() {
            match self.listen_to(index, &mut news) {
                Ok(()) => index += 1,
                Err(reason) => {
                    let branch = self.branches.swap_remove(index);
                    news.extend(self.lost(branch.nodes(), &reason));
                    branch.end(GRACE);
                }
            }
        }
        if self.standing[0] == Standing::Here
            && let Some(bytes) = self.input.read()
        {
            self.send_to(0, &Down::Input, &bytes);
        }
        news
    }

    /// Nodes that are lost, as far as they still mattered.
    fn lost(&self, nodes: Range<u32>, reason: &str) -> Vec<News> {
        let matters = |node: &u32| self.standing[*node as usize] != Standing::Over;
        let lost = |node| News::Lost {
            node,
            reason: reason.to_owned(),
        };
        nodes.filter(matters).map(lost).collect()
    }

    /// Hears a branch; why it is lost, if it is.
    fn listen_to(&mut self, index: usize, news: &mut Vec<News>) -> Result<(), String> {
        self.branches[index].catch_up();
        while !self.is_crowded() {
            let branch = &mut self.branches[index];
            match branch.receive() {
                Ok(Some((message, bytes))) => news.extend(self.take(message, bytes)),
                Ok(None) => break,
                Err(LinkError::Closed) if self.is_over(index) => return Err(String::new()),
                Err(error) => return Err(self.branches[index].epitaph(&error)),
            }
        }
        match self.timeout {
            Some(timeout) if !self.branches[index].keep_alive(timeout) => Err(silent(timeout)),
            _ => Ok(()),
        }
    }

    /// Whether nothing more is expected of a branch.
    fn is_over(&self, index: usize) -> bool {
        let mut nodes = self.branches[index].nodes();
        nodes.all(|node| self.standing[node as usize] == Standing::Over)
    }

    fn take(&mut self, message: Up, bytes: Vec<u8>) -> Option<News> {
        match message {
            Up::Said { host, message } => return Some(News::Said { host, message }),
            Up::Exited { host, status } => return Some(News::Exited { host, status }),
            Up::Failed { node, reason } if self.stands(node) => return Some(News::Lost { node, reason }),
            Up::Output { error: false } => self.output.print(bytes),
            Up::Output { error: true } => self.errors.print(bytes),
            Up::TookInput => self.input.is_taken(),
            Up::Here { node } => self.set(node, Standing::Here),
            Up::Done { node } => self.set(node, Standing::Over),
            Up::Failed { .. } | Up::Called { .. } | Up::Alive => {}
        }
        None
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
        self.branches
            .iter_mut()
            .for_each(|branch| branch.send(message, &[]));
    }

    /// Tells one host something.
    pub(super) fn tell(&mut self, node: u32, host: HostId, message: ToHost) {
        self.send_to(node, &Down::Tell { node, host, message }, &[]);
    }

    /// Lets the agents start the hosts of a job beside the first one; these hosts.
    pub(super) fn start_beside(&mut self, spec: &JobSpec) -> Vec<Member> {
        self.send_all(&Down::Start(Box::new(spec.clone())));
        members(spec, &self.job.names)
    }

    /// Lets the agents end hosts of which nobody has been told.
    pub(super) fn forget(&mut self, hosts: &Range<usize>) {
        self.send_all(&Down::Forget {
            first: hosts.start as u32,
            hosts: hosts.len() as u32,
        });
    }

    /// Lets the agents close what hosts have lent to each other.
    pub(super) fn forget_descriptors(&mut self) {
        self.send_all(&Down::Met);
    }

    /// Tells all hosts the same.
    pub(super) fn tell_all(&mut self, message: &ToHost) {
        self.send_all(&Down::TellAll(message.clone()));
    }

    /// Sends all hosts a signal.
    pub(super) fn signal_all(&mut self, signal: Signal) {
        self.send_all(&Down::Signal(signal.as_raw()));
    }

    /// Tells all hosts of each other, and sets them going.
    pub(super) fn introduce(&mut self, members: &[Member]) {
        let peers = members.iter().filter_map(|member| Some(member.as_peer(false)?.0));
        self.send_all(&Down::Peers(peers.collect()));
    }

    pub(super) fn print_error(&mut self, text: &[u8]) {
        self.errors.print(text.to_vec());
    }

    /// Hears the last of the nodes, and lets go of them.
    fn end(mut self, in_order: bool) {
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
        self.output.finish(patience);
        self.errors.finish(patience);
    }
}

/// The hosts of a job that agents start.
fn members(spec: &JobSpec, names: &[String]) -> Vec<Member> {
    let hosts = (0..).zip(&spec.hosts);
    hosts
        .map(|(number, share)| Member::of_node(number, spec, names[share.node as usize].clone()))
        .collect()
}

impl Supervisor<'_> {
    /// Starts the agents of the nodes, which start the hosts.
    pub(super) fn start_nodes(&mut self, nodes: Nodes) -> Result<(), LaunchError> {
        self.members = members(self.starter.spec(), &nodes.job.names);
        self.far = Some(Far::start(nodes)?);
        Ok(())
    }

    /// Acts on what is heard from the nodes.
    pub(super) fn listen_far(&mut self) {
        let Some(far) = &mut self.far else { return };
        for news in far.listen() {
            if let News::Said { host, .. } | News::Exited { host, .. } = &news
                && self.members.get(*host as usize).is_none_or(Member::is_gone)
            {
                // Of a host that is forgotten, or that nobody waits for any more.
                continue;
            }
            match news {
                News::Said { host, message } => {
                    let descriptors = Vec::new();
                    self.act_on(host as usize, Received { message, descriptors });
                }
                News::Exited { host, status } => {
                    let status = ExitStatus::from_raw(status);
                    self.members[host as usize].has_exited(status);
                    self.has_ended(host as usize, status);
                }
                News::Lost { node, reason } => self.lose_node(node, &reason),
            }
        }
    }

    fn lose_node(&mut self, node: u32, reason: &str) {
        let Some(far) = &mut self.far else { return };
        let Some(name) = far.job.names.get(node as usize) else {
            return;
        };
        let message = format!("node {name}{reason}");
        far.set(node, Standing::Over);
        self.conclude(Verdict { status: 1, message });
        self.status.get_or_insert(1);
        let there = self.members.iter_mut().filter(|member| !member.is_gone());
        for member in there.filter(|member| member.place().node == node) {
            member.has_exited(ExitStatus::from_raw(Signal::KILL.as_raw()));
        }
    }

    /// No longer waits for nodes that do not answer.
    pub(super) fn give_up_nodes(&mut self) {
        for member in self.members.iter_mut().filter(|member| !member.is_gone()) {
            member.has_exited(ExitStatus::from_raw(Signal::KILL.as_raw()));
        }
    }

    /// Lets go of the nodes when all hosts have ended.
    pub(super) fn end_far(&mut self, in_order: bool) {
        if let Some(far) = self.far.take() {
            far.end(in_order);
        }
    }
}
