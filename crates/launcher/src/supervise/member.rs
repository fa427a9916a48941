//! One host, as the launcher sees it.

use super::{PmiSocket, Watched};
use crate::error::LaunchError;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal};
use simurgh_net::control::{Address, Channel, ControlError, FromHost, Hello, Letter, Peer, ToHost};
use simurgh_net::job::{JobSpec, Mode, Place, RankRange};
use simurgh_net::transport::HostId;
use std::collections::VecDeque;
use std::fmt;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};

/// A host.
pub(crate) struct Member {
    number: HostId,
    ranks: RankRange,
    place: Place,
    /// What the user calls its program, if it is one: then its process is that of its only rank.
    program: Option<String>,
    /// Its process; none if another process has started it.
    own: Option<Own>,
    /// The name of its node, if there are several.
    node: Option<String>,
    joined: Option<Joined>,
    /// It is linked with another MPI, and has joined by PMI.
    is_foreign: bool,
    exit: Option<ExitStatus>,
    /// The status of its ranks, when all of them have ended.
    pub(super) ended: Option<u8>,
    /// It has been told to end, as all that its ranks have to do with have ended.
    pub(super) released: bool,
    /// What its ranks wait for, when it has been asked.
    pub(super) waiting: Option<String>,
}

/// A process that runs, and the way to it.
pub(crate) struct Running {
    /// Its number.
    pub(crate) process: u32,
    /// The launcher's end of its channel.
    pub(crate) channel: Channel,
}

/// The process of a host that is watched by this process.
struct Own {
    /// None if it is not this process that has started it, but rather the other way round: how it ends others learn.
    child: Option<Child>,
    number: Pid,
    process: OwnedFd,
    channel: Option<Channel>,
    /// Where it speaks PMI, if it does.
    pmi: Option<PmiSocket>,
    /// What there was no room for in the channel.
    untold: VecDeque<Letter>,
}

/// How a host can be reached.
struct Joined {
    addresses: Vec<Address>,
}

impl Member {
    /// A host whose process this one has started; `number` is that in its job.
    pub(crate) fn of_process(
        number: HostId,
        spec: &JobSpec,
        child: Child,
        channel: Option<Channel>,
        pmi: Option<PmiSocket>,
    ) -> Result<Self, LaunchError> {
        let own = Own {
            pmi,
            ..Own::new(Pid::from_child(&child), Some(child), channel)?
        };
        Ok(Self::new(number, spec, Some(own), None))
    }

    /// The only host of its job, which has started this process.
    pub(super) fn taken_over(spec: &JobSpec, running: Running) -> Result<Self, LaunchError> {
        let Running { process, channel } = running;
        let gone = LaunchError::Supervise(rustix::io::Errno::SRCH.into());
        let number = i32::try_from(process).ok().and_then(Pid::from_raw).ok_or(gone)?;
        let own = Own::new(number, None, Some(channel))?;
        Ok(Self::new(0, spec, Some(own), None))
    }

    /// A host that the agent of a node has started.
    pub(super) fn of_node(number: HostId, spec: &JobSpec, node: String) -> Self {
        Self::new(number, spec, None, Some(node))
    }

    fn new(number: HostId, spec: &JobSpec, own: Option<Own>, node: Option<String>) -> Self {
        let ranks = spec.ranks_of(number);
        let mut places = spec.places().skip(number as usize);
        let place = places.next().expect("it is one of the job's hosts");
        let section = spec.section_of(ranks.first);
        let section = section.map(|section| &spec.sections[section]);
        let program = section.filter(|section| section.mode == Mode::Processes);
        Self {
            number: spec.origin.first_host + number,
            ranks,
            place,
            program: program.map(|section| section.argv[0].to_string()),
            own,
            node,
            joined: None,
            is_foreign: false,
            exit: None,
            ended: None,
            released: false,
            waiting: None,
        }
    }

    /// Its number among all that the launcher has started.
    pub(crate) fn number(&self) -> HostId {
        self.number
    }

    /// The number of its job.
    pub(super) fn world(&self) -> u32 {
        self.place.world
    }

