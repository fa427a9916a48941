//! The input of rank 0, if that is on another node.

use crate::process::PollSet;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::IsTerminal;
use std::os::fd::AsFd;

/// Most that is read at a time.
const CHUNK: usize = 64 << 10;

/// The standard input of `mpiexec`.
pub(super) struct Input {
    /// Whether rank 0 has taken what was read last. Only then more is read: a slow reader holds up the writer, as with
    /// a pipe.
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

    /// Rank 0 has taken what was read last.
    pub(super) fn is_taken(&mut self) {
        self.taken = true;
    }

    /// Reads what there is; empty at the end, none if there is nothing to read now.
    pub(super) fn read(&mut self) -> Option<Vec<u8>> {
        let mut ready = [PollFd::from_borrowed_fd(rustix::stdio::stdin(), PollFlags::IN)];
        if !self.is_wanted() || poll(&mut ready, Some(&Timespec::default())) != Ok(1) {
            return None;
        }
        let mut bytes = vec![0; CHUNK];
        let read = match rustix::io::read(rustix::stdio::stdin().as_fd(), &mut bytes) {
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => return None,
            // Input that cannot be read counts as empty.
            read => read.unwrap_or(0),
        };
        bytes.truncate(read);
        (self.taken, self.ended) = (false, read == 0);
        Some(bytes)
    }

    /// Whether the input may be read now. A terminal stops a process that reads it in the background.
    fn is_wanted(&self) -> bool {
        self.taken && !self.ended && (!std::io::stdin().is_terminal() || is_in_foreground())
    }
}

/// Whether this process is in the foreground of its terminal.
fn is_in_foreground() -> bool {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The fields after the name, which may contain anything: state, parent, group, session, terminal, foreground group.
    let behind_name = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<_> = behind_name.split_whitespace().collect();
    matches!(fields[..], [_, _, group, _, _, foreground, ..] if group == foreground)
}
