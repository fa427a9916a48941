//! What wakes a host out of `poll(2)`: a socket whose name others find in its segment.
//!
//! Each host has one socket, with which it rings for any other, and which has a name from when on the host sleeps so
//! for the first time. The name is no file's, and goes with the socket. Who else finds it out can wake the host for
//! nothing, no more. Names are known within a network (as network namespaces go); who shares memory with hosts of
//! others has no bell, and looks now and then instead.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;

use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags, SocketType};

/// A host's socket.
pub(super) struct WakeupSocket {
    socket: OwnedFd,
    /// None within if it cannot have one.
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

    /// What others ring by, if it can be had.
    pub(super) fn name(&self) -> Option<[u64; 2]> {
        *self.name.get_or_init(|| {
            let name = random().ok()?;
            rustix::net::bind(&self.socket, &address(name).ok()?).ok()?;
            Some(name)
        })
    }

    /// Wakes the host whose bell has this name.
    pub(super) fn ring(&self, name: [u64; 2]) {
        if let Ok(address) = address(name) {
            // A bell that cannot be rung is one that has been rung often, or its host is gone.
            let _ = rustix::net::sendto(&self.socket, &[0], SendFlags::empty(), &address);
        }
    }

    /// Forgets that it has been rung.
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

/// The network of this process; that of nobody else if it cannot be told.
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
    fn who_is_rung_for_finds_it_until_it_is_quietened() {
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
            // More than its queue takes.
            (0..2000).for_each(|_| there.ring(name));
            assert!(is_ringing());
            here.drain();
        }
        drop(here);
        there.ring(name);
    }
}
