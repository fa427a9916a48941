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

mod doubts;
mod ending;
mod inherited;
mod member;
mod signals;
mod silence;
mod wire_up;

use crate::error::LaunchError;
use crate::start::Starter;
use ending::{Phase, Verdict};
use member::{Member, exit_code, exit_words};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signals::Signals;
use silence::Silence;
use simurgh_net::control::{Channel, FromHost, Received, ToHost};
use simurgh_settings::Id;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// Time that hosts have to end after a signal, or when they are told to.
pub const GRACE: Duration = Duration::from_millis(500);

/// Runs the hosts of a job to their end and returns the status that the launcher has to exit with.
///
/// It must be called on the main thread: the kernel takes the end of the thread that started a host for the end of
/// the host's parent.
pub(crate) fn supervise(starter: &Starter) -> Result<u8, LaunchError> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(|error| LaunchError::Supervise(error.into()))?;
    // Before the hosts start, so that no signal is lost between.
    let signals = Signals::listen()?;
    let mut supervisor = Supervisor {
        starter,
        signals,
        members: Vec::new(),
        phase: Phase::Joining,
        deadline: None,
        limit: None,
        status: None,
        silence: Silence::of(starter.spec().hosts.len()),
    };
    let status = supervisor.run();
    if !matches!(status, Ok(0)) {
        // Those that could be started before another could not are among them.
        inherited::kill();
    }
    status
}

/// A job that runs.
struct Supervisor<'a> {
    starter: &'a Starter,
    signals: Signals,
    members: Vec<Member>,
    phase: Phase,
    /// When the phase has taken too long.
    deadline: Option<Instant>,
    /// When the job has taken too long.
    limit: Option<Instant>,
    /// The status of the job, as soon as it is decided.
    status: Option<u8>,
    silence: Silence,
}

impl Supervisor<'_> {
    fn run(&mut self) -> Result<u8, LaunchError> {
        let start = Instant::now();
        self.start_hosts()?;
        let settings = &self.starter.spec().settings;
        let time = |id| settings.get(id).map(|ms| start + Duration::from_millis(ms));
        if self.starter.secret().is_some() {
            (self.deadline, self.limit) = (time(Id::StartTimeout), time(Id::Timeout));
        } else {
            // A single host watches its time itself.
            self.phase = Phase::Running;
        }
        while self.members.iter().any(|member| !member.is_gone()) {
            self.sleep()?;
            self.pass_on_signals();
            for host in 0..self.members.len() {
                self.listen_to(host);
                self.look_after(host)?;
            }
            self.watch_time();
        }
        Ok(self.status.unwrap_or(0))
    }

    fn start_hosts(&mut self) -> Result<(), LaunchError> {
        let spec = self.starter.spec();
        for (host, _) in (0..).zip(&spec.hosts) {
            let (channel, end) = match self.starter.secret() {
                Some(_) => Channel::pair().map(|(channel, end)| (Some(channel), Some(end)))?,
                None => (None, None),
            };
            let child = self.starter.start(host, end)?;
            self.members
                .push(Member::new(host, spec.ranks_of(host), child, channel)?);
        }
        Ok(())
    }

    /// Sleeps until there is something to do.
    fn sleep(&self) -> Result<(), LaunchError> {
        let mut fds = vec![PollFd::from_borrowed_fd(self.signals.as_fd(), PollFlags::IN)];
        for member in self.members.iter().filter(|member| !member.is_gone()) {
            fds.push(PollFd::from_borrowed_fd(member.process(), PollFlags::IN));
            let writable = if member.is_behind() {
                PollFlags::OUT
            } else {
                PollFlags::empty()
            };
            let channel = member.channel().map(AsFd::as_fd);
            fds.extend(channel.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN | writable)));
        }
        let until = [self.deadline, self.limit].into_iter().flatten().min();
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(&mut fds, left.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(LaunchError::Supervise(error.into())),
        }
    }

    fn pass_on_signals(&mut self) {
        let signals: Vec<_> = self.signals.pending().collect();
        for (signal, fatal) in signals {
            self.members.iter().for_each(|member| member.signal(signal));
            if fatal && !self.phase.is_over() {
                self.enter(Phase::Ending, Some(GRACE));
            }
        }
    }

    /// Hears what a host says, and tells it what it had no room for.
    fn listen_to(&mut self, host: usize) {
        self.members[host].catch_up();
        loop {
            match self.members[host].hear() {
                Ok(Some(received)) => self.act_on(host, received),
                Ok(None) => return,
                Err(error) => {
                    let message = format!("{}: {error}", self.members[host]);
                    self.conclude(Verdict { status: 1, message });
                    return;
                }
            }
        }
    }

    fn act_on(&mut self, host: usize, received: Received<FromHost>) {
        if self.phase.is_over() {
            return;
        }
        match received.message {
            FromHost::Hello(hello) => self.welcome(host, hello, received.descriptors),
            FromHost::Ended { status } => self.ranks_ended(host, status),
            FromHost::Abort { status, message } => self.conclude(Verdict { status, message }),
            FromHost::Lost { host: lost, reason } => self.doubt(self.members[host].number(), lost, reason),
            FromHost::Quiet { wave, sent, received } => self.is_quiet(host, wave, (sent, received)),
            FromHost::Waiting { text } => self.reported(host, text),
        }
    }

    /// Takes note of the end of a host's process.
    fn look_after(&mut self, host: usize) -> Result<(), LaunchError> {
        let member = &mut self.members[host];
        let mut ended = [PollFd::from_borrowed_fd(member.process(), PollFlags::IN)];
        if member.is_gone() || poll(&mut ended, Some(&Timespec::default())) != Ok(1) {
            return Ok(());
        }
        let status = member.reap()?;
        // Its last words.
        self.listen_to(host);
        self.host_ended(host, status);
        Ok(())
    }

    fn host_ended(&mut self, host: usize, status: ExitStatus) {
        let reports = self.starter.secret().is_some();
        if !self.phase.is_over() && (reports || status.signal().is_some()) {
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
        self.status.get_or_insert(exit_code(status));
    }

    /// Tells all hosts the same.
    fn tell_all(&mut self, message: &ToHost) {
        for member in &mut self.members {
            member.tell(message.clone(), Vec::new());
        }
    }
}
