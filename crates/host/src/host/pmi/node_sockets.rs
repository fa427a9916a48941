//! Sockets between the processes of a node. Over them the processes get the memory that they share, where no launcher
//! can hand it out.
//!
//! Each process listens on an abstract socket, whose random name the others learn through the launcher. The first
//! process of a node makes the memory. The others connect to it, show the job's secret and get the descriptor. When a
//! process is gone, anybody may take the name of its socket, which is no secret on the machine: so each end first asks
//! the kernel which user the other end belongs to.

use super::error::PmiError;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, accept_with, bind, connect, listen, socket_with,
    sockopt,
};
use simurgh_net::HostId;
use simurgh_net::auth::Secret;
use simurgh_net::control::{Channel, ControlError, EncodedMessage, FromHost, Hello, Received, VERSION};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// The time in which processes that the launcher has brought together answer each other.
const PATIENCE: Duration = Duration::from_secs(30);

/// The listening socket of a process.
pub(super) struct Listener {
    socket: OwnedFd,
    /// The name of the socket, made of random numbers.
    pub(super) name: Vec<u8>,
    /// Processes that have got the memory and have connected again, for another purpose.
    pub(super) early: Vec<(HostId, Channel)>,
}

impl Listener {
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
        Ok(Self {
            socket,
            name,
            early: Vec::new(),
        })
    }

    /// The connections that have arrived since the last call.
    pub(super) fn accept_all(&self) -> impl Iterator<Item = Channel> {
        let accepted = || accept_with(&self.socket, SocketFlags::CLOEXEC).ok();
        let own = std::iter::from_fn(accepted).filter(is_own_users);
        own.filter_map(|connection| Channel::inherited(connection).ok())
    }

    /// Sends `letter` to each of these neighbours. A neighbour that has it does not wait for the others: with some
    /// launchers a process leaves a fence before the last one has entered it.
    pub(super) fn give(
        &mut self,
        secret: &Secret,
        letter: &EncodedMessage,
        neighbours: &[u32],
    ) -> Result<(), PmiError> {
        let until = Instant::now() + PATIENCE;
        let (mut missing, mut connections) = (neighbours.to_vec(), Vec::new());
        while let Some(&first) = missing.first() {
            let late = || failed(first, io::ErrorKind::TimedOut.into());
            let own = std::iter::once(self.socket.as_fd());
            wait(own.chain(connections.iter().map(AsFd::as_fd)), until)?.ok_or_else(late)?;
            connections.extend(self.accept_all());
            let mut silent = Vec::new();
            for connection in connections {
                match connection.receive_from_host() {
                    Ok(None) => silent.push(connection),
                    Ok(Some(said)) => {
                        // A connection that does not show the secret is closed.
                        let Some(hello) = authenticated_hello(said.message, secret) else {
                            continue;
                        };
                        if !missing.contains(&hello.host) {
                            self.early.push((hello.host, connection));
                        } else if matches!(connection.try_send(letter), Ok(true)) {
                            missing.retain(|rank| *rank != hello.host);
                        }
                    }
                    Err(_) => {}
                }
            }
            connections = silent;
        }
        Ok(())
    }
}

/// Gets the memory that the process of `rank` has made for its neighbours. `name` is that of its listener, and `own` is
/// the rank that asks.
pub(super) fn request_memory(rank: u32, name: &[u8], secret: &Secret, own: u32) -> Result<OwnedFd, PmiError> {
    let channel = connect_to(name, secret, own).map_err(|source| failed(rank, source))?;
    let until = Instant::now() + PATIENCE;
    loop {
        match channel.receive_from_launcher() {
            Ok(Some(Received { mut descriptors, .. })) => {
                let memory = descriptors.pop();
                return memory.ok_or_else(|| failed(rank, io::ErrorKind::InvalidData.into()));
            }
            Ok(None) => {
                let late = || failed(rank, io::ErrorKind::TimedOut.into());
                wait([channel.as_fd()], until)?.ok_or_else(late)?;
            }
            Err(ControlError::Io(error)) => return Err(failed(rank, error)),
            Err(error) => return Err(failed(rank, io::Error::other(error))),
        }
    }
}

impl AsFd for Listener {
    /// Readable when there is a connection to accept.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Whether the process at the other end of a socket belongs to the same user.
fn is_own_users(socket: &OwnedFd) -> bool {
    let own = rustix::process::geteuid();
    sockopt::socket_peercred(socket).is_ok_and(|peer| peer.uid == own)
}

/// Connects to a neighbour, and sends a hello with the own number and the secret.
pub(super) fn connect_to(name: &[u8], secret: &Secret, host: HostId) -> io::Result<Channel> {
    let socket = socket_with(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC,
        None,
    )?;
    let address = SocketAddrUnix::new_abstract_name(name)?;
    rustix::io::retry_on_intr(|| connect(&socket, &address))?;
    if !is_own_users(&socket) {
        let whose = "another user has its socket";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, whose));
    }
    let channel = Channel::inherited(socket).map_err(io::Error::other)?;
    let hello = Hello {
        version: VERSION,
        secret: secret.clone(),
        host,
        addresses: Vec::new(),
    };
    channel.send(&FromHost::Hello(hello)).map_err(io::Error::other)?;
    Ok(channel)
}

