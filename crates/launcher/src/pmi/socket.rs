//! The socket over which a program of another MPI speaks PMI with its launcher.

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use simurgh_net::pmi::Message;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// The launcher's end.
pub(crate) struct PmiSocket {
    socket: OwnedFd,
    coming: Vec<u8>,
    going: Vec<u8>,
}

impl PmiSocket {
    /// A pair of ends: the launcher's, and the program's.
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

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Whether messages wait for room.
    pub(crate) fn is_behind(&self) -> bool {
        !self.going.is_empty()
    }

    /// Sends a message, as soon as there is room.
    pub(crate) fn send(&mut self, message: &Message) {
        self.going.extend(message.encode());
        self.flush();
    }

    pub(crate) fn flush(&mut self) {
        while !self.going.is_empty() {
            let sent = rustix::net::send(&self.socket, &self.going, rustix::net::SendFlags::NOSIGNAL);
            match sent {
                Ok(sent) => drop(self.going.drain(..sent)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // Nobody reads it. The end of the process will say why.
                Err(_) => self.going.clear(),
            }
        }
    }

    /// The next message, if one is there.
    ///
    /// # Errors
    ///
    /// When the socket has ended, or something else has been received.
    pub(crate) fn receive(&mut self) -> Result<Option<Message>, Errno> {
        loop {
            match Message::take_any(&mut self.coming) {
                Ok(Some(message)) => return Ok(Some(message)),
                Ok(None) => {}
                Err(_) => return Err(Errno::BADMSG),
            }
            let mut chunk = [0; 4096];
            match rustix::io::read(&self.socket, &mut chunk) {
                Ok(0) => return Err(Errno::PIPE),
                Ok(read) => self.coming.extend_from_slice(&chunk[..read]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }
}
