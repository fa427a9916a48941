//! What is at the other end of the process's channel where there is no `mpiexec`: a thread that does its work
//! by what the launcher there is offers.

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

/// Under what a process shows where it can be reached.
const HOST: &str = "simurgh-host";

/// Status of a job that cannot go on.
const FAILED: u8 = 1;

/// Why ranks cannot ask for anything.
const FOREIGN: &str = "the job has been started by another launcher, which offers no way to that: start it by the \
    mpiexec of this installation";

/// A process's own launcher.
pub(super) struct Broker {
    launcher: Box<dyn Launcher>,
    channel: Channel,
    phase: Phase,
    /// How it is found out that all processes wait for each other, if it can be.
    detector: Option<Detector>,
    /// Answers that it has given.
    answers: u64,
}

/// How far the process has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Its ranks run, or it has yet to say where it can be reached.
    Running,
    /// Its rank has ceased to use MPI, and it waits for the others.
    Leaving,
    /// All have.
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

    /// Serves the process for as long as it lives. If it cannot, the job ends.
    pub(super) fn run(mut self) {
        if let Err(error) = self.serve() {
            self.end(FAILED, &error.to_string());
        }
        // The channel stays open: its end would be that of the launcher.
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

    /// Something that the process says. When it is gone, nobody is left to serve.
    fn hear(&self) -> Result<Option<Received<FromHost>>, PmiError> {
        self.channel.receive_from_host().map_err(|_| PmiError::Gone)
    }

    /// Sleeps until the process, the launcher or another broker says something.
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
        let heard = self.detector.as_mut().map(Detector::attend);
        self.follow(heard.unwrap_or_default())?;
        if from_launcher {
            // Unasked the launcher says only that all have come, or that it is gone.
            self.launcher.end_fence()?;
            self.phase = Phase::Over;
        }
        Ok(())
    }

    /// Does what follows from words of this process, or of others.
    fn follow(&mut self, outcomes: Vec<Outcome>) -> Result<(), PmiError> {
        for outcome in outcomes {
            match outcome {
                Outcome::Tell(message) => self.tell(&message)?,
                Outcome::Deadlock(text) => self.end(DEADLOCKED, &text),
            }
        }
        Ok(())
    }

    /// Passes a word of the process on to where those of all are heard.
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
                // The process counts answers as received.
                let sent = sent + self.answers;
                self.pass_on(FromHost::Quiet { wave, sent, received })?;
            }
            FromHost::Waiting { .. } => self.pass_on(message)?,
            // What only `mpiexec` asks, or hears from others.
            FromHost::Pmi(_)
            | FromHost::Opened { .. }
            | FromHost::Unreachable { .. }
            | FromHost::Connected { .. }
            | FromHost::Met => {}
        }
        Ok(())
    }

    /// Says why the job ends, and ends it: the launcher ends all processes, and this one need not wait for that.
    fn end(&mut self, status: u8, why: &str) -> ! {
        say(why);
        until_read();
        self.launcher.abort(status, why);
        exit(status)
    }

    fn tell(&self, message: &ToHost) -> Result<(), PmiError> {
        let letter = EncodedMessage::from(message.clone());
        loop {
            match self.channel.try_send(&letter) {
                Ok(true) => return Ok(()),
                Ok(false) => {
                    let mut fds = [PollFd::new(&self.channel, PollFlags::OUT)];
                    let _ = poll(&mut fds, None);
                }
                Err(_) => return Err(PmiError::Gone),
            }
        }
    }

    /// Tells the process of all others, when all are there.
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
            // Others have such, too, in all likelihood: on this node alone nobody would.
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

/// Waits a moment for the launcher to read what this process has said: MPICH's ends without a look at what is left in
/// its pipes.
fn until_read() {
    const LOOKS: u32 = 100;
    for _ in 0..LOOKS {
        if rustix::io::ioctl_fionread(rustix::stdio::stderr()).map_or(true, |left| left == 0) {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A process as it has shown itself.
fn named(host: u32, bytes: &[u8]) -> Result<Peer, PmiError> {
    let peer = Peer::of_bytes(bytes).filter(|peer| peer.host == host);
    peer.ok_or_else(|| PmiError::Strange {
        line: format!("addresses of rank {host}"),
    })
}
