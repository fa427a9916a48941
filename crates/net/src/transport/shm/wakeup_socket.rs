//! The socket through which a host is woken out of `poll(2)`.
//!
//! Each host has one datagram socket. It wakes others by sending to theirs, and it is woken through its own, which gets
//! a name before the host first sleeps in `poll(2)`. The name is published in the host's segment. It is an abstract
//! name, not a file, and goes with the socket. Another process that finds it out can wake the host for nothing, but no
//! more.
//!
//! Abstract names are valid within a network namespace. A host that shares an arena with hosts of other namespaces has
//! no wait object for `poll(2)`; it looks for packets now and then instead.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;

use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags, SocketType};

/// A host's socket.
pub(super) struct WakeupSocket {
    socket: OwnedFd,
    /// Set when the name is first asked for; `Some(None)` if the socket could not get one.
    name: OnceLock<Option<[u64; 2]>>,
}

impl WakeupSocket {
    pub(super) fn new() -> Result<Self, Errno> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::DGRAM, flags, None)?;
        Ok(Self {
            socket,
            name: OnceLock::new(),
        })
    }

    /// The name under which others reach the socket, if it can get one.
    pub(super) fn name(&self) -> Option<[u64; 2]> {
        *self.name.get_or_init(|| {
            let name = random().ok()?;
            rustix::net::bind(&self.socket, &address(name).ok()?).ok()?;
            Some(name)
        })
    }

    /// Wakes the host whose socket has this name.
    pub(super) fn ring(&self, name: [u64; 2]) {
        if let Ok(address) = address(name) {
            // It fails if the socket is full, and so readable, or its host is gone.
            let _ = rustix::net::sendto(&self.socket, &[0], SendFlags::empty(), &address);
        }
    }

    /// Takes the wake-ups that have come, so that the socket is no longer readable.
    pub(super) fn drain(&self) {
        while rustix::net::recv(&self.socket, &mut [0; 1], RecvFlags::empty()).is_ok() {}
    }
}

impl AsFd for WakeupSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn random() -> Result<[u64; 2], Errno> {
    let mut bytes = [[0; 8]; 2];
    rustix::rand::getrandom(bytes.as_flattened_mut(), rustix::rand::GetRandomFlags::empty())?;
    Ok(bytes.map(u64::from_ne_bytes))
}

fn address([first, second]: [u64; 2]) -> Result<SocketAddrUnix, Errno> {
    SocketAddrUnix::new_abstract_name(format!("simurgh-{first:016x}{second:016x}").as_bytes())
}

/// The network namespace of this process; a number that no other process has if it is not known.
pub(super) fn network_namespace() -> u64 {
    match rustix::fs::stat("/proc/self/ns/net") {
        Ok(network) => network.st_ino,
        Err(_) => u64::from(std::process::id()) << 32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_readable_from_a_wake_up_until_it_is_drained() {
        let (here, there) = (
            WakeupSocket::new().expect("a socket"),
            WakeupSocket::new().expect("a socket"),
        );
        let name = here.name().expect("a name");
        assert_eq!(here.name(), Some(name));
        let is_ringing = || {
            let mut fds = [rustix::event::PollFd::new(&here, rustix::event::PollFlags::IN)];
            rustix::event::poll(&mut fds, Some(&rustix::event::Timespec::default())) == Ok(1)
        };
        for _ in 0..3 {
            assert!(!is_ringing());
            // More wake-ups than its queue takes.
            (0..2000).for_each(|_| there.ring(name));
            assert!(is_ringing());
            here.drain();
        }
        drop(here);
        there.ring(name);
    }
}
