//! The server of a universe: the process that jobs of several `mpiexec`s have in common.
//!
//! One thread sleeps until a connection or a message comes, and lets the [`registry`] decide. The server has no part in
//! the messages between ranks.

mod member;
mod providers;
mod registry;
mod shares;
mod stage;
mod termination;
#[cfg(test)]
mod tests;
mod wire_up;

use super::file::{Contact, Written};
use super::machine::machine;
use super::message::{FromServer, ToServer, UNIVERSE_PROTOCOL, VERSION};
use crate::error::{LaunchError, UniverseError};
use crate::oob::{self, Link, LinkError, Listener};
use crate::process::{PollSet, Signals};
use registry::{ProtocolError, Registry};
use rustix::event::PollFlags;
use simurgh_net::auth::Secret;
use simurgh_net::job::Realm;
use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Instant;

/// Serves a universe that is found by a file, until a signal ends it; then the file is removed. The server listens at
/// the named interface, or else at the one that leads to other machines.
///
/// # Errors
///
/// When the file exists already or cannot be written, or there is no network, or no such interface.
pub fn serve(file: &Path, interface: Option<&str>) -> Result<(), LaunchError> {
    // Before the file is there, so that a signal does not leave it behind.
    let mut signals = Signals::listen()?;
    let (mut server, _written) = Server::open(file, interface)?;
    loop {
        server.sleep(&signals)?;
        if signals.pending().any(|(_, fatal)| fatal) {
            return Ok(());
        }
        server.work();
    }
}

/// The server.
struct Server {
    listener: Listener,
    links: BTreeMap<Realm, Link>,
    registry: Registry,
}

impl Server {
    /// Starts a server, and writes the file by which it is found.
    fn open(file: &Path, interface: Option<&str>) -> Result<(Self, Written), LaunchError> {
        let secret = Secret::random().map_err(LaunchError::Supervise)?;
        let addresses = oob::listening_addresses(interface)?;
        let listener =
            Listener::open(UNIVERSE_PROTOCOL, secret.clone(), &addresses).map_err(UniverseError::Listen)?;
        let contact = Contact {
            version: VERSION,
            machine: machine(),
            addresses: listener.addresses().map_err(UniverseError::Listen)?,
            port: listener.port().map_err(UniverseError::Listen)?,
            secret,
        };
        let written = Written::new(file, &contact)?;
        let server = Self {
            listener,
            links: BTreeMap::new(),
            registry: Registry::new(),
        };
        Ok((server, written))
    }

    /// Sleeps until there is something to do, or `other` is readable.
    fn sleep(&self, other: &impl AsFd) -> Result<(), LaunchError> {
        let mut set = PollSet::default();
        set.add(other.as_fd(), PollFlags::IN);
        self.listener.watch(&mut set);
        for link in self.links.values() {
            link.watch(&mut set);
        }
        let times = [self.listener.next_deadline(), self.registry.next_deadline()];
        set.wait(times.into_iter().flatten().min())
            .map_err(|error| LaunchError::Supervise(error.into()))
    }

    /// Handles all connections and messages that have come.
    fn work(&mut self) {
        for (link, word) in self.listener.accept() {
            self.admit(link, word);
        }
        let realms: Vec<Realm> = self.links.keys().copied().collect();
        for realm in realms {
            self.receive_from(realm);
            self.deliver();
        }
        self.registry.expire(Instant::now());
        self.links.retain(|&realm, _| self.registry.has(realm));
        self.deliver();
    }

    /// Handles the first message of a peer that has proved that it knows the secret.
    fn admit(&mut self, mut link: Link, word: ToServer) {
        let ToServer::Enroll { hosts, silence } = word else {
            return;
        };
        match self.registry.enroll(hosts) {
            Ok((realm, shares)) => {
                if let Some(silence) = silence {
                    let _ = link.set_peer_timeout(silence);
                }
                link.send(&FromServer::Enrolled { realm, shares }, &[]);
                self.links.insert(realm, link);
            }
            Err(reason) => link.send(&FromServer::Refused { reason }, &[]),
        }
    }

    /// Handles all messages of a member.
    fn receive_from(&mut self, realm: Realm) {
        while let Some(link) = self.links.get_mut(&realm) {
            link.flush();
            match link.receive() {
                Ok(Some((message, _))) => self.handle(realm, message),
                Ok(None) => return,
                Err(error) => {
                    let message = match error {
                        LinkError::Closed => "its mpiexec is gone".to_owned(),
                        error => format!("its mpiexec is lost: {error}"),
                    };
                    self.registry.leave(realm, Some(message));
                }
            }
            if !self.registry.has(realm) {
                self.links.remove(&realm);
            }
        }
    }

    fn handle(&mut self, realm: Realm, message: ToServer) {
        if let Err(ProtocolError(what)) = self.registry.handle(realm, message) {
            let message = format!("its mpiexec says {what}");
            self.registry.leave(realm, Some(message));
        }
    }

    /// Sends the messages that the registry has for members.
    fn deliver(&mut self) {
        for (realm, message) in self.registry.outbox() {
            if let Some(link) = self.links.get_mut(&realm) {
                link.send(&message, &[]);
            }
        }
    }
}
