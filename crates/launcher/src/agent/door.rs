//! A port at which strangers may say who they are.

use super::Link;
use crate::supervise::Watched;
use rustix::event::PollFlags;
use serde::de::DeserializeOwned;
use std::io;
use std::net::{Ipv6Addr, SocketAddr, TcpListener};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// How many connections may be open without a word, and for how long.
const STRANGERS: usize = 64;
const PATIENCE: Duration = Duration::from_secs(10);

/// The port, and who has come and not spoken.
#[derive(Debug)]
pub(crate) struct Door {
    listener: TcpListener,
    strangers: Vec<(Link, Instant)>,
}

impl Door {
    /// Opens a port of the system's choice, at all addresses.
    pub(crate) fn open() -> io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)));
        let listener = listener.or_else(|_| TcpListener::bind("0.0.0.0:0"))?;
        listener.set_nonblocking(true)?;
        Ok(Self {
            listener,
            strangers: Vec::new(),
        })
    }

    /// The number of the port.
    pub(crate) fn port(&self) -> io::Result<u16> {
        self.listener.local_addr().map(|address| address.port())
    }

    fn has_room(&self) -> bool {
        self.strangers.len() < STRANGERS
    }

    /// Waits for strangers and their words.
    pub(crate) fn watch<'a>(&'a self, watched: &mut Watched<'a>) {
        if self.has_room() {
            watched.add(self.listener.as_fd(), PollFlags::IN);
        }
        for (link, _) in &self.strangers {
            watched.add(link.input(), PollFlags::IN);
        }
    }

    /// When somebody is to be sent away who has not spoken.
    pub(crate) fn wakes_at(&self) -> Option<Instant> {
        self.strangers.iter().map(|(_, since)| *since + PATIENCE).min()
    }

    /// Those who have spoken, with their first word. Who does not speak in time, or says something else, is sent away.
    pub(crate) fn welcome<M: DeserializeOwned>(&mut self) -> Vec<(Link, M)> {
        let mut come = Vec::new();
        for (mut link, since) in std::mem::take(&mut self.strangers) {
            match link.receive() {
                Ok(Some((word, _))) => come.push((link, word)),
                Ok(None) if since.elapsed() < PATIENCE => self.strangers.push((link, since)),
                _ => {}
            }
        }
        // What they say is heard in the next round; for whom there is no room waits outside.
        while self.has_room()
            && let Ok((stream, _)) = self.listener.accept()
        {
            if let Ok(link) = Link::over(stream, false) {
                self.strangers.push((link, Instant::now()));
            }
        }
        come
    }
}
