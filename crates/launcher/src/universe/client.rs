//! The connection of an `mpiexec` with its universe.

use super::connect::{ConnectError, connect};
use super::file::Contact;
use super::message::{FromServer, ToServer};
use crate::error::UniverseError;
use crate::oob::{Link, LinkError};
use crate::process::{GRACE, PollSet};
use simurgh_net::auth::Secret;
use simurgh_net::job::Realm;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the file may take to appear, and the server to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The universe to which a job belongs.
#[derive(Debug)]
pub(crate) struct Universe {
    file: PathBuf,
    secret: Secret,
    realm: Realm,
    shares: Vec<u32>,
    /// The connection; none if it is lost.
    link: Option<Link>,
}

/// An event of a universe.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum UniverseEvent {
    /// A message from it.
    Said(FromServer),
    /// It is lost, with the reason for the user. This event comes once; nothing that has been asked will be answered.
    Lost(String),
}

impl Universe {
    /// Enrolls a job of so many hosts with the universe of a file, which need not exist yet. If one of the two machines
    /// shows no sign of life for `silence`, the universe is lost to the job, and the job to the universe.
    ///
    /// # Errors
    ///
    /// When there is no universe, or it refuses the job.
    pub(crate) fn enroll(
        file: &Path,
        hosts: usize,
        silence: Option<Duration>,
    ) -> Result<Self, UniverseError> {
        let contact = Contact::wait_for(file, PATIENCE)?;
        let until = Instant::now() + PATIENCE;
        let failed = |reason: ConnectError| reason.of(file);
        let mut link = connect(&contact, until).map_err(failed)?;
        if let Some(silence) = silence {
            // Without this, the kernel takes longer to notice a loss.
            let _ = link.set_peer_timeout(silence);
        }
        let enroll = ToServer::Enroll {
            hosts: u32::try_from(hosts).unwrap_or(u32::MAX),
            silence,
        };
        link.send(&enroll, &[]);
        match link
            .wait(Some(until))
            .map_err(|error| failed(ConnectError::Refused(error.to_string())))?
        {
            Some(FromServer::Enrolled { realm, shares }) if shares.len() >= hosts => Ok(Self {
                file: file.to_path_buf(),
                secret: contact.secret,
                realm,
                shares,
                link: Some(link),
            }),
            Some(FromServer::Refused { reason }) => Err(UniverseError::Refused {
                file: file.to_path_buf(),
                reason,
            }),
            Some(_) => Err(failed(ConnectError::Refused("it says something else".to_owned()))),
            None => Err(failed(ConnectError::Refused("it does not answer".to_owned()))),
        }
    }

    /// The realm: the upper part of the job's numbers.
    pub(crate) fn realm(&self) -> Realm {
        self.realm
    }

    /// The secret of the universe, and so of the job.
    pub(crate) fn secret(&self) -> &Secret {
        &self.secret
    }

    /// The shares ([`Place::share`](simurgh_net::job::Place)) for the job's hosts, in ascending order: as many as it
    /// has hosts at first, and then those for spawned worlds.
    pub(crate) fn shares(&self) -> &[u32] {
        &self.shares
    }

    /// Waits for messages, and for room for those that wait.
    pub(crate) fn watch<'a>(&'a self, set: &mut PollSet<'a>) {
        if let Some(link) = &self.link {
            link.watch(set);
        }
    }

    /// The next event, if there is one.
    pub(crate) fn next_event(&mut self) -> Option<UniverseEvent> {
        let link = self.link.as_mut()?;
        link.flush();
        match link.receive() {
            Ok(message) => message.map(|(message, _)| UniverseEvent::Said(message)),
            Err(error) => {
                self.link = None;
                Some(UniverseEvent::Lost(format!(
                    "{}: {}",
                    self.file.display(),
                    loss(&error)
                )))
            }
        }
    }

    /// Sends it a message, unless it is lost.
    pub(crate) fn send(&mut self, message: &ToServer) {
        if let Some(link) = &mut self.link {
            link.send(message, &[]);
        }
    }

    /// Sends it the last message, and waits a short time until it has read that and closes the connection. If this end
    /// closed it while messages are unread here, the last message would be lost.
    pub(crate) fn leave(mut self, message: &ToServer) {
        self.send(message);
        if let Some(mut link) = self.link {
            let until = Instant::now() + GRACE;
            while Instant::now() < until && link.wait::<FromServer>(Some(until)).is_ok() {}
        }
    }
}

/// The loss of a universe, in words for the user.
fn loss(error: &LinkError) -> String {
    match error {
        LinkError::Closed => "the universe has ended, or has given this job up".to_owned(),
        error => format!("the universe is lost: {error}"),
    }
}