    /// Where it is, and what lives on it.
    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// What is to be waited for.
    pub(crate) fn watch<'a>(&'a self, watched: &mut Watched<'a>) {
        let Some(own) = self.own.as_ref().filter(|_| !self.is_gone()) else {
            return;
        };
        watched.add(own.process.as_fd(), PollFlags::IN);
        let writable = if own.untold.is_empty() {
            PollFlags::empty()
        } else {
            PollFlags::OUT
        };
        if let Some(channel) = &own.channel {
            watched.add(channel.as_fd(), PollFlags::IN | writable);
        }
        if let Some(pmi) = &own.pmi {
            let writable = if pmi.is_behind() {
                PollFlags::OUT
            } else {
                PollFlags::empty()
            };
            watched.add(pmi.fd(), PollFlags::IN | writable);
        }
    }

    /// Whether its process is that of its only rank, which does what it likes before and after it uses MPI.
    pub(super) fn is_program(&self) -> bool {
        self.program.is_some()
    }

    /// Whether it does not hear what it is told: it has not begun to use MPI, or has ceased to.
    pub(super) fn is_deaf(&self) -> bool {
        self.is_program() && (!self.has_joined() || self.ended.is_some() || self.is_foreign)
    }

    /// Ends its process, which has been told to end, if it does not hear that.
    pub(crate) fn end_unless_it_hears(&self) {
        if self.is_deaf() {
            self.signal(Signal::TERM);
        } else if !self.has_joined() {
            // It may be deep in a library that starts, and there is nothing that it would have to bring to an end.
            self.signal(Signal::KILL);
        }
    }

    pub(super) fn has_joined(&self) -> bool {
        self.joined.is_some()
    }

    /// Whether its process has ended, or is none of the launcher's business any more.
    pub(crate) fn is_gone(&self) -> bool {
        let has_heard = self.own.as_ref().is_some_and(|own| own.untold.is_empty());
        self.exit.is_some() || self.is_taken_over() && self.released && has_heard
    }

    /// Whether its process is not one that the launcher has started: that one has started the launcher.
    pub(super) fn is_taken_over(&self) -> bool {
        self.own.as_ref().is_some_and(|own| own.child.is_none())
    }

    /// Whether its process has ended badly.
    pub(crate) fn has_failed(&self) -> bool {
        self.exit.is_some_and(|status| !status.success())
    }

    /// How its process has ended, with this status, in words that follow its name.
    pub(super) fn end_words(&self, status: ExitStatus) -> String {
        match self.is_taken_over() {
            true => "has ended".to_owned(),
            false => exit_words(status),
        }
    }

    /// The status with which its process has ended, if it is a bad one.
    pub(super) fn bad_status(&self) -> Option<u8> {
        self.exit.map(exit_code).filter(|&code| code != 0)
    }

    /// Takes note of where it can be reached.
    pub(super) fn join(&mut self, hello: Hello) {
        self.joined = Some(Joined {
            addresses: hello.addresses,
        });
    }

    /// Takes note of where it can be reached by those who join later.
    pub(super) fn reopen(&mut self, addresses: Vec<Address>) {
        if let Some(joined) = &mut self.joined {
            joined.addresses = addresses;
        }
    }

    /// Takes note that it uses another MPI.
    pub(super) fn join_by_pmi(&mut self) {
        self.is_foreign = true;
        self.joined.get_or_insert_with(|| Joined {
            addresses: Vec::new(),
        });
    }

    /// What others have to know of it to connect to it: where it is, too, if their job description does not say so.
    pub(super) fn as_peer(&self, with_place: bool) -> Option<Peer> {
        let joined = self.joined.as_ref()?;
        Some(Peer {
            host: self.number,
            addresses: joined.addresses.clone(),
            place: with_place.then_some(self.place),
        })
    }

    /// Tells it something, as soon as it has room for it. A host that is gone needs nothing told.
    pub(crate) fn tell(&mut self, letter: Letter) {
        let Some(own) = &mut self.own else { return };
        match (letter.message(), &mut own.pmi) {
            (ToHost::Pmi(answer), Some(pmi)) => pmi.say(answer),
            (ToHost::Pmi(_), None) => {}
            _ => own.untold.push_back(letter),
        }
        self.catch_up();
    }

    /// Tells it what there was no room for before.
    pub(crate) fn catch_up(&mut self) {
        let Some(own) = &mut self.own else { return };
        if let Some(pmi) = &mut own.pmi {
            pmi.catch_up();
        }
        let Some(channel) = &own.channel else {
            return own.untold.clear();
        };
        while let Some(letter) = own.untold.front() {
            match channel.tell(letter) {
                Ok(false) => return,
                Ok(true) => drop(own.untold.pop_front()),
                // Why is found out when its channel is read, or its process has ended.
                Err(_) => return own.untold.clear(),
            }
        }
    }

    /// What it says, if it says something; nothing more after its channel is closed.
    pub(crate) fn hear(&mut self) -> Result<Option<FromHost>, ControlError> {
        let Some(own) = &mut self.own else { return Ok(None) };
        match own.pmi.as_mut().map(PmiSocket::hear) {
            Some(Ok(Some(request))) => return Ok(Some(FromHost::Pmi(request))),
            Some(Err(_)) => own.pmi = None,
            Some(Ok(None)) | None => {}
        }
        let Some(channel) = &own.channel else {
            return Ok(None);
        };
        let said = channel.said();
        if let Err(ControlError::Closed) = said {
            own.channel = None;
            return Ok(None);
        }
        Ok(said?.map(|said| said.message))
    }

    /// Sends its process a signal; one that has ended needs none.
    pub(crate) fn signal(&self, signal: Signal) {
        if let (Some(own), false) = (&self.own, self.is_gone()) {
            let _ = rustix::process::pidfd_send_signal(&own.process, signal);
        }
    }

    /// The status of its process if it has ended since the last call.
    pub(crate) fn ended_process(&mut self) -> Result<Option<ExitStatus>, LaunchError> {
        if self.is_gone() {
            return Ok(None);
        }
        let Some(own) = &mut self.own else { return Ok(None) };
        let mut ended = [PollFd::from_borrowed_fd(own.process.as_fd(), PollFlags::IN)];
        if poll(&mut ended, Some(&Timespec::default())) != Ok(1) {
            return Ok(None);
        }
        let status = match &mut own.child {
            Some(child) => child.wait().map_err(LaunchError::Supervise)?,
            None => ExitStatus::default(),
        };
        self.exit = Some(status);
        Ok(Some(status))
    }

    /// Waits for the end of its process.
    pub(crate) fn wait(&mut self) -> std::io::Result<()> {
        let own = self.own.as_mut().filter(|_| self.exit.is_none());
        if let Some(child) = own.and_then(|own| own.child.as_mut()) {
            self.exit = Some(child.wait()?);
        }
        Ok(())
    }

    /// Whether its process is about to end: the kernel closes its connections before it says that it has ended, and
    /// long before if the machine is busy.
    pub(super) fn is_exiting(&self) -> bool {
        self.own.as_ref().is_some_and(|own| is_exiting(own.number))
    }

    /// Takes note of the end of a process that another one has started.
    pub(super) fn has_exited(&mut self, status: ExitStatus) {
        self.exit = Some(status);
    }
}