fn failed(rank: u32, source: io::Error) -> PmiError {
    PmiError::Neighbour { rank, source }
}

/// Sleeps until there may be something to read; `None` when the time is over.
fn wait<'a>(fds: impl IntoIterator<Item = BorrowedFd<'a>>, until: Instant) -> Result<Option<()>, PmiError> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Ok(None);
    }
    let fds = fds.into_iter();
    let mut fds: Vec<_> = fds
        .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
        .collect();
    match poll(&mut fds, Timespec::try_from(left).ok().as_ref()) {
        Ok(_) | Err(Errno::INTR) => Ok(Some(())),
        Err(error) => Err(error.into()),
    }
}

/// The hello in `message`, if it shows the secret.
pub(super) fn authenticated_hello(message: FromHost, secret: &Secret) -> Option<Hello> {
    match message {
        FromHost::Hello(hello) => (hello.version == VERSION && hello.secret == *secret).then_some(hello),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_net::control::ToHost;
    use std::io::BufRead;
    use std::os::fd::AsRawFd;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};
    use std::sync::Arc;

    #[test]
    fn neighbours_get_what_the_first_has_made_and_strangers_do_not() {
        let (secret, wrong) = (Secret::random().unwrap(), Secret::random().unwrap());
        let mut listener = Listener::open().unwrap();
        let name = listener.name.clone();
        let memory = rustix::fs::memfd_create("test", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
        rustix::fs::ftruncate(&memory, 77).unwrap();
        let hosts = vec![0, 1, 2];
        let letter = EncodedMessage::with_descriptor(ToHost::Memory { hosts }, Some(Arc::new(memory)));
        std::thread::scope(|scope| {
            let stranger = scope.spawn(|| request_memory(0, &name, &wrong, 1));
            let connections = [1, 2].map(|own| {
                let (name, secret) = (&name, &secret);
                scope.spawn(move || request_memory(0, name, secret, own))
            });
            listener.give(&secret, &letter, &[1, 2]).unwrap();
            for connection in connections {
                let memory = connection.join().unwrap().unwrap();
                assert_eq!(
                    rustix::fs::fstat(&memory).unwrap().st_size,
                    77,
                    "{}",
                    memory.as_raw_fd()
                );
            }
            assert!(listener.early.is_empty());
            drop(listener);
            assert!(stranger.join().unwrap().is_err());
        });
    }

    /// Another user has taken the name, and waits for somebody who sends something there.
    #[test]
    fn nothing_is_said_to_the_process_of_another_user() {
        const NOBODY: u32 = 65534;
        const IMPOSTOR: &str = "import socket, sys\n\
            s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)\n\
            s.bind('\\0' + sys.argv[1]); s.listen()\n\
            print('up', flush=True)\n\
            print(len(s.accept()[0].recv(4096)), flush=True)";
        let name = format!("simurgh-test-{}", std::process::id());
        let mut impostor = Command::new("/usr/bin/python3");
        impostor
            .args(["-c", IMPOSTOR, &name])
            .uid(NOBODY)
            .stdout(Stdio::piped());
        let mut impostor = impostor.spawn().expect("root runs python as another user");
        let mut said = io::BufReader::new(impostor.stdout.take().unwrap()).lines();
        assert_eq!(said.next().unwrap().unwrap(), "up");
        let secret = Secret::random().unwrap();
        let refused = request_memory(0, name.as_bytes(), &secret, 1)
            .unwrap_err()
            .to_string();
        assert!(refused.contains("another user"), "{refused}");
        assert_eq!(said.next().unwrap().unwrap(), "0", "bytes that it has heard");
        impostor.wait().unwrap();
    }

    #[test]
    fn who_comes_back_before_the_last_has_come_is_kept() {
        let secret = Secret::random().unwrap();
        let mut listener = Listener::open().unwrap();
        let name = listener.name.clone();
        let memory = rustix::fs::memfd_create("test", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
        let letter =
            EncodedMessage::with_descriptor(ToHost::Memory { hosts: vec![0, 1, 2] }, Some(Arc::new(memory)));
        std::thread::scope(|scope| {
            let others = scope.spawn(|| {
                request_memory(0, &name, &secret, 2).unwrap();
                let back = connect_to(&name, &secret, 2).unwrap();
                request_memory(0, &name, &secret, 1).unwrap();
                back
            });
            listener.give(&secret, &letter, &[1, 2]).unwrap();
            let back = others.join().unwrap();
            assert_eq!(listener.early.len(), 1);
            assert_eq!(listener.early[0].0, 2);
            back.send(&FromHost::Met).unwrap();
            let said = listener.early[0].1.receive_from_host().unwrap();
            assert!(matches!(said.unwrap().message, FromHost::Met));
        });
    }
}
