//! The process of a host that this process watches, and the channels to it.

use crate::error::LaunchError;
use crate::pmi::PmiSocket;
use crate::process::PollSet;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal};
use simurgh_net::control::{Channel, ControlError, EncodedMessage, FromHost, ToHost};
use std::collections::VecDeque;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::process::{Child, ExitStatus};

/// A process that has been started without `mpiexec`, and has started this one: an MPI singleton.
pub(crate) struct Singleton {
    /// Its pid.
    pub(crate) process: u32,
    /// The launcher's end of its channel.
    pub(crate) channel: Channel,
}

/// The process of a host.
pub(super) struct HostProcess {
    /// The child; none for a singleton, whose exit status this process cannot learn.
    child: Option<Child>,
    process: OwnedFd,
    channel: Option<Channel>,
    /// The socket over which it speaks PMI, if it does.
    pmi: Option<PmiSocket>,
    /// Messages that the channel has no room for.
    unsent: VecDeque<EncodedMessage>,
}

impl HostProcess {
    /// A process that this one has started.
    pub(super) fn of_child(
        child: Child,
        channel: Option<Channel>,
        pmi: Option<PmiSocket>,
    ) -> Result<Self, LaunchError> {
        Ok(Self {
            pmi,
            ..Self::new(Pid::from_child(&child), Some(child), channel)?
        })
    }

    /// A process that has started this one.
    pub(super) fn of_singleton(Singleton { process, channel }: Singleton) -> Result<Self, LaunchError> {
        let gone = LaunchError::Supervise(rustix::io::Errno::SRCH.into());
        let number = i32::try_from(process).ok().and_then(Pid::from_raw).ok_or(gone)?;
        Self::new(number, None, Some(channel))
    }

    fn new(number: Pid, child: Option<Child>, channel: Option<Channel>) -> Result<Self, LaunchError> {
        let process = rustix::process::pidfd_open(number, PidfdFlags::empty());
        Ok(Self {
            child,
            process: process.map_err(|error| LaunchError::Supervise(error.into()))?,
            channel,
            pmi: None,
            unsent: VecDeque::new(),
        })
    }

    /// Whether it has started this process.
    pub(super) fn is_singleton(&self) -> bool {
        self.child.is_none()
    }

    /// Whether all messages have been sent to it.
    pub(super) fn is_flushed(&self) -> bool {
        self.unsent.is_empty()
    }

    /// Waits for its messages and its end, and for room for what it is told.
    pub(super) fn watch<'a>(&'a self, set: &mut PollSet<'a>) {
        let writable = |so| if so { PollFlags::OUT } else { PollFlags::empty() };
        set.add(self.process.as_fd(), PollFlags::IN);
        if let Some(channel) = &self.channel {
            set.add(channel.as_fd(), PollFlags::IN | writable(!self.is_flushed()));
        }
        if let Some(pmi) = &self.pmi {
            set.add(pmi.fd(), PollFlags::IN | writable(pmi.is_behind()));
        }
    }

    /// Sends it a message, as soon as there is room.
    pub(super) fn send(&mut self, encoded: EncodedMessage) {
        match (encoded.message(), &mut self.pmi) {
            (ToHost::Pmi(answer), Some(pmi)) => pmi.send(answer),
            (ToHost::Pmi(_), None) => {}
            _ => self.unsent.push_back(encoded),
        }
        self.flush();
    }

    /// Sends it the messages for which there was no room before.
    pub(super) fn flush(&mut self) {
        if let Some(pmi) = &mut self.pmi {
            pmi.flush();
        }
        let Some(channel) = &self.channel else {
            return self.unsent.clear();
        };
        while let Some(encoded) = self.unsent.front() {
            match channel.try_send(encoded) {
                Ok(false) => return,
                Ok(true) => drop(self.unsent.pop_front()),
                // The reason will be found when the channel is read, or when the process has ended.
                Err(_) => return self.unsent.clear(),
            }
        }
    }

    /// The next message from it, if there is one. After the channel is closed there are none.
    ///
    /// # Errors
    ///
    /// When something else has been received.
    pub(super) fn receive(&mut self) -> Result<Option<FromHost>, ControlError> {
        match self.pmi.as_mut().map(PmiSocket::receive) {
            Some(Ok(Some(request))) => return Ok(Some(FromHost::Pmi(request))),
            Some(Err(_)) => self.pmi = None,
            Some(Ok(None)) | None => {}
        }
        let Some(channel) = &self.channel else {
            return Ok(None);
        };
        let said = channel.receive_from_host();
        if let Err(ControlError::Closed) = said {
            self.channel = None;
            return Ok(None);
        }
        Ok(said?.map(|said| said.message))
    }

    /// Sends it a signal; a process that has ended needs none. A process that writes its core file is not killed, so
    /// that it can finish the file.
    pub(super) fn signal(&self, signal: Signal) {
        if signal == Signal::KILL && is_dumping(&self.process) {
            return;
        }
        let _ = rustix::process::pidfd_send_signal(&self.process, signal);
    }

    /// Its status if it has ended. That of a singleton counts as success.
    pub(super) fn ended(&mut self) -> Result<Option<ExitStatus>, LaunchError> {
        let mut ended = [PollFd::from_borrowed_fd(self.process.as_fd(), PollFlags::IN)];
        if poll(&mut ended, Some(&Timespec::default())) != Ok(1) {
            return Ok(None);
        }
        let status = self.wait().map_err(LaunchError::Supervise)?;
        Ok(Some(status.unwrap_or_default()))
    }

    /// Waits for its end. The status of a singleton is not known.
    pub(super) fn wait(&mut self) -> std::io::Result<Option<ExitStatus>> {
        self.child.as_mut().map(Child::wait).transpose()
    }

    /// Whether it has begun to end.
    pub(super) fn is_exiting(&self) -> bool {
        is_exiting(&self.process)
    }
}

/// Whether a process is writing its core file.
fn is_dumping(process: &OwnedFd) -> bool {
    proc_file(process, "status")
        .lines()
        .any(|line| line == "CoreDumping:\t1")
}

/// Whether a process has begun to end.
fn is_exiting(process: &OwnedFd) -> bool {
    /// `PF_EXITING` of the kernel.
    const EXITING: u64 = 4;
    let stat = proc_file(process, "stat");
    // The seventh field after the name. The name may contain anything.
    let flags = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(6));
    let flags = flags.and_then(|flags| flags.parse::<u64>().ok());
    flags.is_some_and(|flags| flags & EXITING != 0)
}

/// The text of a file of /proc about a process; empty if the process has been waited for.
fn proc_file(process: &OwnedFd, file: &str) -> String {
    let told = |number| std::fs::read_to_string(format!("/proc/{number}/{file}")).ok();
    number_of(process).and_then(told).unwrap_or_default()
}

/// The number of a process in /proc, which may differ from its pid in the namespace of this process; none if it has
/// been waited for.
fn number_of(process: &OwnedFd) -> Option<u32> {
    let about = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", process.as_raw_fd())).ok()?;
    let number = about.lines().find_map(|line| line.strip_prefix("Pid:"))?;
    number.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    use std::process::{Command, Stdio};

    #[test]
    fn a_process_that_ends_is_told_from_one_that_runs() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let process = rustix::process::pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).unwrap();
        assert!(!is_exiting(&process));
        drop(child.stdin.take());
        // The child has ended, and has not been waited for.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let _ = waitid(WaitId::Pid(Pid::from_child(&child)), options).unwrap();
        assert!(is_exiting(&process));
        child.wait().unwrap();
        assert!(!is_exiting(&process));
    }
}
