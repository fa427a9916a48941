//! Watching the hosts until all have ended.
//!
//! The launcher's process is the hosts' parent for as long as it lives: a host asks the kernel to be killed when its
//! parent ends, so even `kill -9` of the launcher leaves nothing; one that was started through another command ends
//! when its channel is closed. Other signals are passed on to the hosts, which end the job and flush the ranks' output;
//! what has not ended within [`GRACE`] is killed. Processes that ranks have started are inherited (the launcher is a
//! subreaper) and, if the job ended badly, killed.
//!
//! One thread does everything: it sleeps until a signal comes, a host says something ([`simurgh_net::control`]), or its
//! process ends. How a job ends is decided once, by what is known first (`ending`): the user reads one message.

mod abroad;
mod doubts;
mod ending;
mod far;
mod growth;
mod inherited;
mod input;
mod introduction;
mod member;
mod pmi;
mod printer;
mod process;
mod programs;
mod progress;
mod questions;
mod signals;
mod silence;
mod socket;
mod srun;
mod watched;
mod wire_up;
mod worlds;

pub(crate) use growth::fits;
pub(crate) use inherited::kill as kill_inherited;
pub(crate) use member::Member;
pub(crate) use pmi::WAITS;
pub(crate) use process::{Running, exit_code, exit_words};
pub(crate) use signals::Signals;
pub(crate) use socket::PmiSocket;
pub(crate) use watched::Watched;

use crate::error::LaunchError;
use crate::start::{Nodes, Starter, Streams};
use crate::universe::{Asker, Ports, Universe};
use abroad::Abroad;
use ending::{Phase, Verdict};
use far::Far;
use growth::Growth;
use pmi::Space;
use progress::Progress;
use rustix::event::PollFlags;
use simurgh_net::control::{Channel, FromHost, Letter, Silence, ToHost};
use simurgh_net::transport::HostId;
use simurgh_settings::Id;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};
use worlds::Worlds;

/// Time that hosts have to end after a signal, or when they are told to.
pub const GRACE: Duration = Duration::from_millis(500);

/// How the first hosts of a job come to be.
pub(crate) enum Beginning {
    /// They are started by this process.
    Here,
    /// They are started by agents.
    Nodes(Box<Nodes>),
    /// The only one runs.
    Running(Running),
}

/// Runs the hosts of a job to their end and returns the status that the launcher has to exit with.
///
/// It must be called on the main thread: the kernel takes the end of the thread that started a host for the end of
/// the host's parent.
pub(crate) fn supervise(
    starter: &Starter,
    beginning: Beginning,
    universe: Option<Universe>,
) -> Result<u8, LaunchError> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(|error| LaunchError::Supervise(error.into()))?;
    // Before the hosts start, so that no signal is lost between.
    let signals = Signals::listen()?;
    let start = Instant::now();
    let mut supervisor = Supervisor {
        starter,
        worlds: Worlds::of(starter.spec().origin.realm),
        growth: Growth::default(),
        ports: Ports::of_job(),
        signals,
        members: Vec::new(),
        far: None,
        abroad: universe.map(Abroad::of),
        progress: Progress::new(start, starter.spec()),
        phase: Phase::Joining,
        deadline: None,
        limit: None,
        status: None,
        silence: Silence::of(starter.spec().hosts.len()),
        space: Space::of(starter.spec()),
    };
    let status = supervisor.run(beginning);
    if let Err(error) = &status {
        supervisor.tell_failure(&error.to_string());
    }
    supervisor.end_abroad();
    let is_written = supervisor.end_far(matches!(status, Ok(0)));
    if !matches!(status, Ok(0)) {
        // Those that could be started before another could not are among them.
        inherited::kill();
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

/// Writes to the standard error, in one piece.
fn print(text: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
}

/// A job that runs.
struct Supervisor<'a> {
    /// Of the command line's job.
    starter: &'a Starter,
    /// That job, and those that running ranks have asked for.
    worlds: Worlds,
    growth: Growth,
    ports: Ports,
    signals: Signals,
    /// All hosts, by their numbers.
    members: Vec<Member>,
    /// The nodes of the job, if there are others than this machine: their agents have started all members.
    far: Option<Far>,
    /// Jobs of other launchers, if this one's may meet them.
    abroad: Option<Abroad>,
    progress: Progress,
    phase: Phase,
    /// When the phase has taken too long.
    deadline: Option<Instant>,
    /// When the job has taken too long.
    limit: Option<Instant>,
    /// The status of the job, as soon as it is decided.
    status: Option<u8>,
    silence: Silence,
    /// What programs that are linked with another MPI tell each other.
    space: Space,
}

