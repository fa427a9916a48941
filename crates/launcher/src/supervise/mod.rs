//! Supervising the hosts of a job until all have ended.
//!
//! The launcher stays the parent of the hosts as long as it lives. A host asks the kernel to be killed when its parent
//! ends, so even `kill -9` of the launcher leaves none behind; a host that was started through another command ends
//! when its channel is closed. Other signals are passed on to the hosts, which end the job and flush the output of the
//! ranks. Hosts that have not ended within [`GRACE`] after they were told to are killed; those whose ranks have all
//! ended have longer, since they may have statistics and profiles to write. The launcher is a subreaper: it inherits
//! the processes that ranks have started, and kills them if the job ended badly.
//!
//! One thread does everything. It sleeps until a signal comes, a host says something ([`simurgh_net::control`]), or the
//! process of a host ends. It is decided once how a job ends, by what is known first ([`phase`]), so the user reads one
//! message.
//!
//! | module | part |
//! |---|---|
//! | `phase`, `shutdown` | how far the job has come, and how it ends |
//! | `arbitration` | which host is lost, when hosts report each other |
//! | `quiescence` | deadlocks |
//! | `wire_up`, `dynamic_wire_up` | hosts learn each other's addresses, at the start and later |
//! | `worlds`, `spawning`, `questions` | what ranks ask for: more programs, ports, names |
//! | `programs`, `pmi` | ranks that are processes, with this MPI or another |
//! | `remote` | hosts on other nodes |
//! | `other_jobs` | jobs of other launchers, through the universe |
//! | `startup_report` | what the user is told when the start takes long |
//!
//! Costs: what a host says is handled in a time that does not depend on the number of hosts ([`milestone`]), so that a
//! start and an end take a time in proportion to it (`simurgh model`).

mod arbitration;
mod dynamic_wire_up;
mod milestone;
mod other_jobs;
mod phase;
mod pmi;
mod programs;
mod questions;
mod quiescence;
mod remote;
mod shutdown;
mod spawning;
mod startup_report;
mod wire_up;
mod worlds;

pub(crate) use remote::{Agents, RemoteLaunch};
pub(crate) use spawning::fits;
pub(crate) use wire_up::peers_messages;

use crate::error::LaunchError;
use crate::hosts::{Member, Singleton, Starter, Streams};
use crate::pmi::KeyValueSpace;
use crate::ports::{Asker, Ports};
use crate::process::{GRACE, PollSet, Signals, become_subreaper, exit_code, exit_words, kill_orphans};
use crate::universe::Universe;
use milestone::Milestone;
use other_jobs::OtherJobs;
use phase::{Phase, Verdict};
use remote::RemoteNodes;
use rustix::event::PollFlags;
use simurgh_net::HostId;
use simurgh_net::control::{Channel, EncodedMessage, FromHost, Quiescence, ToHost};
use simurgh_settings::Id;
use spawning::Spawning;
use startup_report::StartupReport;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Instant;
use worlds::Worlds;

/// How the first hosts of a job come to be.
pub(crate) enum FirstHosts {
    /// This process starts them.
    Local,
    /// Agents start them.
    Remote(Box<RemoteLaunch>),
    /// The only host runs already: it has started this process.
    Singleton(Singleton),
}

/// Runs the hosts of a job to their end, and returns the status with which the launcher has to exit.
///
/// It must be called on the main thread: a host asks the kernel to be killed when its parent ends, and the kernel takes
/// the thread that has started the host for the parent.
///
/// # Errors
///
/// When a host cannot be started or watched.
pub(crate) fn supervise(
    starter: &Starter,
    beginning: FirstHosts,
    universe: Option<Universe>,
) -> Result<u8, LaunchError> {
    become_subreaper()?;
    // Before the hosts start, so that no signal is lost in between.
    let signals = Signals::listen()?;
    let start = Instant::now();
    let mut supervisor = Supervisor {
        starter,
        worlds: Worlds::of(starter.spec().origin.realm),
        spawning: Spawning::default(),
        ports: Ports::of_job(),
        signals,
        members: Vec::new(),
        have_joined: Milestone::default(),
        are_gone: Milestone::default(),
        ended_early: None,
        remote: None,
        other_jobs: universe.map(OtherJobs::of),
        startup_report: StartupReport::new(start, starter.spec()),
        phase: Phase::Joining,
        deadline: None,
        limit: None,
        status: None,
        quiescence: Quiescence::new(starter.spec().hosts.len()),
        kvs: KeyValueSpace::of(starter.spec()),
    };
    let status = supervisor.run(beginning);
    if let Err(error) = &status {
        supervisor.report_failure(&error.to_string());
    }
    supervisor.leave_universe();
    let is_written = supervisor.end_nodes(matches!(status, Ok(0)));
    if !matches!(status, Ok(0)) {
        // If one of several hosts could not be started, this kills those before it.
        kill_orphans();
    }
    status.map(|status| status.max(u8::from(!is_written)))
}

