//! A connection with a server.

use super::message::{Form, Message};
use crate::host::pmi::error::PmiError;
use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// A stream of messages either way.
pub(super) struct Connection {
    socket: OwnedFd,
    arrived: Vec<u8>,
}

impl Connection {
    pub(super) fn over(socket: OwnedFd) -> Self {
        Self {
            socket,
            arrived: Vec::new(),
        }
    }

    pub(super) fn say(&mut self, form: Form, words: &[(&str, String)]) -> Result<(), PmiError> {
        let bytes = form.encode(words);
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            match rustix::io::write(&self.socket, rest) {
                Ok(written) => rest = &rest[written..],
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// What the server says next.
    pub(super) fn hear(&mut self, form: Form) -> Result<Message, PmiError> {
        loop {
            if let Some(message) = form.take(&mut self.arrived)? {
                return Ok(message);
            }
            let mut chunk = [0; 4096];
            match rustix::io::read(&self.socket, &mut chunk) {
                Ok(0) => return Err(PmiError::Gone),
                Ok(read) => self.arrived.extend_from_slice(&chunk[..read]),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// What the server says next, which is to be the answer `command`.
    pub(super) fn answer(&mut self, form: Form, command: &str) -> Result<Message, PmiError> {
        let message = self.hear(form)?;
        if message.is_good(command) {
            Ok(message)
        } else {
            Err(message.strange())
        }
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