impl Own {
    fn new(number: Pid, child: Option<Child>, channel: Option<Channel>) -> Result<Self, LaunchError> {
        let process = rustix::process::pidfd_open(number, PidfdFlags::empty());
        Ok(Self {
            child,
            number,
            process: process.map_err(|error| LaunchError::Supervise(error.into()))?,
            channel,
            pmi: None,
            untold: VecDeque::new(),
        })
    }
}

impl fmt::Display for Member {
    /// As `host 1 (ranks 2-3)`, or `host 1 (ranks 2-3 on node7)`, or `rank 2 (./a.out)`; ranks of a job that another
    /// one has asked for as `ranks 2-3 of world 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ranks = match self.place.world {
            0 => self.ranks.to_string(),
            world => format!("{} of world {world}", self.ranks),
        };
        match (&self.program, &self.node) {
            (Some(program), None) => write!(f, "{ranks} ({program})"),
            (Some(program), Some(node)) => write!(f, "{ranks} ({program} on {node})"),
            (None, Some(node)) => write!(f, "host {} ({ranks} on {node})", self.number),
            (None, None) => write!(f, "host {} ({ranks})", self.number),
        }
    }
}

/// A process's end as a shell would report it.
pub(super) fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// A process's end in words, which follow its name.
pub(crate) fn exit_words(status: ExitStatus) -> String {
    match status.signal() {
        Some(signal) => format!("was killed by signal {signal}"),
        None => format!("ended with status {}", exit_code(status)),
    }
}

/// Whether a process has begun to end.
fn is_exiting(process: Pid) -> bool {
    /// `PF_EXITING` of the kernel.
    const EXITING: u64 = 4;
    let stat =
        std::fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).unwrap_or_default();
    // The seventh field after the name, which may hold anything.
    let flags = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(6));
    let flags = flags.and_then(|flags| flags.parse::<u64>().ok());
    flags.is_some_and(|flags| flags & EXITING != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    use std::process::{Command, Stdio};

    #[test]
    fn a_process_that_ends_is_told_from_one_that_runs() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        assert!(!is_exiting(Pid::from_child(&child)));
        drop(child.stdin.take());
        // It has ended, and is not forgotten.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let _ = waitid(WaitId::Pid(Pid::from_child(&child)), options).unwrap();
        assert!(is_exiting(Pid::from_child(&child)));
        child.wait().unwrap();
    }
}
