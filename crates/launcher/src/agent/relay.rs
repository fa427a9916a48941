//! The agent at work.

use super::branch::{Branch, CROWDED, silent, split};
use super::hosts::{self, Host};
use super::link::{Link, LinkError};
use super::message::{Down, NodeJob, Up};
use crate::error::LaunchError;
use crate::start::Starter;
use crate::supervise::{GRACE, Signals, Watched, kill_inherited};
use rustix::event::PollFlags;
use rustix::process::Signal;
use simurgh_net::control::{FromHost, ToHost};
use simurgh_net::job::JobSpec;
use simurgh_settings::Id;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// Status of an agent that has lost `mpiexec`.
const ORPHANED: u8 = 1;

/// Serves a node until the job has ended; the status is the process's.
pub(super) fn serve(job: NodeJob, link: Link) -> Result<u8, LaunchError> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(|error| LaunchError::Supervise(error.into()))?;
    let signals = Signals::listen()?;
    let timeout = job.spec.settings.get(Id::PeerTimeout).map(Duration::from_millis);
    let now = Instant::now();
    let mut agent = Agent {
        link,
        hosts: Vec::new(),
        starter: None,
        branches: Vec::new(),
        is_over: false,
        failed: false,
        heard: now,
        spoken: now,
        job,
    };
    agent.begin();
    let status = agent.run(signals, timeout);
    if status != Ok(0) || agent.failed {
        agent.hosts.iter().for_each(|host| host.signal(Signal::KILL));
        // What they have started ends as their connections do.
        agent.branches.clear();
        kill_inherited();
    }
    Ok(status.unwrap_or(ORPHANED))
}

/// An agent at work.
struct Agent {
    job: NodeJob,
    link: Link,
    /// What starts them, if it is known how.
    starter: Option<Starter>,
    hosts: Vec<Host>,
    branches: Vec<Branch>,
    /// No more hosts are to come.
    is_over: bool,
    /// A host has ended badly, or the job has.
    failed: bool,
    heard: Instant,
    spoken: Instant,
}

/// `mpiexec` is gone, or the agent has been told to end.
#[derive(Debug, PartialEq)]
struct Orphaned;

impl Agent {
    /// Starts hosts and further agents.
    fn begin(&mut self) {
        let (own, end) = self.job.nodes;
        self.say(&Up::Here { node: own });
        let tool = match std::env::current_exe() {
            Ok(tool) => tool,
            Err(error) => return self.fail(own, &LaunchError::OwnPath(error)),
        };
        for nodes in split(own + 1..end, self.job.width) {
            match Branch::start(&self.job, nodes.clone(), &tool) {
                Ok(branch) => self.branches.push(branch),
                Err(error) => nodes.for_each(|node| self.fail(node, &error)),
            }
        }
        let bound = match &self.job.cpus {
            Some(cpus) => crate::binding::bind(cpus),
            None => Ok(()),
        };
        if let Err(error) = bound.and_then(|()| self.start_hosts()) {
            self.fail(own, &error);
            self.hosts.iter().for_each(|host| host.signal(Signal::KILL));
        }
    }

    /// Starts the hosts of the job, up to the first that cannot be started.
    fn start_hosts(&mut self) -> Result<(), LaunchError> {
        let starter = self.starter.insert(hosts::starter(&self.job)?);
        for number in hosts::on_node(&self.job.spec, self.job.nodes.0) {
            self.hosts.push(hosts::start(starter, number)?);
        }
        Ok(())
    }

    /// Starts the hosts of a job beside the first one. One that cannot be started is as one that says so itself.
    fn start_beside(&mut self, spec: &JobSpec) {
        let numbers = hosts::on_node(spec, self.job.nodes.0);
        let (Some(first), Some(starter)) = (numbers.first(), &self.starter) else {
            return;
        };
        let mut host = spec.origin.first_host + first;
        let started = starter.beside(hosts::own(spec)).and_then(|starter| {
            numbers.iter().try_for_each(|&number| {
                host = spec.origin.first_host + number;
                self.hosts.push(hosts::start(&starter, number)?);
                Ok(())
            })
        });
        if let Err(error) = started {
            let message = error.to_string();
            let message = FromHost::Abort { status: 1, message };
            self.say(&Up::Said { host, message });
        }
    }

