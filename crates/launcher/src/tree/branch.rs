//! A branch of the tree: the agents that are reached over one connection.

use super::LaunchCommand;
use super::Loss;
use super::message::{Down, NodeJob, Up};
use crate::oob::{Frame, Link, LinkError};
use crate::process::PollSet;
use rustix::event::PollFlags;
use std::io;
use std::ops::Range;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

/// The backlog of a connection above which no more data is read that would go there.
pub(crate) const HIGH_WATER: usize = 1 << 20;

/// Time in which a command ends after it has closed its output.
const PATIENCE: Duration = Duration::from_millis(500);

/// The agents behind one connection.
pub(crate) struct Branch {
    /// Their nodes. The agent of the first one is at the other end of the connection.
    nodes: Range<u32>,
    link: Link,
    /// The command that has started that agent; none if srun has.
    command: Option<LaunchCommand>,
    /// When a message was last received, and sent.
    heard: Instant,
    spoken: Instant,
}

impl Branch {
    /// Starts the agent of the first of `nodes`. It will start those of the others.
    ///
    /// # Errors
    ///
    /// When the command cannot be started.
    pub(crate) fn start(job: &NodeJob, nodes: Range<u32>, tool: &Path) -> io::Result<Self> {
        let command = job.launch.command(&job.names[nodes.start as usize], tool);
        let (started, input, output) = LaunchCommand::start(command)?;
        let link = Link::new(input, output, true).map_err(io::Error::other)?;
        Ok(Self::over(link, Some(started), job, nodes))
    }

    /// The branch of an agent that has connected to this process. It is sent the job, as all such agents are.
    pub(crate) fn connected(link: Link, job: &Frame, node: u32) -> Self {
        let mut branch = Self::silent(link, None, node..node + 1);
        branch.link.send_frame(job);
        branch
    }

    /// The branch whose first agent is at the other end of a link; `command` has started it.
    pub(crate) fn over(link: Link, command: Option<LaunchCommand>, job: &NodeJob, nodes: Range<u32>) -> Self {
        let job = NodeJob {
            nodes: (nodes.start, nodes.end),
            ..job.clone()
        };
        let mut branch = Self::silent(link, command, nodes);
        branch.send(&Down::Job(Box::new(job)), &[]);
        branch
    }

    /// The same, whose agent has been sent nothing.
    fn silent(link: Link, command: Option<LaunchCommand>, nodes: Range<u32>) -> Self {
        let now = Instant::now();
        Self {
            nodes,
            link,
            command,
            heard: now,
            spoken: now,
        }
    }

    /// The nodes behind it.
    pub(crate) fn nodes(&self) -> Range<u32> {
        self.nodes.clone()
    }

    /// Sends a message to the agent at the other end.
    pub(crate) fn send(&mut self, message: &Down, bytes: &[u8]) {
        self.spoken = Instant::now();
        self.link.send(message, bytes);
    }

    /// Sends a message with bytes to all branches, which share its frame.
    pub(crate) fn send_all(branches: &mut [Self], message: &Down, bytes: &[u8]) {
        let frame = Link::frame_of(message, bytes);
        for branch in branches {
            branch.spoken = Instant::now();
            branch.link.send_frame(&frame);
        }
    }

    /// Waits for messages, and for room for those that wait. While the receiver is `congested`, nothing is read.
    pub(crate) fn watch<'a>(&'a self, congested: bool, set: &mut PollSet<'a>) {
        if !congested {
            set.add(self.link.input(), PollFlags::IN);
        }
        self.link.watch_output(set);
        if let Some(command) = &self.command {
            command.watch(set);
        }
    }

    /// Writes messages that have waited, and reads what the command writes to its standard error.
    pub(crate) fn pump(&mut self) {
        self.link.flush();
        if let Some(command) = &mut self.command {
            command.read_errors();
        }
    }

    /// The next message from an agent, if it is there.
    pub(crate) fn receive(&mut self) -> Result<Option<(Up, Vec<u8>)>, LinkError> {
        let received = self.link.receive()?;
        if received.is_some() {
            self.heard = Instant::now();
        }
        Ok(received)
    }

    /// Sends a sign of life if it is time for one; false if none has come from the other side for `timeout`.
    pub(crate) fn keep_alive(&mut self, timeout: Duration) -> bool {
        if self.spoken.elapsed() >= timeout / 4 {
            self.send(&Down::Alive, &[]);
        }
        self.heard.elapsed() < timeout
    }

    /// Why the connection has ended.
    pub(crate) fn loss(&mut self, error: &LinkError) -> Loss {
        match (&mut self.command, error) {
            // The command has closed its output, so it is about to end.
            (Some(command), LinkError::Closed) => command.loss(PATIENCE),
            (_, LinkError::Closed) => Loss::of(" is lost: the connection with its agent is closed"),
            (_, error) => Loss::of(format!(": {error}")),
        }
    }

    /// Waits for the end of the command, and kills it when `patience` is over.
    pub(crate) fn end(self, patience: Duration) {
        if let Some(mut command) = self.command {
            command.wait(patience);
        }
    }
}

/// Divides `nodes` among at most `width` branches, evenly and in order.
pub(crate) fn split(nodes: Range<u32>, width: u32) -> Vec<Range<u32>> {
    let count = nodes.end - nodes.start;
    let fragments = width.max(1).min(count);
    let bound = |part: u32| {
        let before = u64::from(count) * u64::from(part) / u64::from(fragments.max(1));
        nodes.start + u32::try_from(before).unwrap_or(count)
    };
    (0..fragments).map(|part| bound(part)..bound(part + 1)).collect()
}

/// A copy of the descriptor of a standard stream that is closed on `exec`.
pub(crate) fn duplicate(stream: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    Ok(rustix::io::fcntl_dupfd_cloexec(stream, 3)?)
}

/// The loss of a node that has given no sign of life.
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
