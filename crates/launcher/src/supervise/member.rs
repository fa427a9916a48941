//! One host, as the launcher sees it.

use crate::error::LaunchError;
use rustix::process::{Pid, PidfdFlags, Signal};
use simurgh_net::control::{Address, Channel, ControlError, FromHost, Hello, Peer, Received, ToHost};
use simurgh_net::job::RankRange;
use simurgh_net::transport::HostId;
use std::collections::VecDeque;
use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::sync::Arc;

/// A host.
pub(super) struct Member {
    number: HostId,
    ranks: RankRange,
    child: Child,
    process: OwnedFd,
    channel: Option<Channel>,
    /// What there was no room for in the channel.
    untold: VecDeque<(ToHost, Vec<Arc<OwnedFd>>)>,
    joined: Option<Joined>,
    exit: Option<ExitStatus>,
    /// The status of its ranks, when all of them have ended.
    pub(super) ended: Option<u8>,
    /// What its ranks wait for, when it has been asked.
    pub(super) waiting: Option<String>,
}

/// How a host can be reached.
struct Joined {
    pid: u32,
    addresses: Vec<Address>,
    descriptors: Vec<Arc<OwnedFd>>,
}

impl Member {
    pub(super) fn new(
        number: HostId,
        ranks: RankRange,
        child: Child,
        channel: Option<Channel>,
    ) -> Result<Self, LaunchError> {
        let process = rustix::process::pidfd_open(Pid::from_child(&child), PidfdFlags::empty())
            .map_err(|error| LaunchError::Supervise(error.into()))?;
        Ok(Self {
            number,
            ranks,
            child,
            process,
            channel,
            untold: VecDeque::new(),
            joined: None,
            exit: None,
            ended: None,
            waiting: None,
        })
    }

    pub(super) fn number(&self) -> HostId {
        self.number
    }

    /// Readable when its process has ended.
    pub(super) fn process(&self) -> BorrowedFd<'_> {
        self.process.as_fd()
    }

    /// Its channel, if it has one that is still open.
    pub(super) fn channel(&self) -> Option<&Channel> {
        self.channel.as_ref()
    }

    /// Whether it waits for room in its channel.
    pub(super) fn is_behind(&self) -> bool {
        !self.untold.is_empty()
    }

    pub(super) fn has_joined(&self) -> bool {
        self.joined.is_some()
    }

    pub(super) fn is_gone(&self) -> bool {
        self.exit.is_some()
    }

    /// Takes note of where it can be reached.
    pub(super) fn join(&mut self, hello: Hello, descriptors: Vec<OwnedFd>) {
        self.joined = Some(Joined {
            pid: hello.pid,
            addresses: hello.addresses,
            descriptors: descriptors.into_iter().map(Arc::new).collect(),
        });
    }

    /// What others have to know of it to connect to it; descriptors only for those on its node.
    pub(super) fn as_peer(&self, same_node: bool) -> Option<(ToHost, Vec<Arc<OwnedFd>>)> {
        let joined = self.joined.as_ref()?;
        let address = |address: &Address| Address {
            descriptors: if same_node { address.descriptors } else { 0 },
            ..address.clone()
        };
        let peer = Peer {
            host: self.number,
            pid: joined.pid,
            addresses: joined.addresses.iter().map(address).collect(),
        };
        let descriptors = if same_node {
            joined.descriptors.clone()
        } else {
            Vec::new()
        };
        Some((ToHost::Peer(peer), descriptors))
    }

    /// Closes what it has lent to its peers.
    pub(super) fn forget_descriptors(&mut self) {
        if let Some(joined) = &mut self.joined {
            joined.descriptors.clear();
        }
    }

    /// Tells it something, as soon as it has room for it. A host that is gone needs nothing told.
    pub(super) fn tell(&mut self, message: ToHost, descriptors: Vec<Arc<OwnedFd>>) {
        self.untold.push_back((message, descriptors));
        self.catch_up();
    }

    /// Tells it what there was no room for before.
    pub(super) fn catch_up(&mut self) {
        let Some(channel) = &self.channel else {
            return self.untold.clear();
        };
        while let Some((message, descriptors)) = self.untold.front() {
            let descriptors: Vec<_> = descriptors.iter().map(|fd| fd.as_fd()).collect();
            match channel.tell(message, &descriptors) {
                Ok(false) => return,
                Ok(true) => drop(self.untold.pop_front()),
                // Why is found out when its channel is read, or its process has ended.
                Err(_) => return self.untold.clear(),
            }
        }
    }

    /// What it says, if it says something; nothing more after its channel is closed.
    pub(super) fn hear(&mut self) -> Result<Option<Received<FromHost>>, ControlError> {
        let Some(channel) = &self.channel else {
            return Ok(None);
        };
        let said = channel.said();
        if let Err(ControlError::Closed) = said {
            self.channel = None;
            return Ok(None);
        }
        said
    }

    /// Sends its process a signal; one that has ended needs none.
    pub(super) fn signal(&self, signal: Signal) {
        if self.exit.is_none() {
            let _ = rustix::process::pidfd_send_signal(&self.process, signal);
        }
    }

    /// Takes note of the end of its process.
    pub(super) fn reap(&mut self) -> Result<ExitStatus, LaunchError> {
        let status = self.child.wait().map_err(LaunchError::Supervise)?;
        self.exit = Some(status);
        Ok(status)
    }
}

impl fmt::Display for Member {
    /// As `host 1 (ranks 2-3)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "host {} ({})", self.number, self.ranks)
    }
}

/// A process's end as a shell would report it.
pub(super) fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// A process's end in words, which follow its name.
pub(super) fn exit_words(status: ExitStatus) -> String {
    match status.signal() {
        Some(signal) => format!("was killed by signal {signal}"),
        None => format!("ended with status {}", exit_code(status)),
    }
}