    /// Forgets hosts that have been asked for by running ranks, and have ended.
    fn forget_ended(&mut self) {
        let first = self.job.spec.hosts.len();
        let is_over = |host: &mut Host| host.number() as usize >= first && host.member.is_gone();
        for host in self.hosts.extract_if(.., is_over) {
            self.failed |= host.member.has_failed();
        }
    }

    fn fail(&mut self, node: u32, error: &impl ToString) {
        self.failed = true;
        let reason = format!(": {}", error.to_string());
        self.say(&Up::Failed { node, reason });
        if node != self.job.nodes.0 {
            self.say(&Up::Done { node });
        }
    }

    fn say(&mut self, message: &Up) {
        self.spoken = Instant::now();
        self.link.send(message, &[]);
    }

    fn run(&mut self, mut signals: Signals, timeout: Option<Duration>) -> Result<u8, Orphaned> {
        let mut done = false;
        loop {
            let crowded = self.link.backlog() > CROWDED;
            for host in &mut self.hosts {
                // A process that cannot be waited for has been waited for.
                host.pass_on(&mut self.link, crowded).map_err(|_| Orphaned)?;
            }
            self.obey_all()?;
            self.pass_up(crowded);
            self.forget_ended();
            if !done && self.is_over && self.hosts.iter().all(|host| host.member.is_gone()) {
                done = true;
                self.failed |= self.hosts.iter().any(|host| host.member.has_failed());
                let node = self.job.nodes.0;
                self.say(&Up::Done { node });
            }
            if done && self.branches.is_empty() && self.link.backlog() == 0 {
                return Ok(0);
            }
            let signal = signals.pending().find(|(_, fatal)| *fatal);
            if let Some((signal, _)) = signal {
                return Err(self.end_by(signal));
            }
            if let Some(timeout) = timeout {
                self.keep_alive(timeout)?;
            }
            self.sleep(&signals, timeout);
        }
    }

    /// Says why the node ends, if there is room for that.
    fn end_by(&mut self, signal: Signal) -> Orphaned {
        let number = signal.as_raw();
        let reason =
            format!(": its processes were ended by signal {number}, as a batch system does when time is up");
        let node = self.job.nodes.0;
        self.say(&Up::Failed { node, reason });
        Orphaned
    }

    /// Sleeps until there is something to do.
    fn sleep(&self, signals: &Signals, timeout: Option<Duration>) {
        let crowded = self.link.backlog() > CROWDED;
        let mut watched = Watched::default();
        watched.add(signals.as_fd(), PollFlags::IN);
        watched.add(self.link.input(), PollFlags::IN);
        if let Some(output) = self.link.waits_for() {
            watched.add(output, PollFlags::OUT);
        }
        self.hosts
            .iter()
            .for_each(|host| host.watch(crowded, &mut watched));
        self.branches
            .iter()
            .for_each(|branch| branch.watch(crowded, &mut watched));
        // An error is met again by whoever uses the descriptor.
        let _ = watched.wait(timeout.map(|timeout| Instant::now() + timeout / 8));
    }

    /// Does what has been said from above.
    fn obey_all(&mut self) -> Result<(), Orphaned> {
        self.link.flush();
        loop {
            match self.link.receive() {
                Ok(Some((message, bytes))) => {
                    self.heard = Instant::now();
                    self.obey(message, &bytes);
                }
                Ok(None) => return Ok(()),
                Err(_) => return Err(Orphaned),
            }
        }
    }