/// Starts a host of a job on this machine.
fn start_host(starter: &Starter, host: HostId) -> Result<Member, LaunchError> {
    let (channel, end) = Channel::pair()?;
    let (child, pmi) = starter.start(host, &end, Streams::Inherited)?;
    if let Some(report) = starter.report(host)? {
        print(&format!("simurgh: {report}\n"));
    }
    Member::of_process(host, starter.spec(), child, Some(channel), pmi)
}

/// Writes a text to the standard error, in one piece.
fn print(text: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
}

/// The supervisor of a running job.
struct Supervisor<'a> {
    /// The starter of the command line's job.
    starter: &'a Starter,
    /// That job, and all spawned ones.
    worlds: Worlds,
    spawning: Spawning,
    ports: Ports,
    signals: Signals,
    /// All hosts, by their numbers.
    members: Vec<Member>,
    /// All hosts have joined.
    have_joined: Milestone,
    /// All hosts have ended.
    are_gone: Milestone,
    /// The first program that has ended without having used MPI.
    ended_early: Option<usize>,
    /// The other nodes of the job, if there are any. Then agents have started all hosts.
    remote: Option<RemoteNodes>,
    /// Jobs of other launchers, if the job belongs to a universe.
    other_jobs: Option<OtherJobs>,
    startup_report: StartupReport,
    phase: Phase,
    /// When the phase will have taken too long.
    deadline: Option<Instant>,
    /// When the job will have taken too long.
    limit: Option<Instant>,
    /// The status of the job, as soon as it is decided.
    status: Option<u8>,
    quiescence: Quiescence,
    /// The PMI server for programs of other MPIs.
    kvs: KeyValueSpace,
}

