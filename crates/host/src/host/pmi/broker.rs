//! The broker: a thread at the other end of the process's channel, where there is no `mpiexec`. It does `mpiexec`'s
//! work with the means of the foreign launcher.

use super::error::PmiError;
use super::launcher::{Launcher, Place};
use super::quiescence::{Detector, Outcome};
use crate::host::end::{exit, wait_for_the_end};
use crate::host::output::say;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use simurgh_net::control::{
    Answer, Channel, DEADLOCKED, EncodedMessage, FromHost, Hello, MAX_PEERS, Peer, Received, Refusal, ToHost,
};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// The key under which a process publishes where it can be reached.
const HOST: &str = "simurgh-host";

/// The status of a job that cannot go on.
const FAILED: u8 = 1;

/// The answer to all questions of ranks.
const FOREIGN: &str = "another launcher has started the job, and cannot do that: start the job with the mpiexec of \
    this installation";

/// The launcher of a single process.
pub(super) struct Broker {
    launcher: Box<dyn Launcher>,
    channel: Channel,
    phase: Phase,
    /// Quiescence detection, if it is possible.
    detector: Option<Detector>,
    /// The number of answers that it has given.
    answers: u64,
}

/// The progress of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Its rank runs, or it has yet to say where it can be reached.
    Running,
    /// Its rank has ceased to use MPI, and it waits for the others.
    Leaving,
    /// All ranks have.
    Over,
}

impl Broker {
    pub(super) fn new(launcher: Box<dyn Launcher>, channel: Channel, detector: Option<Detector>) -> Self {
        Self {
            launcher,
            channel,
            phase: Phase::Running,
            detector,
            answers: 0,
        }
    }

    /// Serves the process for as long as it lives. If that fails, the job ends.
    pub(super) fn run(mut self) {
        if let Err(error) = self.serve() {
            self.end(FAILED, &error.to_string());
        }
        // The channel stays open: the process would take its end for the launcher's.
        wait_for_the_end()
    }

    fn serve(&mut self) -> Result<(), PmiError> {
        while self.phase != Phase::Over {
            self.sleep()?;
            while let Some(Received { message, .. }) = self.hear()? {
                self.act_on(message)?;
            }
        }
        self.launcher.finalize()?;
        self.tell(&ToHost::End)
    }

    /// The next message of the process. When the process is gone, there is nobody left to serve.
    fn hear(&self) -> Result<Option<Received<FromHost>>, PmiError> {
        self.channel.receive_from_host().map_err(|_| PmiError::Gone)
    }

    /// Sleeps until the process, the launcher or another broker has sent something, and handles the latter two.
    fn sleep(&mut self) -> Result<(), PmiError> {
        let mut fds: Vec<_> = [self.channel.as_fd(), self.launcher.event_fd()]
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
            .into();
        let until = self
            .detector
            .as_ref()
            .and_then(|detector| detector.poll_set(&mut fds));
        let time = until.map(|until| until.saturating_duration_since(Instant::now()));
        let time = time.and_then(|time| Timespec::try_from(time).ok());
        match poll(&mut fds, time.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let from_launcher = !fds[1].revents().is_empty();
        let heard = self.detector.as_mut().map(Detector::take_messages);
        self.follow(heard.unwrap_or_default())?;
        if from_launcher {
            // All that the launcher sends unasked is the end of the fence, or the end of the connection.
            self.launcher.end_fence()?;
            self.phase = Phase::Over;
        }
        Ok(())
    }

    /// Handles the outcomes of quiescence detection.
    fn follow(&mut self, outcomes: Vec<Outcome>) -> Result<(), PmiError> {
        for outcome in outcomes {
            match outcome {
                Outcome::Tell(message) => self.tell(&message)?,
                Outcome::Deadlock(text) => self.end(DEADLOCKED, &text),
            }
        }
        Ok(())
    }

    /// Passes a message of the process on to quiescence detection.
    fn pass_on(&mut self, message: FromHost) -> Result<(), PmiError> {
        let follows = self.detector.as_mut().map(|detector| detector.say(message));
        self.follow(follows.unwrap_or_default())
    }

    fn act_on(&mut self, message: FromHost) -> Result<(), PmiError> {
        match message {
            FromHost::Hello(hello) => self.introduce(&hello)?,
            FromHost::Ended { .. } => {
                self.phase = Phase::Leaving;
                self.pass_on(message)?;
                self.launcher.begin_fence()?;
            }
            FromHost::Abort { status, message } => self.end(status, &message),
            FromHost::Lost { host, reason } => self.end(FAILED, &format!("rank {host}: {reason}")),
            FromHost::Ask { number, .. } => {
                let answer = Answer::refused(Refusal::Spawn, FOREIGN);
                self.answers += 1;
                self.tell(&ToHost::Answer { number, answer })?;
            }
            FromHost::Quiet { wave, sent, received } => {
                // The process counts answers as received, so they count as sent here.
                let sent = sent + self.answers;
                self.pass_on(FromHost::Quiet { wave, sent, received })?;
            }
            FromHost::Waiting { .. } => self.pass_on(message)?,
            // Only `mpiexec` uses these.
            FromHost::Pmi(_)
            | FromHost::Opened { .. }
            | FromHost::Unreachable { .. }
            | FromHost::Connected { .. }
            | FromHost::Met => {}
        }
        Ok(())
    }

    /// Prints why the job ends, and ends it. The launcher ends all processes; this one need not wait for that.
    fn end(&mut self, status: u8, why: &str) -> ! {
        say(why);
        until_read();
        self.launcher.abort(status, why);
        exit(status)
    }

    fn tell(&self, message: &ToHost) -> Result<(), PmiError> {
        let message = EncodedMessage::from(message.clone());
        loop {
            match self.channel.try_send(&message) {
                Ok(true) => return Ok(()),
                Ok(false) => {
                    let mut fds = [PollFd::new(&self.channel, PollFlags::OUT)];
                    let _ = poll(&mut fds, None);
                }
                Err(_) => return Err(PmiError::Gone),
            }
        }
    }

    /// Tells the process about all others, when all are there.
    fn introduce(&mut self, hello: &Hello) -> Result<(), PmiError> {
        let Place { rank, size } = self.launcher.place();
        let own = Peer {
            host: hello.host,
            addresses: hello.addresses.clone(),
            place: None,
        };
        self.launcher.put(HOST, &own.to_bytes())?;
        self.launcher.fence()?;
        if !own.addresses.is_empty() {
            // If this process has addresses, the others very likely have, too: where all are on one node, none has.
            let others: Vec<u32> = (0..size).filter(|&other| other != rank).collect();
            for some in others.chunks(MAX_PEERS) {
                let peers = some
                    .iter()
                    .map(|&other| named(other, &self.launcher.get(other, HOST)?));
                let peers = ToHost::Peers(peers.collect::<Result<_, PmiError>>()?);
                self.tell(&peers)?;
            }
        }
        self.tell(&ToHost::Go)
    }
}

/// Waits a moment until the launcher has read what this process has written: MPICH's launcher ends without reading what
/// is left in its pipes.
fn until_read() {
    const LOOKS: u32 = 100;
    for _ in 0..LOOKS {
        if rustix::io::ioctl_fionread(rustix::stdio::stderr()).map_or(true, |left| left == 0) {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The published description of a process.
fn named(host: u32, bytes: &[u8]) -> Result<Peer, PmiError> {
    let peer = Peer::of_bytes(bytes).filter(|peer| peer.host == host);
    peer.ok_or_else(|| PmiError::Strange {
        line: format!("addresses of rank {host}"),
    })
}
