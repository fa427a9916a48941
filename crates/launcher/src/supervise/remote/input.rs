//! What rank 0 reads, if it is on another node.

use crate::process::PollSet;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::IsTerminal;
use std::os::fd::AsFd;

/// Most that is read at a time.
const CHUNK: usize = 64 << 10;

/// The standard input of `mpiexec`.
pub(super) struct Input {
    /// What was read last has been taken; so a slow reader holds up whoever writes, as through a pipe.
    taken: bool,
    ended: bool,
}

impl Input {
    pub(super) fn new() -> Self {
        Self {
            taken: true,
            ended: false,
        }
    }

    pub(super) fn watch(&self, set: &mut PollSet<'_>) {
        if self.is_wanted() {
            set.add(rustix::stdio::stdin(), PollFlags::IN);
        }
    }

    /// What was read last has been taken.
    pub(super) fn is_taken(&mut self) {
        self.taken = true;
    }

    /// What there is to read, if there is something; nothing is the end.
    pub(super) fn read(&mut self) -> Option<Vec<u8>> {
        let mut ready = [PollFd::from_borrowed_fd(rustix::stdio::stdin(), PollFlags::IN)];
        if !self.is_wanted() || poll(&mut ready, Some(&Timespec::default())) != Ok(1) {
            return None;
        }
        let mut bytes = vec![0; CHUNK];
        let read = match rustix::io::read(rustix::stdio::stdin().as_fd(), &mut bytes) {
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => return None,
            // What cannot be read has nothing in it.
            read => read.unwrap_or(0),
        };
        bytes.truncate(read);
        (self.taken, self.ended) = (false, read == 0);
        Some(bytes)
    }

    /// Whether it may be read now: a terminal stops those that read it in the background.
    fn is_wanted(&self) -> bool {
        self.taken && !self.ended && (!std::io::stdin().is_terminal() || is_in_foreground())
    }
}

/// Whether the terminal takes this process for one of those that it talks to.
fn is_in_foreground() -> bool {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name, which may contain anything: state, parent, group, session, terminal, its foreground group.
    let behind_name = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<_> = behind_name.split_whitespace().collect();
    matches!(fields[..], [_, _, group, _, _, foreground, ..] if group == foreground)
}