    fn obey(&mut self, message: Down, bytes: &[u8]) {
        match &message {
            Down::Tell {
                node,
                host,
                message: told,
            } => {
                if *node != self.job.nodes.0 {
                    return self.pass_down_to(*node, &message, bytes);
                }
                if let Some(to) = self.hosts.iter().position(|own| own.number() == *host) {
                    hosts::tell(&mut self.hosts, to, told.clone());
                }
            }
            Down::TellAll(told) => {
                self.failed |= matches!(told, ToHost::Die);
                self.hosts.iter_mut().for_each(|host| host.tell(told.clone()));
                self.pass_down(&message);
            }
            Down::Peers(peers) => {
                hosts::introduce(&mut self.hosts, peers);
                self.pass_down(&message);
            }
            Down::Start(spec) => {
                self.pass_down(&message);
                self.start_beside(spec);
            }
            Down::Forget { first, hosts } => {
                self.pass_down(&message);
                let forgotten = *first..first.saturating_add(*hosts);
                self.hosts
                    .extract_if(.., |host| forgotten.contains(&host.number()))
                    .for_each(|mut host| host.kill());
            }
            Down::Met => {
                for host in &mut self.hosts {
                    host.member.forget_descriptors();
                }
                self.pass_down(&message);
            }
            Down::Over => {
                self.is_over = true;
                self.pass_down(&message);
            }
            Down::Signal(number) => {
                if let Some(signal) = Signal::from_named_raw(*number) {
                    self.hosts.iter().for_each(|host| host.signal(signal));
                }
                self.pass_down(&message);
            }
            Down::Input => match self.hosts.iter_mut().find(|host| host.number() == 0) {
                Some(host) => host.take_input(bytes, &mut self.link),
                None => {
                    let node = self.job.spec.hosts.first().map(|share| share.node);
                    self.pass_down_to(node.unwrap_or(0), &message, bytes);
                }
            },
            // Out of turn, or a sign of life, which has been noted.
            Down::Alive | Down::Job(_) | Down::Call(_) => {}
        }
    }

    fn pass_down(&mut self, message: &Down) {
        self.branches
            .iter_mut()
            .for_each(|branch| branch.send(message, &[]));
    }

    fn pass_down_to(&mut self, node: u32, message: &Down, bytes: &[u8]) {
        if let Some(branch) = self
            .branches
            .iter_mut()
            .find(|branch| branch.nodes().contains(&node))
        {
            branch.send(message, bytes);
        }
    }

    /// Sends on what comes from below.
    fn pass_up(&mut self, crowded: bool) {
        let mut index = 0;
        while index < self.branches.len() {
            let branch = &mut self.branches[index];
            branch.catch_up();
            match drain(branch, &mut self.link, crowded) {
                Ok(()) => index += 1,
                Err(error) => {
                    let branch = self.branches.swap_remove(index);
                    self.lose(branch, &error);
                }
            }
        }
    }

    /// A branch has ended, be it that all its nodes are done: `mpiexec` knows of which it has heard that.
    fn lose(&mut self, mut branch: Branch, error: &LinkError) {
        let (nodes, reason) = (branch.nodes(), branch.epitaph(error));
        for node in nodes {
            self.say(&Up::Failed {
                node,
                reason: reason.clone(),
            });
        }
        branch.end(GRACE);
    }

    fn keep_alive(&mut self, timeout: Duration) -> Result<(), Orphaned> {
        if self.spoken.elapsed() >= timeout / 4 {
            self.say(&Up::Alive);
        }
        let mut index = 0;
        while index < self.branches.len() {
            if self.branches[index].keep_alive(timeout) {
                index += 1;
            } else {
                let branch = self.branches.swap_remove(index);
                for node in branch.nodes() {
                    let reason = silent(timeout);
                    self.say(&Up::Failed { node, reason });
                }
            }
        }
        if self.heard.elapsed() < timeout {
            Ok(())
        } else {
            Err(Orphaned)
        }
    }
}

/// Sends on what an agent below has said.
fn drain(branch: &mut Branch, link: &mut Link, crowded: bool) -> Result<(), LinkError> {
    while !crowded || link.backlog() < 2 * CROWDED {
        match branch.receive()? {
            Some((Up::Alive | Up::Called { .. }, _)) => {}
            Some((message, bytes)) => link.send(&message, &bytes),
            None => break,
        }
    }
    Ok(())
}
