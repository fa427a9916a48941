//! How an `mpiexec` connects to its universe.

use super::file::Contact;
use super::machine::machine;
use super::message::UNIVERSE_PROTOCOL;
use crate::error::UniverseError;
use crate::oob::connect_any;
use crate::oob::{HandshakeError, Link, LinkError};
use std::path::Path;
use std::time::{Duration, Instant};

/// The pause before another attempt, when the server has no room.
const STEP: Duration = Duration::from_millis(20);

/// Why there is no connection with a universe.
#[derive(Debug)]
pub(super) enum ConnectError {
    /// No server answers.
    Nobody(String),
    /// A server answers, but not as it should.
    Refused(String),
}

impl ConnectError {
    /// The error about the universe of a file.
    pub(super) fn of(self, file: &Path) -> UniverseError {
        let file = file.to_path_buf();
        match self {
            Self::Nobody(reason) => UniverseError::Unreachable { file, reason },
            Self::Refused(reason) => UniverseError::Unanswered { file, reason },
        }
    }
}

/// Connects to a universe, and authenticates both ends. Where another program answers, the other addresses are tried.
/// While the server has no room for new connections, the same addresses are tried again.
///
/// # Errors
///
/// When there is no such connection by `until`.
pub(super) fn connect(contact: &Contact, until: Instant) -> Result<Link, ConnectError> {
    let mut addresses = contact.addresses_from(&machine());
    let mut last = None;
    loop {
        let stream = match (connect_any(&addresses, contact.port, until), last) {
            (Ok(stream), _) => stream,
            (Err(_), Some(error)) => return Err(error),
            (Err(reason), None) => return Err(ConnectError::Nobody(reason)),
        };
        let whose = stream.peer_addr().map(|address| address.ip().to_canonical());
        let opened = Link::over(stream, false).map_err(|error| HandshakeError::Link(LinkError::Io(error)));
        let greeted = opened.and_then(|mut link| {
            UNIVERSE_PROTOCOL.authenticate(&mut link, &contact.secret, until)?;
            Ok(link)
        });
        last = match greeted {
            Ok(link) => return Ok(link),
            Err(HandshakeError::Link(LinkError::Closed)) if Instant::now() < until => {
                std::thread::sleep(STEP);
                Some(ConnectError::Refused(
                    "it has no room for callers, time after time".to_owned(),
                ))
            }
            Err(error) => {
                let Ok(whose) = whose else {
                    return Err(ConnectError::Refused(error.to_string()));
                };
                addresses.retain(|address| address.to_canonical() != whose);
                Some(ConnectError::Refused(format!(
                    "{whose}, port {}: {error}",
                    contact.port
                )))
            }
        };
    }
}
