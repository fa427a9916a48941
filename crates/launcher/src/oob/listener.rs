//! A port at which those are let in who show that they know a secret.

use super::Link;
use super::Protocol;
use super::admission::Places;
use super::handshake::Answering;
use crate::process::PollSet;
use rustix::event::PollFlags;
use serde::de::DeserializeOwned;
use simurgh_net::auth::Secret;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::os::fd::AsFd;
use std::time::Instant;

/// Most callers that are taken up before others are looked after again.
const ROUND: usize = 64;

/// The port, and who has come.
#[derive(Debug)]
pub(crate) struct Listener {
    protocol: Protocol,
    secret: Secret,
    /// One for each address; all have the same port.
    listeners: Vec<TcpListener>,
    strangers: Places<(Link, Answering)>,
    /// Who has shown that it knows the secret, and has not said its first word.
    known: Vec<Link>,
}

impl Listener {
    /// Opens a port of the system's choice at these addresses of the machine, for those who speak a protocol.
    pub(crate) fn open(protocol: Protocol, secret: Secret, addresses: &[IpAddr]) -> io::Result<Self> {
        let mut listeners: Vec<TcpListener> = Vec::new();
        let mut failed = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in addresses {
            let port = listeners.first().map_or(Ok(0), port_of)?;
            // The machine may have addresses that cannot be used; one that can will do.
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
            strangers: Places::default(),
            known: Vec::new(),
        })
    }

    /// The same at all addresses of the machine.
    pub(crate) fn open_everywhere(protocol: Protocol, secret: Secret) -> io::Result<Self> {
        let all = Self::open(protocol, secret.clone(), &[Ipv6Addr::UNSPECIFIED.into()]);
        all.or_else(|_| Self::open(protocol, secret, &[Ipv4Addr::UNSPECIFIED.into()]))
    }

    /// The number of the port.
    pub(crate) fn port(&self) -> io::Result<u16> {
        let listener = self.listeners.first().ok_or(io::ErrorKind::AddrNotAvailable)?;
        port_of(listener)
    }

    /// Where it is.
    pub(crate) fn addresses(&self) -> io::Result<Vec<IpAddr>> {
        let addresses = self.listeners.iter().map(TcpListener::local_addr);
        addresses.map(|address| Ok(address?.ip())).collect()
    }

    /// Waits for strangers and their words.
    pub(crate) fn watch<'a>(&'a self, set: &mut PollSet<'a>) {
        for listener in &self.listeners {
            set.add(listener.as_fd(), PollFlags::IN);
        }
        let strangers = self.strangers.guests().map(|(link, _)| link);
        for link in strangers.chain(&self.known) {
            link.watch(set);
        }
    }

    /// When somebody is to be sent away who has said nothing.
    pub(crate) fn wakes_at(&self) -> Option<Instant> {
        self.strangers.wakes_at()
    }

    /// Those who have shown that they know the secret, with their first word. Who does not in time, or says something
    /// else, is sent away.
    pub(crate) fn welcome<M: DeserializeOwned>(&mut self) -> Vec<(Link, M)> {
        let now = Instant::now();
        let Self {
            protocol,
            secret,
            known,
            ..
        } = self;
        self.strangers.look_after(now, |(mut link, mut answering)| {
            match answering.go_on(&mut link, protocol, secret) {
                Ok(false) => return Some((link, answering)),
                Ok(true) => known.push(link),
                Err(_) => {}
            }
            None
        });
        let mut come = Vec::new();
        for mut link in std::mem::take(&mut self.known) {
            match link.receive() {
                Ok(Some((word, _))) => come.push((link, word)),
                Ok(None) => self.known.push(link),
                Err(_) => {}
            }
        }
        self.let_in(now);
        come
    }

    /// Takes up those who have called. What they say is heard in the next round.
    fn let_in(&mut self, now: Instant) {
        for listener in &self.listeners {
            for _ in 0..ROUND {
                let Ok((stream, address)) = listener.accept() else {
                    break;
                };
                if let Ok(link) = Link::over(stream, false) {
                    let guest = (link, Answering::default());
                    self.strangers.offer(guest, address.ip(), now);
                }
            }
        }
    }
}

fn port_of(listener: &TcpListener) -> io::Result<u16> {
    listener.local_addr().map(|address| address.port())
}