impl Supervisor<'_> {
    fn run(&mut self, beginning: Beginning) -> Result<u8, LaunchError> {
        let start = Instant::now();
        match beginning {
            Beginning::Here => self.start_hosts()?,
            Beginning::Nodes(nodes) => self.start_nodes(*nodes)?,
            Beginning::Running(process) => self
                .members
                .push(Member::taken_over(self.starter.spec(), process)?),
        }
        self.worlds.add(self.members.len());
        let settings = &self.starter.spec().settings;
        let time = |id| settings.time(id).map(|time| start + time);
        self.limit = time(Id::Timeout);
        // A program begins to use MPI when it likes.
        if !self.members.iter().any(Member::is_program) {
            self.deadline = time(Id::StartTimeout);
        }
        while self.members.iter().any(|member| !member.is_gone()) {
            self.sleep()?;
            self.pass_on_signals();
            self.listen_far();
            self.listen_abroad();
            // More may be started meanwhile.
            for host in 0..self.members.len() {
                self.listen_to(host);
                self.look_after(host)?;
            }
            self.look_at_ports();
            self.watch_time();
            self.report_progress();
        }
        Ok(self.status.unwrap_or(0))
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
        let mut watched = Watched::default();
        watched.add(self.signals.as_fd(), PollFlags::IN);
        self.members.iter().for_each(|member| member.watch(&mut watched));
        if let Some(far) = &self.far {
            far.watch(&mut watched);
        }
        if let Some(abroad) = &self.abroad {
            abroad.watch(&mut watched);
        }
        let far = self.far.as_ref().and_then(Far::wakes_at);
        let abroad = self.abroad.as_ref().and_then(Abroad::wakes_at);
        let ports = self.ports.patient_until();
        let times = [
            self.deadline,
            self.limit,
            far,
            abroad,
            ports,
            self.progress.next(),
        ];
        let until = times.into_iter().flatten().min();
        watched
            .wait(until)
            .map_err(|error| LaunchError::Supervise(error.into()))
    }

    fn pass_on_signals(&mut self) {
        let signals: Vec<_> = self.signals.pending().collect();
        for (signal, fatal) in signals {
            if fatal && self.phase.is_over() {
                // The same Ctrl-C once more, from the terminal and by way of the front.
                continue;
            }
            self.signal_all(signal);
            if fatal {
                // While hosts look for each other, no program can have a say in how the job ends.
                let undecided =
                    matches!(self.phase, Phase::Joining) && !self.members.iter().any(Member::is_program);
                self.status = undecided.then_some(128 + signal.as_raw() as u8);
                self.tell_failure(&format!("it was ended by signal {}", signal.as_raw()));
                self.enter(Phase::Ending, Some(GRACE));
            }
        }
    }

    /// Hears what a host says, and tells it what it had no room for.
    fn listen_to(&mut self, host: usize) {
        while let Some(member) = self.members.get_mut(host) {
            member.catch_up();
            match member.hear() {
                Ok(Some(message)) => self.act_on(host, message),
                Ok(None) => return,
                Err(error) => {
                    let message = format!("{member}: {error}");
                    self.conclude(Verdict { status: 1, message });
                    return;
                }
            }
        }
    }

    fn act_on(&mut self, host: usize, message: FromHost) {
        if self.phase.is_over() {
            return;
        }
        match message {
            FromHost::Hello(hello) => self.welcome(host, hello),
            FromHost::Ended { status } => self.ranks_ended(host, status),
            FromHost::Abort { message, .. } if self.is_starting(host) => self.give_up_growth(host, message),
            FromHost::Abort { status, message } => self.conclude(Verdict { status, message }),
            FromHost::Ask { number, question } => {
                let host = self.members[host].number();
                self.take_up(Asker { host, number }, question);
            }
            FromHost::Opened { addresses } => self.opened(host, addresses),
            FromHost::Unreachable { reason } => self.cannot_be_reached(host, &reason),
            FromHost::Met => self.met(host),
            FromHost::Connected { world, so } => self.connected(host, world, so),
            FromHost::Lost { host: lost, reason } => match self.member_of(lost) {
                Some(_) => self.doubt(self.members[host].number(), lost, reason),
                None => self.miss(host, lost, reason),
            },
            FromHost::Quiet { wave, sent, received } => self.is_quiet(host, wave, (sent, received)),
            FromHost::Waiting { text } => self.reported(host, text),
            FromHost::Pmi(request) => self.serve_pmi(host, request),
        }
    }

    /// The place of a host among the members, if this launcher has started it.
    fn member_of(&self, host: HostId) -> Option<usize> {
        let place = self.starter.spec().origin.realm.local(host)? as usize;
        (place < self.members.len()).then_some(place)
    }

    /// Takes note of the end of a host's process.
    fn look_after(&mut self, host: usize) -> Result<(), LaunchError> {
        let Some(member) = self.members.get_mut(host) else {
            return Ok(());
        };
        if let Some(status) = member.ended_process()? {
            // Its last words, which may be that it cannot be started.
            self.listen_to(host);
            if !self.members[host].forgotten {
                self.has_ended(host, status);
            }
            self.members[host].let_go_of_process();
        }
        Ok(())
    }

    /// Takes note of how a host's process has ended.
    fn has_ended(&mut self, host: usize, status: ExitStatus) {
        if self.is_starting(host) && !self.phase.is_over() {
            let member = &self.members[host];
            let message = format!("{member} {} before it could begin", exit_words(status));
            self.give_up_growth(host, message);
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
            let hint = match self.starter.prefix().is_given() && !member.has_joined() {
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

    /// Tells one host something.
    fn tell_one(&mut self, host: usize, message: ToHost) {
        self.tell_each([host], &message);
    }

    /// Tells some hosts the same.
    fn tell_each(&mut self, hosts: impl IntoIterator<Item = usize>, message: &ToHost) {
        if let Some(far) = &mut self.far {
            for member in hosts.into_iter().map(|host| &self.members[host]) {
                far.tell(member.node(), member.number(), message.clone());
            }
            return;
        }
        let letter = self.starter.memories().letter(message);
        let Some(letter) = letter else { return };
        for host in hosts {
            self.members[host].tell(letter.clone());
        }
    }

    /// Tells all hosts the same.
    fn tell_all(&mut self, message: &ToHost) {
        if let Some(far) = &mut self.far {
            return far.tell_all(message);
        }
        let letter = Letter::from(message.clone());
        for member in &mut self.members {
            member.tell(letter.clone());
        }
    }

    /// Sends all hosts a signal.
    fn signal_all(&mut self, signal: rustix::process::Signal) {
        if let Some(far) = &mut self.far {
            far.signal_all(signal);
        }
        self.members.iter().for_each(|member| member.signal(signal));
    }

    /// Tells the user something, in one piece, whatever the hosts are writing.
    fn say(&mut self, text: &str) {
        let text = format!("simurgh: {text}\n");
        match &mut self.far {
            Some(far) => far.print_error(text.as_bytes()),
            None => print(&text),
        }
    }
}
