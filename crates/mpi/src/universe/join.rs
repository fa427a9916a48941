//! Joining two processes over a socket (`MPI_Comm_join`).
//!
//! Over the socket they tell each other who they are; then they meet as two leaders do. If different launchers have
//! started them, the launchers have to bring them together first: one process opens a port and sends its name over the
//! socket, and both meet there. The socket is left as it was.

use super::spawn::ROOT;
use crate::comm::{Comm, Purpose, RemoteLeader};
use crate::error::{Error, ErrorClass, Result};
use crate::portable::{self, Portable, portable};
use crate::process::Process;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use simurgh_core::sync::{Arc, Ordering};
use std::os::fd::BorrowedFd;

/// The introduction that each process sends to the other.
struct Introduction {
    /// Identifies the kind and version of the message.
    magic: u64,
    universe: u64,
    process: u32,
    /// Distinguishes several sockets over which the same two processes join at the same time.
    number: u32,
}

portable! { Introduction { magic, universe, process, number } }

/// Letters, and the version of what follows.
const MAGIC: u64 = u64::from_le_bytes(*b"SimJoin\x02");
/// Most bytes of a value.
const LONGEST: u32 = 64 << 10;
/// Polls of the socket before the thread sleeps.
const SPINS: u32 = 100;
/// How long the thread then sleeps for the socket, before other execution contexts have their turn.
const SLEEP: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 200_000,
};

impl Process {
    /// The inter-communicator of this process with the one at the other end of a connected socket (`MPI_Comm_join`);
    /// `None` if that process belongs to another universe.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if the socket cannot be used, or what comes out of it is no introduction;
    /// [`ErrorClass::Port`] if the launchers of both do not bring them together.
    pub fn join(&self, socket: BorrowedFd<'_>) -> Result<Option<Arc<Comm>>> {
        let universe = self.job().universe();
        let name = self.job().worlds().launcher().map(|launcher| launcher.universe());
        let own = Introduction {
            magic: MAGIC,
            // Without a launcher the universe is this process alone.
            universe: name.unwrap_or_else(|| u64::from(std::process::id())),
            process: self.id(),
            number: universe.joins.fetch_add(1, Ordering::Relaxed) as u32,
        };
        send_value(socket, &own)?;
        let other: Introduction = recv_value(socket)?;
        if other.magic != MAGIC {
            return Err(not_an_introduction());
        }
        if other.universe != own.universe {
            return Ok(None);
        }
        let is_lower = own.process < other.process;
        if !self.job().layout().realm().has(other.process) {
            return self.join_other_realm(socket, is_lower).map(Some);
        }
        let (low, high) = match is_lower {
            true => (own.number, other.number),
            false => (other.number, own.number),
        };
        let remote_leader = || {
            Ok(RemoteLeader {
                other: other.process,
                purpose: Purpose::Joined(u64::from(low) << 32 | u64::from(high)),
            })
        };
        let alone = self.comm_self()?;
        let (shared, seat) = alone.local_group(ROOT).connect(0, remote_leader)?;
        Ok(Some(alone.child(shared, seat)))
    }
}

impl Process {
    /// Meets the process at the other end of the socket if another launcher has started it: at a port that one of the
    /// two opens.
    fn join_other_realm(&self, socket: BorrowedFd<'_>, opens: bool) -> Result<Arc<Comm>> {
        let alone = self.comm_self()?;
        if !opens {
            let port: Result<String> = recv_value(socket)?;
            return alone.connect_to(0, || Ok((port?, None)));
        }
        let port = self.open_port();
        let told = send_value(socket, &port);
        let port = port?;
        let joined = told.and_then(|()| alone.accept_at(0, || Ok(port.clone())));
        // A port that cannot be closed goes with this host.
        let _ = self.close_port(port);
        joined
    }
}

/// Sends a value: its length, and as many bytes.
fn send_value(socket: BorrowedFd<'_>, what: &impl Portable) -> Result<()> {
    let packed = portable::pack(what);
    let mut bytes = (packed.len() as u32).to_le_bytes().to_vec();
    bytes.extend(packed);
    send_all(socket, &bytes)
}

/// Receives a value.
fn recv_value<T: Portable>(socket: BorrowedFd<'_>) -> Result<T> {
    let mut length = [0; 4];
    fill(socket, &mut length)?;
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(not_an_introduction());
    }
    let mut packed = vec![0; length as usize];
    fill(socket, &mut packed)?;
    portable::unpack(&packed).ok_or_else(not_an_introduction)
}

/// Sends all bytes.
fn send_all(socket: BorrowedFd<'_>, mut bytes: &[u8]) -> Result<()> {
    let mut backoff = Backoff::default();
    while !bytes.is_empty() {
        match send(socket, bytes, SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
            Ok(sent) => bytes = &bytes[sent..],
            Err(Errno::AGAIN | Errno::INTR) => backoff.wait(socket, PollFlags::OUT),
            Err(error) => return Err(unusable(&error.to_string())),
        }
    }
    Ok(())
}

/// Receives so many bytes and no more.
fn fill(socket: BorrowedFd<'_>, bytes: &mut [u8]) -> Result<()> {
    let (mut there, mut backoff) = (0, Backoff::default());
    while there < bytes.len() {
        match recv(socket, &mut bytes[there..], RecvFlags::DONTWAIT) {
            Ok((0, _)) => return Err(unusable("the other end has been closed")),
            Ok((got, _)) => there += got,
            Err(Errno::AGAIN | Errno::INTR) => backoff.wait(socket, PollFlags::IN),
            Err(error) => return Err(unusable(&error.to_string())),
        }
    }
    Ok(())
}

/// Waits for a socket without keeping other execution contexts from running: the other end may be one of them.
#[derive(Default)]
struct Backoff(u32);

impl Backoff {
    fn wait(&mut self, socket: BorrowedFd<'_>, flags: PollFlags) {
        self.0 += 1;
        if self.0 > SPINS {
            // Whatever the outcome, the socket is polled again.
            let _ = poll(&mut [PollFd::from_borrowed_fd(socket, flags)], Some(&SLEEP));
        }
        simurgh_core::yield_now();
    }
}

#[cold]
fn not_an_introduction() -> Error {
    unusable("it brings something else than the other process' call of MPI_Comm_join")
}

#[cold]
fn unusable(why: &str) -> Error {
    Error::new(
        ErrorClass::Arg,
        format!("fd is no socket to another process that calls MPI_Comm_join: {why}"),
    )
}
