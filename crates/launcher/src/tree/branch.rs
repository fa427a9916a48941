//! Agents that are reached over one connection: the one that this process has started, and those behind it.

use super::LaunchCommand;
use super::Loss;
use super::message::{Down, NodeJob, Up};
use crate::oob::{Link, LinkError};
use crate::process::PollSet;
use rustix::event::PollFlags;
use std::io;
use std::ops::Range;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

/// How much may wait in a connection before no more is read of what it is to carry.
pub(crate) const HIGH_WATER: usize = 1 << 20;

/// Time in which a command ends that has closed its output.
const PATIENCE: Duration = Duration::from_millis(500);

/// Agents behind one connection.
pub(crate) struct Branch {
    /// Their nodes. The first one's agent is at the other end.
    nodes: Range<u32>,
    link: Link,
    /// The command that has started it; none if somebody else has.
    command: Option<LaunchCommand>,
    /// When it was last heard, and spoken to.
    heard: Instant,
    spoken: Instant,
}

impl Branch {
    /// Starts an agent for the first of `nodes`, which starts those of the others.
    pub(crate) fn start(job: &NodeJob, nodes: Range<u32>, tool: &Path) -> io::Result<Self> {
        let command = job.launch.command(&job.names[nodes.start as usize], tool);
        let (started, input, output) = LaunchCommand::start(command)?;
        let link = Link::new(input, output, true).map_err(io::Error::other)?;
        Ok(Self::over(link, Some(started), job, nodes))
    }

    /// The agent at the other end of a connection that it has made.
    pub(crate) fn called(link: Link, job: &NodeJob, node: u32) -> Self {
        // It has shown that it knows the secret.
        let job = NodeJob {
            secret: None,
            ..job.clone()
        };
        Self::over(link, None, &job, node..node + 1)
    }

    fn over(link: Link, command: Option<LaunchCommand>, job: &NodeJob, nodes: Range<u32>) -> Self {
        let now = Instant::now();
        let mut branch = Self {
            link,
            command,
            heard: now,
            spoken: now,
            nodes: nodes.clone(),
        };
        let job = NodeJob {
            nodes: (nodes.start, nodes.end),
            ..job.clone()
        };
        branch.send(&Down::Job(Box::new(job)), &[]);
        branch
    }

    /// The nodes behind it.
    pub(crate) fn nodes(&self) -> Range<u32> {
        self.nodes.clone()
    }

    /// Says something to the agent at the other end.
    pub(crate) fn send(&mut self, message: &Down, bytes: &[u8]) {
        self.spoken = Instant::now();
        self.link.send(message, bytes);
    }

    /// What is to be waited for; what comes is left where it is while `congested`.
    pub(crate) fn watch<'a>(&'a self, congested: bool, set: &mut PollSet<'a>) {
        if !congested {
            set.add(self.link.input(), PollFlags::IN);
        }
        self.link.watch_output(set);
        if let Some(command) = &self.command {
            command.watch(set);
        }
    }

    /// Writes what has waited, and takes note of what the command says.
    pub(crate) fn catch_up(&mut self) {
        self.link.flush();
        if let Some(command) = &mut self.command {
            command.listen();
        }
    }

    /// The next message of an agent, if it is there.
    pub(crate) fn receive(&mut self) -> Result<Option<(Up, Vec<u8>)>, LinkError> {
        let received = self.link.receive()?;
        if received.is_some() {
            self.heard = Instant::now();
        }
        Ok(received)
    }

    /// Gives a sign of life if it is time for one; false if the other side has given none for all the time.
    pub(crate) fn keep_alive(&mut self, timeout: Duration) -> bool {
        if self.spoken.elapsed() >= timeout / 4 {
            self.send(&Down::Alive, &[]);
        }
        self.heard.elapsed() < timeout
    }

    /// Why the connection has ended.
    pub(crate) fn loss(&mut self, error: &LinkError) -> Loss {
        match (&mut self.command, error) {
            // It has closed its output, so it ends.
            (Some(command), LinkError::Closed) => command.loss(PATIENCE),
            (_, LinkError::Closed) => Loss::of(" is lost: the connection with its agent is closed"),
            (_, error) => Loss::of(format!(": {error}")),
        }
    }

    /// Waits for the end of the command for a time, and ends it then.
    pub(crate) fn end(self, patience: Duration) {
        if let Some(mut command) = self.command {
            command.wait(patience);
        }
    }
}

/// Shares of `nodes` for at most `width` branches: neighbours, as even as they can be.
pub(crate) fn split(nodes: Range<u32>, width: u32) -> Vec<Range<u32>> {
    let count = nodes.end - nodes.start;
    let fragments = width.max(1).min(count);
    let bound = |part: u32| {
        let before = u64::from(count) * u64::from(part) / u64::from(fragments.max(1));
        nodes.start + u32::try_from(before).unwrap_or(count)
    };
    (0..fragments).map(|part| bound(part)..bound(part + 1)).collect()
}

/// The descriptor of a standard stream, for this process alone.
pub(crate) fn own(stream: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    Ok(rustix::io::fcntl_dupfd_cloexec(stream, 3)?)
}

/// Why a node is lost that says nothing.
pub(crate) fn no_sign_of_life(timeout: Duration) -> Loss {
    Loss::of(format!(
        " has given no sign of life for {} s (--peer-timeout)",
        timeout.as_secs_f64()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_shared_out_evenly() {
        assert_eq!(split(0..5, 2), [0..2, 2..5]);
        assert_eq!(split(1..4, 8), [1..2, 2..3, 3..4]);
        assert!(split(3..3, 4).is_empty());
    }
}
