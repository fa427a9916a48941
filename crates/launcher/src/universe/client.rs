//! An `mpiexec`'s connection with its universe.

use super::dial::dial;
use super::error::UniverseError;
use super::file::Contact;
use super::message::{FromServer, ToServer, VERSION};
use crate::agent::{Link, LinkError};
use crate::supervise::{GRACE, Watched};
use rustix::event::PollFlags;
use simurgh_net::control::Secret;
use simurgh_net::job::Realm;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the file may take to appear, and the server to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// A universe that a job belongs to.
#[derive(Debug)]
pub(crate) struct Universe {
    file: PathBuf,
    secret: Secret,
    realm: Realm,
    shares: Vec<u32>,
    /// None if it is lost.
    wire: Option<Wire>,
}

/// What is heard from a universe.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum News {
    /// It says something.
    Said(FromServer),
    /// It is gone, and nothing will come of what has been asked: why, for the user. Said once.
    Lost(String),
}

/// The connection.
#[derive(Debug)]
struct Wire {
    link: Link,
    stream: TcpStream,
}

impl Universe {
    /// Makes a job of so many hosts belong to the universe of a file, which need not be there yet.
    ///
    /// # Errors
    ///
    /// When there is no universe, or it does not want the job.
    pub(crate) fn enroll(file: &Path, hosts: usize) -> Result<Self, UniverseError> {
        let contact = Contact::wait_for(file, PATIENCE)?;
        let until = Instant::now() + PATIENCE;
        let unreachable = |reason: String| UniverseError::Unreachable {
            file: file.to_path_buf(),
            reason,
        };
        let stream = dial(&contact.addresses, contact.port, until).map_err(unreachable)?;
        let mut wire = Wire::over(stream).map_err(|error| unreachable(error.to_string()))?;
        let enroll = ToServer::Enroll {
            version: VERSION,
            secret: contact.secret.clone(),
            hosts: u32::try_from(hosts).unwrap_or(u32::MAX),
        };
        wire.link.send(&enroll, &[]);
        match wire.wait(until).map_err(unreachable)? {
            FromServer::Enrolled { realm, shares } if shares.len() >= hosts => Ok(Self {
                file: file.to_path_buf(),
                secret: contact.secret,
                realm,
                shares,
                wire: Some(wire),
            }),
            FromServer::Refused { reason } => Err(UniverseError::Refused {
                file: file.to_path_buf(),
                reason,
            }),
            _ => Err(unreachable("somebody else answers".to_owned())),
        }
    }

    /// The upper part of the job's numbers.
    pub(crate) fn realm(&self) -> Realm {
        self.realm
    }

    /// What all hosts of the universe know, and so the job's secret.
    pub(crate) fn secret(&self) -> &Secret {
        &self.secret
    }

    /// The shares ([`Place::share`](simurgh_net::job::Place)) that the job's hosts may have, in ascending order: at
    /// first as many as it has hosts, then those of worlds that it starts.
    pub(crate) fn shares(&self) -> &[u32] {
        &self.shares
    }

    /// Whether it is still there.
    pub(crate) fn is_there(&self) -> bool {
        self.wire.is_some()
    }

    /// Waits for what it says, and for room for what it is told.
    pub(crate) fn watch<'a>(&'a self, watched: &mut Watched<'a>) {
        if let Some(wire) = &self.wire {
            wire.watch(watched);
        }
    }

    /// What it says next, if anything.
    pub(crate) fn hear(&mut self) -> Option<News> {
        let wire = self.wire.as_mut()?;
        wire.link.flush();
        match wire.link.receive() {
            Ok(message) => message.map(|(message, _)| News::Said(message)),
            Err(error) => {
                self.wire = None;
                Some(News::Lost(format!("{}: {}", self.file.display(), loss(&error))))
            }
        }
    }

    /// Tells it something, unless it is gone.
    pub(crate) fn tell(&mut self, message: &ToServer) {
        if let Some(wire) = &mut self.wire {
            wire.link.send(message, &[]);
        }
    }

    /// Tells it the last word, and waits a short time until it has heard that.
    pub(crate) fn leave(mut self, message: &ToServer) {
        self.tell(message);
        if let Some(wire) = self.wire {
            wire.end(Instant::now() + GRACE);
        }
    }
}

/// That a universe is lost, in words for the user.
fn loss(error: &LinkError) -> String {
    match error {
        LinkError::Closed => "the universe has ended".to_owned(),
        error => format!("the universe is lost: {error}"),
    }
}

impl Wire {
    fn over(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        let (input, output) = (stream.try_clone()?, stream.try_clone()?);
        let link = Link::new(input.into(), output.into(), true).map_err(io::Error::other)?;
        Ok(Self { link, stream })
    }

    fn watch<'a>(&'a self, watched: &mut Watched<'a>) {
        watched.add(self.link.input(), PollFlags::IN);
        if let Some(output) = self.link.waits_for() {
            watched.add(output, PollFlags::OUT);
        }
    }

    /// Waits for a message; what is wrong if none comes until then.
    fn wait(&mut self, until: Instant) -> Result<FromServer, String> {
        loop {
            self.link.flush();
            match self.link.receive() {
                Ok(Some((message, _))) => return Ok(message),
                Ok(None) if Instant::now() >= until => return Err("it does not answer".to_owned()),
                Ok(None) => {}
                Err(error) => return Err(error.to_string()),
            }
            let mut watched = Watched::default();
            self.watch(&mut watched);
            watched.wait(Some(until)).map_err(|error| error.to_string())?;
        }
    }

    /// Waits until what has been said is read, which the other side shows by closing the connection. Were it closed
    /// here while something is unread, that would be lost.
    fn end(mut self, until: Instant) {
        let mut is_shut = false;
        while Instant::now() < until {
            self.link.flush();
            if self.link.backlog() == 0 && !is_shut {
                let _ = self.stream.shutdown(Shutdown::Write);
                is_shut = true;
            }
            match self.link.receive::<FromServer>() {
                Ok(Some(_)) => continue,
                Ok(None) => {}
                Err(_) => return,
            }
            let mut watched = Watched::default();
            self.watch(&mut watched);
            if watched.wait(Some(until)).is_err() {
                return;
            }
        }
    }
}
