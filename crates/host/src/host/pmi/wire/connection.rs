//! A connection to a server.

use crate::host::pmi::error::PmiError;
use rustix::io::Errno;
use simurgh_net::pmi::{Form, Message};
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
        let bytes = Message::new(form, words).encode();
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

    /// The next message of the server.
    pub(super) fn hear(&mut self, form: Form) -> Result<Message, PmiError> {
        loop {
            if let Some(message) = Message::take(form, &mut self.arrived)? {
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

    /// The next message of the server, which has to be the answer `command`.
    pub(super) fn answer(&mut self, form: Form, command: &str) -> Result<Message, PmiError> {
        let message = self.hear(form)?;
        if is_good(&message, command) {
            Ok(message)
        } else {
            Err(message.into())
        }
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Whether this is the answer `command`, and reports success.
pub(super) fn is_good(message: &Message, command: &str) -> bool {
    let refused = message.get("rc").is_some_and(|code| code != "0");
    let missing = ["found", "flag"].iter().any(|key| {
        message
            .get(key)
            .is_some_and(|found| found.eq_ignore_ascii_case("false"))
    });
    message.get("cmd").as_deref() == Some(command) && !refused && !missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_not_good() {
        for (text, good) in [
            ("cmd=x", true),
            ("cmd=x rc=0 found=TRUE", true),
            ("cmd=y", false),
            ("cmd=x rc=-1", false),
            ("cmd=x rc=0 flag=FALSE", false),
            ("", false),
        ] {
            let (form, text) = (Form::Line, text.to_owned());
            assert_eq!(
                is_good(
                    &Message {
                        form,
                        text: text.clone()
                    },
                    "x"
                ),
                good,
                "{text}"
            );
        }
    }
}
