//! What is at the other end of the process's channel where there is no `mpiexec`: a thread that does its work
//! by what the launcher there is offers.

use super::error::PmiError;
use super::launcher::{Launcher, Place};
use super::neighbours::Door;
use crate::host::end::{exit, wait_for_the_end};
use crate::host::output::say;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use simurgh_net::control::{
    Address, Answer, Bytes, Channel, FromHost, Hello, Peer, Received, Refusal, ToHost,
};
use std::collections::BTreeMap;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

/// What stands for a process's door among its addresses: the last of them.
const DOOR: &str = "door";

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
    /// The node of each process.
    nodes: Vec<u32>,
    phase: Phase,
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
    pub(super) fn new(launcher: Box<dyn Launcher>, channel: Channel, nodes: Vec<u32>) -> Self {
        Self {
            launcher,
            channel,
            nodes,
            phase: Phase::Running,
        }
    }

    /// Serves the process for as long as it lives. If it cannot, the job ends.
    pub(super) fn run(mut self) {
        if let Err(error) = self.serve() {
            let message = error.to_string();
            say(&message);
            self.end(FAILED, &message);
        }
        // The channel stays open: its end would be that of the launcher.
        wait_for_the_end()
    }

    fn serve(&mut self) -> Result<(), PmiError> {
        while self.phase != Phase::Over {
            self.sleep()?;
            while let Some(Received { message, descriptors }) = self.hear()? {
                self.act_on(message, descriptors)?;
            }
        }
        self.launcher.finish()?;
        self.tell(&ToHost::End, &[])
    }

    /// Something that the process says. When it is gone, nobody is left to serve.
    fn hear(&self) -> Result<Option<Received<FromHost>>, PmiError> {
        self.channel.said().map_err(|_| PmiError::Gone)
    }

    /// Sleeps until the process or the launcher says something.
    fn sleep(&mut self) -> Result<(), PmiError> {
        let mut fds = [self.channel.as_fd(), self.launcher.news()]
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        match poll(&mut fds, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if fds[1].revents().is_empty() {
            return Ok(());
        }
        // Unasked the launcher says only that all have come, or that it is gone.
        self.launcher.all_have_come()?;
        self.phase = Phase::Over;
        Ok(())
    }

    fn act_on(&mut self, message: FromHost, descriptors: Vec<OwnedFd>) -> Result<(), PmiError> {
        match message {
            FromHost::Hello(hello) => self.introduce(&hello, &descriptors)?,
            FromHost::Ended { .. } => {
                self.phase = Phase::Leaving;
                self.launcher.arrive()?;
            }
            FromHost::Abort { status, message } => {
                say(&message);
                self.end(status, &message);
            }
            FromHost::Lost { host, reason } => {
                let message = format!("rank {host}: {reason}");
                say(&message);
                self.end(FAILED, &message);
            }
            FromHost::Ask { number, .. } => {
                let answer = Answer::refused(Refusal::Spawn, FOREIGN);
                self.tell(&ToHost::Answer { number, answer }, &[])?;
            }
            // Nobody gathers what all say.
            FromHost::Quiet { .. }
            | FromHost::Waiting { .. }
            | FromHost::Pmi(_)
            | FromHost::Opened { .. }
            | FromHost::Connected { .. }
            | FromHost::Met => {}
        }
        Ok(())
    }

    /// Ends the job: the launcher ends all processes, and this one need not wait for that.
    fn end(&mut self, status: u8, why: &str) -> ! {
        until_read();
        self.launcher.abort(status, why);
        exit(status)
    }

    fn tell(&self, message: &ToHost, descriptors: &[OwnedFd]) -> Result<(), PmiError> {
        let descriptors: Vec<_> = descriptors.iter().map(AsFd::as_fd).collect();
        loop {
            match self.channel.tell(message, &descriptors) {
                Ok(true) => return Ok(()),
                Ok(false) => {
                    let mut fds = [PollFd::new(&self.channel, PollFlags::OUT)];
                    let _ = poll(&mut fds, None);
                }
                Err(_) => return Err(PmiError::Gone),
            }
        }
    }

    /// Tells the process of all others.
    fn introduce(&mut self, hello: &Hello, descriptors: &[OwnedFd]) -> Result<(), PmiError> {
        let door = Door::open()?;
        let Place { rank, size } = self.launcher.place();
        let address = Address {
            transport: DOOR.to_owned(),
            bytes: Bytes(door.name.clone()),
            descriptors: 0,
        };
        let own = Peer {
            host: hello.host,
            pid: hello.pid,
            addresses: hello.addresses.iter().cloned().chain([address]).collect(),
            place: None,
        };
        self.launcher.put(HOST, &own.to_bytes())?;
        self.launcher.meet()?;
        let (mut peers, mut neighbours) = (Vec::new(), Vec::new());
        for other in (0..size).filter(|&other| other != rank) {
            let (peer, door) = named(other, &self.launcher.get(other, HOST)?)?;
            if !descriptors.is_empty() && self.nodes[other as usize] == self.nodes[rank as usize] {
                neighbours.push((other, door));
            }
            peers.push(peer);
        }
        let mut got: BTreeMap<u32, Vec<OwnedFd>> = door.exchange(hello, descriptors, &neighbours)?;
        for mut peer in peers {
            let lent = got.remove(&peer.host).unwrap_or_default();
            if lent.is_empty() {
                // What needs descriptors leads nowhere without them.
                peer.addresses.retain(|address| address.descriptors == 0);
            }
            self.tell(&ToHost::Peer(peer), &lent)?;
        }
        self.tell(&ToHost::Go, &[])
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

/// A process as it has shown itself, and the name of its door.
fn named(host: u32, bytes: &[u8]) -> Result<(Peer, Vec<u8>), PmiError> {
    let strange = || PmiError::Strange {
        line: format!("addresses of rank {host}"),
    };
    let mut peer = Peer::of_bytes(bytes)
        .filter(|peer| peer.host == host)
        .ok_or_else(strange)?;
    let door = peer.addresses.pop().filter(|address| address.transport == DOOR);
    Ok((peer, door.ok_or_else(strange)?.bytes.0))
}
