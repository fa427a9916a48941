//! The event loop of an agent.

mod commands;
mod subtree;

use super::hosts::{self, Host};
use super::modex::ModexRelay;
use crate::error::LaunchError;
use crate::hosts::Starter;
use crate::oob::Link;
use crate::process::monitor;
use crate::process::{PollSet, Signals, kill_orphans};
use crate::tree::Loss;
use crate::tree::message::{NodeJob, Up};
use crate::tree::{Branch, HIGH_WATER};
use rustix::event::PollFlags;
use rustix::process::Signal;
use simurgh_settings::Id;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// Status of an agent that has lost `mpiexec`.
const ORPHANED: u8 = 1;

/// Serves a node until the job has ended; returns the status of the process.
pub(super) fn serve(job: NodeJob, link: Link) -> Result<u8, LaunchError> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(|error| LaunchError::Supervise(error.into()))?;
    let signals = Signals::listen()?;
    let timeout = job.spec.settings.time(Id::PeerTimeout);
    let exchange = ModexRelay::new(job.nodes.0).map_err(|error| LaunchError::Supervise(error.into()))?;
    let now = Instant::now();
    let mut agent = Agent {
        link,
        hosts: Vec::new(),
        starter: None,
        branches: Vec::new(),
        exchange,
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
        // Processes that the branches have started end when their connections do.
        agent.branches.clear();
        kill_orphans();
    }
    Ok(status.unwrap_or(ORPHANED))
}

/// An agent.
struct Agent {
    job: NodeJob,
    link: Link,
    /// The starter of its hosts, once there is one.
    starter: Option<Starter>,
    hosts: Vec<Host>,
    branches: Vec<Branch>,
    /// The exchange with PMIx servers on other nodes.
    exchange: ModexRelay,
    /// Whether no more hosts will be started.
    is_over: bool,
    /// Whether a host has failed, or the job has.
    failed: bool,
    heard: Instant,
    spoken: Instant,
}

/// The agent has lost `mpiexec`, or a signal has told it to end.
#[derive(Debug, PartialEq)]
struct Orphaned;

impl Agent {
    /// Starts the hosts, and the agents below.
    fn begin(&mut self) {
        let (own, end) = self.job.nodes;
        self.send(&Up::Here { node: own });
        let tool = match std::env::current_exe() {
            Ok(tool) => tool,
            Err(error) => return self.fail(own, &LaunchError::OwnPath(error)),
        };
        self.start_below(own + 1..end, &tool);
        let bound = match &self.job.cpus {
            Some(cpus) => crate::hosts::bind(cpus),
            None => Ok(()),
        };
        if let Err(error) = bound.and_then(|()| self.start_hosts()) {
            self.fail(own, &error);
            self.hosts.iter().for_each(|host| host.signal(Signal::KILL));
        }
    }

    /// Starts the hosts of the job, up to the first that cannot be started.
    fn start_hosts(&mut self) -> Result<(), LaunchError> {
        let starter = hosts::starter(&self.job, self.exchange.requests())?;
        let starter = self.starter.insert(starter);
        for number in hosts::on_node(&self.job.spec, self.job.nodes.0) {
            self.hosts.push(hosts::start(starter, number, &mut self.link)?);
        }
        Ok(())
    }

    /// Forgets hosts of spawned programs that have ended.
    fn forget_ended(&mut self) {
        let is_over = |host: &mut Host| !host.member.is_first() && host.member.is_gone();
        let mut any = false;
        for host in self.hosts.extract_if(.., is_over) {
            self.failed |= host.member.has_failed();
            any = true;
        }
        if any {
            self.forget_memories();
        }
    }

    /// Forgets the memory of hosts that are forgotten.
    fn forget_memories(&self) {
        let is_there = |number| self.hosts.iter().any(|host| host.number() == number);
        if let Some(starter) = &self.starter {
            starter.memories().retain(is_there);
        }
    }

    fn fail(&mut self, node: u32, error: &impl ToString) {
        self.failed = true;
        let loss = Loss::of(format!(": {}", error.to_string()));
        self.send(&Up::Failed { node, loss });
        if node != self.job.nodes.0 {
            self.send(&Up::Done { node });
        }
    }

    fn send(&mut self, message: &Up) {
        self.spoken = Instant::now();
        self.link.send(message, &[]);
    }

    fn run(&mut self, mut signals: Signals, timeout: Option<Duration>) -> Result<u8, Orphaned> {
        let mut done = false;
        loop {
            let congested = self.link.backlog() > HIGH_WATER;
            for host in &mut self.hosts {
                // Waiting for a process fails only if it has been waited for.
                host.forward(&mut self.link, congested).map_err(|_| Orphaned)?;
            }
            self.handle_all()?;
            self.forward_up(congested);
            let service = self.starter.as_ref().and_then(Starter::pmix);
            self.exchange.forward(service, &mut self.link);
            self.forget_ended();
            if !done && self.is_over && self.hosts.iter().all(|host| host.member.is_gone()) {
                done = true;
                self.failed |= self.hosts.iter().any(|host| host.member.has_failed());
                let node = self.job.nodes.0;
                self.send(&Up::Done { node });
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

    /// Reports that a signal has ended the node, if there is room for that. If the monitor has been killed, the process
    /// that has started the monitor sees its status, which says more.
    fn end_by(&mut self, signal: Signal) -> Orphaned {
        if monitor::has_ended() {
            return Orphaned;
        }
        let number = signal.as_raw();
        let reason =
            format!(": its processes were ended by signal {number}, as a batch system does when time is up");
        let (node, loss) = (self.job.nodes.0, Loss::by(signal, reason));
        self.send(&Up::Failed { node, loss });
        Orphaned
    }

    /// Sleeps until there is something to do.
    fn sleep(&self, signals: &Signals, timeout: Option<Duration>) {
        let congested = self.link.backlog() > HIGH_WATER;
        let mut set = PollSet::default();
        set.add(signals.as_fd(), PollFlags::IN);
        self.link.watch(&mut set);
        set.add(self.exchange.wake_up(), PollFlags::IN);
        self.hosts.iter().for_each(|host| host.watch(congested, &mut set));
        self.branches
            .iter()
            .for_each(|branch| branch.watch(congested, &mut set));
        // The next use of a descriptor meets the error again.
        let _ = set.wait(timeout.map(|timeout| Instant::now() + timeout / 8));
    }

    fn keep_alive(&mut self, timeout: Duration) -> Result<(), Orphaned> {
        if self.spoken.elapsed() >= timeout / 4 {
            self.send(&Up::Alive);
        }
        self.keep_below_alive(timeout);
        if self.heard.elapsed() < timeout {
            Ok(())
        } else {
            Err(Orphaned)
        }
    }
}
