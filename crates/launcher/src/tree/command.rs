//! A command that starts agents: ssh, srun, or the agent itself.

use super::Loss;
use crate::process::PollSet;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// How much is kept of its error output.
const LAST_WORDS: usize = 2 << 10;

/// A running command.
pub(crate) struct LaunchCommand {
    name: String,
    child: Child,
    errors: Option<OwnedFd>,
    last_words: Vec<u8>,
}

impl LaunchCommand {
    /// Starts it. Also returns the pipes from its standard output and to its standard input.
    ///
    /// # Errors
    ///
    /// When it cannot be started.
    pub(crate) fn start(mut command: Command) -> io::Result<(Self, OwnedFd, OwnedFd)> {
        let name = command.get_program().to_string_lossy().into_owned();
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // A process group of its own: Ctrl-C on the terminal is for mpiexec, which passes it on.
        let spawned = command.process_group(0).spawn();
        let mut child = spawned.map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))?;
        let missing = || io::Error::other("a standard stream is missing");
        let output: OwnedFd = child.stdout.take().ok_or_else(missing)?.into();
        let input: OwnedFd = child.stdin.take().ok_or_else(missing)?.into();
        let errors: OwnedFd = child.stderr.take().ok_or_else(missing)?.into();
        rustix::io::ioctl_fionbio(&errors, true)?;
        let started = Self {
            name,
            child,
            errors: Some(errors),
            last_words: Vec::new(),
        };
        Ok((started, output, input))
    }

    /// Waits for its error output.
    pub(crate) fn watch<'a>(&'a self, set: &mut PollSet<'a>) {
        if let Some(errors) = &self.errors {
            set.add(errors.as_fd(), PollFlags::IN);
        }
    }

    /// Reads its error output.
    pub(crate) fn read_errors(&mut self) {
        let mut chunk = [0; 1024];
        while let Some(errors) = &self.errors {
            match rustix::io::read(errors, &mut chunk) {
                Ok(0) => self.errors = None,
                Ok(read) => {
                    self.last_words.extend_from_slice(&chunk[..read]);
                    let excess = self.last_words.len().saturating_sub(LAST_WORDS);
                    self.last_words.drain(..excess);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => self.errors = None,
            }
        }
    }

    /// How it has ended, if it does within `patience`, and the last line that it wrote.
    pub(crate) fn loss(&mut self, patience: Duration) -> Loss {
        let status = self.wait(patience);
        self.read_errors();
        Loss::of_command(&self.name, status, &String::from_utf8_lossy(&self.last_words))
    }

    /// Whether it has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Its status, if it ends within `patience`.
    pub(crate) fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        if let Ok(process) = pidfd_open(Pid::from_child(&self.child), PidfdFlags::empty()) {
            let time = Timespec::try_from(patience).ok();
            let mut fds = [PollFd::from_borrowed_fd(process.as_fd(), PollFlags::IN)];
            let _ = poll(&mut fds, time.as_ref());
        }
        self.child.try_wait().ok().flatten()
    }
}

impl Drop for LaunchCommand {
    /// Kills it: a command does not outlive the process that has started it.
    fn drop(&mut self) {
        if !self.has_ended() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
