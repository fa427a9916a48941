//! How processes of a node hand each other descriptors without a launcher that could.
//!
//! Each listens on a socket without a file, whose random name the others learn through the launcher. Who connects shows
//! the job's secret and gets the descriptors. All do both at once, so nobody waits for anybody in a circle.

use super::error::PmiError;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, accept_with, bind, connect, listen, socket_with,
};
use simurgh_net::control::{Channel, ControlError, FromHost, Hello, Secret, VERSION};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// Time in which those that have met through the launcher answer each other.
const PATIENCE: Duration = Duration::from_secs(30);

/// A socket on which a process gives out its descriptors.
pub(super) struct Door {
    socket: OwnedFd,
    /// Its name, from the kernel's random numbers.
    pub(super) name: Vec<u8>,
}

impl Door {
    pub(super) fn open() -> Result<Self, PmiError> {
        let name: String = Secret::random()?.as_bytes()[..16]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let name = format!("simurgh-{name}").into_bytes();
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
        bind(&socket, &SocketAddrUnix::new_abstract_name(&name)?)?;
        listen(&socket, 4096)?;
        Ok(Self { socket, name })
    }

    /// Gives what `own` has to as many neighbours as are named, and gets theirs, by rank.
    pub(super) fn exchange(
        &self,
        own: &Hello,
        descriptors: &[OwnedFd],
        neighbours: &[(u32, Vec<u8>)],
    ) -> Result<BTreeMap<u32, Vec<OwnedFd>>, PmiError> {
        let asked = neighbours.iter().map(|(rank, name)| ask(own, *rank, name));
        let asked: Vec<Channel> = asked.collect::<Result<_, _>>()?;
        let mut got = BTreeMap::new();
        let mut guests: Vec<Channel> = Vec::new();
        let (mut given, until) = (0, Instant::now() + PATIENCE);
        while given < neighbours.len() || got.len() < neighbours.len() {
            self.wait(&asked, &guests, until, neighbours)?;
            while let Ok(guest) = accept_with(&self.socket, SocketFlags::CLOEXEC) {
                guests.push(Channel::inherited(guest).map_err(io::Error::other)?);
            }
            // A guest that does not show the secret is sent away.
            guests.retain(|guest| match guest.said() {
                Ok(None) => true,
                Ok(Some(said)) if shows(&said.message, &own.secret) => {
                    let lent: Vec<BorrowedFd<'_>> = descriptors.iter().map(AsFd::as_fd).collect();
                    given += usize::from(guest.say(&FromHost::Hello(own.clone()), &lent).is_ok());
                    false
                }
                _ => false,
            });
            for (channel, (rank, _)) in asked.iter().zip(neighbours) {
                if !got.contains_key(rank) {
                    got.extend(answer(channel, *rank)?.map(|descriptors| (*rank, descriptors)));
                }
            }
        }
        Ok(got)
    }

    fn wait(
        &self,
        asked: &[Channel],
        guests: &[Channel],
        until: Instant,
        neighbours: &[(u32, Vec<u8>)],
    ) -> Result<(), PmiError> {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(PmiError::Neighbour {
                rank: neighbours[0].0,
                source: io::ErrorKind::TimedOut.into(),
            });
        }
        let channels = asked.iter().chain(guests).map(AsFd::as_fd);
        let all = std::iter::once(self.socket.as_fd()).chain(channels);
        let mut fds: Vec<_> = all
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
            .collect();
        // Those that have answered are closed at the other side, and would end each wait at once.
        let pause = Timespec::try_from(left.min(Duration::from_millis(100))).ok();
        match poll(&mut fds, pause.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Connects with a neighbour and shows the secret.
fn ask(own: &Hello, rank: u32, name: &[u8]) -> Result<Channel, PmiError> {
    let failed = |source: io::Error| PmiError::Neighbour { rank, source };
    let socket = socket_with(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC,
        None,
    )?;
    let address = SocketAddrUnix::new_abstract_name(name)?;
    rustix::io::retry_on_intr(|| connect(&socket, &address)).map_err(|error| failed(error.into()))?;
    let channel = Channel::inherited(socket).map_err(|error| failed(io::Error::other(error)))?;
    let hello = Hello {
        addresses: Vec::new(),
        ..own.clone()
    };
    let said = channel.say(&FromHost::Hello(hello), &[]);
    said.map_err(|error| failed(io::Error::other(error)))?;
    Ok(channel)
}

fn shows(message: &FromHost, secret: &Secret) -> bool {
    matches!(message, FromHost::Hello(hello) if hello.version == VERSION && hello.secret == *secret)
}

/// The descriptors of a neighbour, if it has answered.
fn answer(channel: &Channel, rank: u32) -> Result<Option<Vec<OwnedFd>>, PmiError> {
    match channel.said() {
        Ok(said) => Ok(said.map(|said| said.descriptors)),
        Err(error) => Err(PmiError::Neighbour {
            rank,
            source: match error {
                ControlError::Io(error) => error,
                error => io::Error::other(error),
            },
        }),
    }
}
