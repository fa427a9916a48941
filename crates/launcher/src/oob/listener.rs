//! A TCP port that admits only peers that know a secret.

use super::admission::AdmissionQueue;
use super::handshake::{Protocol, Responding};
use super::link::Link;
use crate::process::PollSet;
use rustix::event::PollFlags;
use serde::de::DeserializeOwned;
use simurgh_net::auth::Secret;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::os::fd::AsFd;
use std::time::Instant;

/// Most connections that are accepted before the others are attended to.
const BATCH: usize = 64;

/// The port, and the connections that are not handed on yet.
#[derive(Debug)]
pub(crate) struct Listener {
    protocol: Protocol,
    secret: Secret,
    /// One for each address; all have the same port.
    listeners: Vec<TcpListener>,
    unauthenticated: AdmissionQueue<(Link, Responding)>,
    /// Connections whose peers have proved that they know the secret, and not sent their first message.
    authenticated: Vec<Link>,
}

impl Listener {
    /// Opens a port of the system's choice at these addresses of the machine.
    ///
    /// # Errors
    ///
    /// When none of the addresses can be used.
    pub(crate) fn open(protocol: Protocol, secret: Secret, addresses: &[IpAddr]) -> io::Result<Self> {
        let mut listeners: Vec<TcpListener> = Vec::new();
        let mut failed = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in addresses {
            let port = listeners.first().map_or(Ok(0), port_of)?;
            // Some addresses of a machine may be unusable; one that works will do.
            match TcpListener::bind(SocketAddr::new(*address, port)) {
                Ok(listener) => listeners.push(listener),
                Err(error) => failed = error,
            }
        }
        if listeners.is_empty() {
            return Err(failed);
        }
        listeners
            .iter()
            .try_for_each(|listener| listener.set_nonblocking(true))?;
        Ok(Self {
            protocol,
            secret,
            listeners,
            unauthenticated: AdmissionQueue::default(),
            authenticated: Vec::new(),
        })
    }

    /// Opens a port at all addresses of the machine.
    pub(crate) fn open_everywhere(protocol: Protocol, secret: Secret) -> io::Result<Self> {
        let all = Self::open(protocol, secret.clone(), &[Ipv6Addr::UNSPECIFIED.into()]);
        all.or_else(|_| Self::open(protocol, secret, &[Ipv4Addr::UNSPECIFIED.into()]))
    }

    /// The number of the port.
    pub(crate) fn port(&self) -> io::Result<u16> {
        let listener = self.listeners.first().ok_or(io::ErrorKind::AddrNotAvailable)?;
        port_of(listener)
    }

    /// The addresses at which it listens.
    pub(crate) fn addresses(&self) -> io::Result<Vec<IpAddr>> {
        let addresses = self.listeners.iter().map(TcpListener::local_addr);
        addresses.map(|address| Ok(address?.ip())).collect()
    }

    /// Waits for connections, and for their messages.
    pub(crate) fn watch<'a>(&'a self, set: &mut PollSet<'a>) {
        for listener in &self.listeners {
            set.add(listener.as_fd(), PollFlags::IN);
        }
        let unauthenticated = self.unauthenticated.connections().map(|(link, _)| link);
        for link in unauthenticated.chain(&self.authenticated) {
            link.watch(set);
        }
    }

    /// When a connection will have taken too long.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.unauthenticated.next_deadline()
    }

    /// The connections whose peers have proved that they know the secret, each with its first message. Connections that
    /// prove nothing in time, or send something else, are closed.
    pub(crate) fn accept<M: DeserializeOwned>(&mut self) -> Vec<(Link, M)> {
        let now = Instant::now();
        let Self {
            protocol,
            secret,
            authenticated,
            ..
        } = self;
        self.unauthenticated.attend(now, |(mut link, mut responder)| {
            match responder.advance(&mut link, protocol, secret) {
                Ok(false) => return Some((link, responder)),
                Ok(true) => authenticated.push(link),
                Err(_) => {}
            }
            None
        });
        let mut accepted = Vec::new();
        for mut link in std::mem::take(&mut self.authenticated) {
            match link.receive() {
                Ok(Some((word, _))) => accepted.push((link, word)),
                Ok(None) => self.authenticated.push(link),
                Err(_) => {}
            }
        }
        self.accept_new(now);
        accepted
    }

    /// Accepts new connections. Their messages are received the next time.
    fn accept_new(&mut self, now: Instant) {
        for listener in &self.listeners {
            for _ in 0..BATCH {
                let Ok((stream, address)) = listener.accept() else {
                    break;
                };
                if let Ok(link) = Link::over(stream, false) {
                    let connection = (link, Responding::default());
                    self.unauthenticated.admit(connection, address.ip(), now);
                }
            }
        }
    }
}

fn port_of(listener: &TcpListener) -> io::Result<u16> {
    listener.local_addr().map(|address| address.port())
}
