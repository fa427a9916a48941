//! The socket over which a program that is linked with another MPI speaks PMI-1 with its launcher.

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Longest line.
const LONGEST: usize = 64 << 10;

/// The launcher's end.
pub(crate) struct PmiSocket {
    socket: OwnedFd,
    coming: Vec<u8>,
    going: Vec<u8>,
}

impl PmiSocket {
    /// Both ends.
    pub(crate) fn pair() -> rustix::io::Result<(Self, OwnedFd)> {
        let flags = SocketFlags::CLOEXEC;
        let (own, other) = socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        rustix::io::ioctl_fionbio(&own, true)?;
        let own = Self {
            socket: own,
            coming: Vec::new(),
            going: Vec::new(),
        };
        Ok((own, other))
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Whether it waits for room.
    pub(super) fn is_behind(&self) -> bool {
        !self.going.is_empty()
    }

    /// Says a line, as soon as there is room.
    pub(super) fn say(&mut self, line: &str) {
        self.going.extend_from_slice(line.as_bytes());
        self.going.push(b'\n');
        self.catch_up();
    }

    pub(super) fn catch_up(&mut self) {
        while !self.going.is_empty() {
            let sent = rustix::net::send(&self.socket, &self.going, rustix::net::SendFlags::NOSIGNAL);
            match sent {
                Ok(sent) => drop(self.going.drain(..sent)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // Nobody hears it: the end of the process says why.
                Err(_) => self.going.clear(),
            }
        }
    }

    /// A line, if one is there; an error when nothing more comes.
    pub(super) fn hear(&mut self) -> Result<Option<String>, Errno> {
        loop {
            if let Some(end) = self.coming.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.coming.drain(..=end).collect();
                return Ok(Some(String::from_utf8_lossy(&line[..end]).into_owned()));
            }
            let mut chunk = [0; 4096];
            match rustix::io::read(&self.socket, &mut chunk) {
                Ok(0) => return Err(Errno::PIPE),
                Ok(read) if self.coming.len() + read > LONGEST => return Err(Errno::MSGSIZE),
                Ok(read) => self.coming.extend_from_slice(&chunk[..read]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }
}