impl Supervisor<'_> {
    fn run(&mut self, beginning: FirstHosts) -> Result<u8, LaunchError> {
        let start = Instant::now();
        match beginning {
            FirstHosts::Local => self.start_hosts()?,
            FirstHosts::Remote(nodes) => self.start_nodes(*nodes)?,
            FirstHosts::Singleton(process) => self
                .members
                .push(Member::of_singleton(self.starter.spec(), process)?),
        }
        self.worlds.add(self.members.len());
        let settings = &self.starter.spec().settings;
        let time = |id| settings.time(id).map(|time| start + time);
        self.limit = time(Id::Timeout);
        // A program may take its time before it begins to use MPI.
        if !self.members.iter().any(Member::is_program) {
            self.deadline = time(Id::StartTimeout);
        }
        while !self.are_gone.is_reached(&self.members, Member::is_gone) {
            self.sleep()?;
            self.forward_signals();
            self.handle_node_events();
            self.handle_universe_events();
            self.look_after_own_hosts()?;
            self.expire_at_ports();
            self.check_deadlines();
            self.report_startup();
        }
        Ok(self.status.unwrap_or(0))
    }

    /// Handles what the hosts say and do whose processes this one has started.
    fn look_after_own_hosts(&mut self) -> Result<(), LaunchError> {
        if self.remote.is_some() {
            return Ok(());
        }
        let mut host = 0;
        // Hosts may be added meanwhile.
        while host < self.members.len() {
            self.receive_from(host);
            self.check_process(host)?;
            host += 1;
        }
        Ok(())
    }

    fn start_hosts(&mut self) -> Result<(), LaunchError> {
        let spec = self.starter.spec();
        for (host, _) in (0..).zip(&spec.hosts) {
            self.members.push(start_host(self.starter, host)?);
        }
        Ok(())
    }

    /// Sleeps until there is something to do.
    fn sleep(&self) -> Result<(), LaunchError> {
        let mut set = PollSet::default();
        set.add(self.signals.as_fd(), PollFlags::IN);
        match &self.remote {
            Some(remote) => remote.watch(&mut set),
            None => self.members.iter().for_each(|member| member.watch(&mut set)),
        }
        if let Some(other_jobs) = &self.other_jobs {
            other_jobs.watch(&mut set);
        }
        let remote = self.remote.as_ref().and_then(RemoteNodes::next_deadline);
        let other_jobs = self.other_jobs.as_ref().and_then(OtherJobs::next_deadline);
        let ports = self.ports.next_deadline();
        let times = [
            self.deadline,
            self.limit,
            remote,
            other_jobs,
            ports,
            self.startup_report.next(),
        ];
        let until = times.into_iter().flatten().min();
        set.wait(until)
            .map_err(|error| LaunchError::Supervise(error.into()))
    }

    fn forward_signals(&mut self) {
        let signals: Vec<_> = self.signals.pending().collect();
        for (signal, fatal) in signals {
            if fatal && self.phase.is_ending() {
                // The same Ctrl-C comes twice, from the terminal and from the monitor.
                continue;
            }
            self.signal_all(signal);
            if fatal {
                // Before the ranks run and after their end, no program can have a say in the status of the job.
                let undecided = matches!(self.phase, Phase::Joining | Phase::Finishing)
                    && !self.members.iter().any(Member::is_program);
                self.status = undecided.then_some(128 + signal.as_raw() as u8);
                self.report_failure(&format!("it was ended by signal {}", signal.as_raw()));
                self.enter(Phase::Ending, Some(GRACE));
            }
        }
    }

    /// Handles the messages of a host, and sends those for which it had no room.
    fn receive_from(&mut self, host: usize) {
        while let Some(member) = self.members.get_mut(host) {
            member.flush();
            match member.receive() {
                Ok(Some(message)) => self.handle_message(host, message),
                Ok(None) => return,
                Err(error) => {
                    let message = format!("{member}: {error}");
                    self.conclude(Verdict { status: 1, message });
                    return;
                }
            }
        }
    }

    fn handle_message(&mut self, host: usize, message: FromHost) {
        if self.phase.is_over() {
            return;
        }
        match message {
            FromHost::Hello(hello) => self.admit(host, hello),
            FromHost::Ended { status } => self.ranks_ended(host, status),
            FromHost::Abort { message, .. } if self.is_starting(host) => self.give_up_spawn(host, message),
            FromHost::Abort { status, message } => self.conclude(Verdict { status, message }),
            FromHost::Ask { number, question } => {
                let host = self.members[host].number();
                self.handle_question(Asker { host, number }, question);
            }
            FromHost::Opened { addresses } => self.opened(host, addresses),
            FromHost::Unreachable { reason } => self.cannot_be_reached(host, &reason),
            FromHost::Met => self.met(host),
            FromHost::Connected { world, so } => self.connected(host, world, so),
            FromHost::Lost { host: lost, reason } => match self.member_of(lost) {
                Some(_) => self.suspect(self.members[host].number(), lost, reason),
                None => self.report_unreachable(host, lost, reason),
            },
            FromHost::Quiet { wave, sent, received } => self.host_is_quiet(host, wave, (sent, received)),
            FromHost::Waiting { text } => self.reported(host, text),
            FromHost::Pmi(request) => self.serve_pmi(host, request),
        }
    }

    /// The index of a host among the members, if this launcher has started it.
    fn member_of(&self, host: HostId) -> Option<usize> {
        let place = self.starter.spec().origin.realm.local(host)? as usize;
        (place < self.members.len()).then_some(place)
    }

    /// Checks whether the process of a host has ended.
    fn check_process(&mut self, host: usize) -> Result<(), LaunchError> {
        let Some(member) = self.members.get_mut(host) else {
            return Ok(());
        };
        if let Some(status) = member.ended_process()? {
            // Its last messages, one of which may be that it cannot start.
            self.receive_from(host);
            if !self.members[host].forgotten {
                self.has_ended(host, status);
            }
            self.members[host].close_process();
        }
        Ok(())
    }

    /// Handles the end of a host's process.
    fn has_ended(&mut self, host: usize, status: ExitStatus) {
        if self.is_starting(host) && !self.phase.is_over() {
            let member = &self.members[host];
            let message = format!("{member} {} before it could begin", exit_words(status));
            self.give_up_spawn(host, message);
        } else if self.members[host].is_program() {
            self.program_ended(host, status);
        } else {
            self.host_ended(host, status);
        }
    }

    fn host_ended(&mut self, host: usize, status: ExitStatus) {
        let may_end = (matches!(self.phase, Phase::Leaving) || self.members[host].released)
            && status.signal().is_none();
        if !self.phase.is_over() && !may_end {
            let member = &self.members[host];
            let hint = match self.starter.wrapper().is_given() && !member.has_joined() {
                true => {
                    ", before it joined the job: does the command of --host-wrapper run the one behind it?"
                }
                false => "",
            };
            self.conclude(Verdict {
                status: exit_code(status).max(1),
                message: format!("{member} {}{hint}", exit_words(status)),
            });
        }
        if self.phase.is_over() || exit_code(status) != 0 {
            self.status.get_or_insert(exit_code(status));
        }
    }

    /// Sends a message to one host.
    fn send_to(&mut self, host: usize, message: ToHost) {
        self.send_to_each([host], &message);
    }

    /// Sends a message to some hosts.
    fn send_to_each(&mut self, hosts: impl IntoIterator<Item = usize>, message: &ToHost) {
        if let Some(remote) = &mut self.remote {
            for member in hosts.into_iter().map(|host| &self.members[host]) {
                remote.send_to_host(member.node(), member.number(), message.clone());
            }
            return;
        }
        let encoded = self.starter.memories().encode(message);
        let Some(encoded) = encoded else { return };
        for host in hosts {
            self.members[host].send(encoded.clone());
        }
    }

    /// Sends a message to all hosts.
    fn send_to_all(&mut self, message: &ToHost) {
        if let Some(remote) = &mut self.remote {
            return remote.send_to_all_hosts(message);
        }
        let encoded = EncodedMessage::from(message.clone());
        for member in &mut self.members {
            member.send(encoded.clone());
        }
    }

    /// Sends all hosts a signal.
    fn signal_all(&mut self, signal: rustix::process::Signal) {
        if let Some(remote) = &mut self.remote {
            remote.signal_all(signal);
        }
        self.members.iter().for_each(|member| member.signal(signal));
    }

    /// Tells the user something, in one piece, whatever the hosts are writing.
    fn print_message(&mut self, text: &str) {
        let text = format!("simurgh: {text}\n");
        match &mut self.remote {
            Some(remote) => remote.print_error(text.as_bytes()),
            None => print(&text),
        }
    }
}
