//! The output of a host: whole lines out of a pipe.

use crate::oob::{Link, MAX_PAYLOAD};
use crate::tree::message::Up;
use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// How much is read at a time.
const CHUNK: usize = 64 << 10;

/// Longest incomplete line that is held back.
const LONGEST: usize = MAX_PAYLOAD - CHUNK;

/// One stream of a host's output.
pub(super) struct Lines {
    pipe: Option<OwnedFd>,
    error: bool,
    /// The beginning of each line.
    tag: String,
    pending: Vec<u8>,
}

impl Lines {
    /// The lines from a pipe, each with a tag. `error` says whether it is the standard error.
    pub(super) fn new(pipe: OwnedFd, error: bool, tag: String) -> rustix::io::Result<Self> {
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(Self {
            pipe: Some(pipe),
            error,
            tag,
            pending: Vec::new(),
        })
    }

    /// The pipe, while it is open.
    pub(super) fn pipe(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Sends up the complete lines that can be read; false if nothing could be read.
    pub(super) fn forward(&mut self, link: &mut Link) -> bool {
        let Some(pipe) = &self.pipe else { return false };
        let mut chunk = [0; CHUNK];
        match rustix::io::read(pipe, &mut chunk) {
            Ok(0) => self.close(link),
            Ok(read) => {
                self.pending.extend_from_slice(&chunk[..read]);
                let newline = self.pending.iter().rposition(|&byte| byte == b'\n');
                let complete = newline.map_or(0, |newline| newline + 1);
                let end = if self.pending.len() > LONGEST {
                    self.pending.len()
                } else {
                    complete
                };
                self.send(end, link);
                return true;
            }
            Err(Errno::INTR) => return true,
            Err(Errno::AGAIN) => {}
            Err(_) => self.close(link),
        }
        false
    }

    /// Sends up all that is left after the end of the host. Processes that the host has started may still write, but
    /// nobody reads that.
    pub(super) fn finish(&mut self, link: &mut Link) {
        while self.forward(link) {}
        self.close(link);
    }

    fn close(&mut self, link: &mut Link) {
        self.pipe = None;
        self.send(self.pending.len(), link);
    }

    fn send(&mut self, end: usize, link: &mut Link) {
        if end == 0 {
            return;
        }
        let text: Vec<u8> = self.pending.drain(..end).collect();
        let message = Up::Output { error: self.error };
        if self.tag.is_empty() {
            return link.send(&message, &text);
        }
        let mut tagged = Vec::new();
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            tagged.extend_from_slice(self.tag.as_bytes());
            tagged.extend_from_slice(line);
        }
        // With tags, every line is complete.
        if !tagged.ends_with(b"\n") {
            tagged.push(b'\n');
        }
        tagged
            .chunks(MAX_PAYLOAD)
            .for_each(|part| link.send(&message, part));
    }
}
