//! Two processes that have a socket between them (`MPI_Comm_join`).
//!
//! Over the socket they tell each other who they are; then they meet as two leaders do. The socket is left as it was.

use super::spawn::ROOT;
use crate::comm::{Comm, Link, Purpose};
use crate::error::{Error, ErrorClass, Result};
use crate::portable::{self, portable};
use crate::process::Process;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use simurgh_core::sync::{Arc, Ordering};
use std::os::fd::BorrowedFd;

/// What each says to the other.
struct Introduction {
    /// Which kind of message it is.
    magic: u64,
    universe: u64,
    process: u32,
    /// Tells apart what the same two join by several sockets at a time.
    number: u32,
}

portable! { Introduction { magic, universe, process, number } }

/// Letters, and the version of what follows.
const MAGIC: u64 = u64::from_le_bytes(*b"SimJoin\x01");
/// Bytes of an introduction.
const LENGTH: usize = 24;
/// Looks at the socket for which others who could run are not held up at all.
const LOOKS: u32 = 100;
/// How long a thread waits for the socket then, before others have their turn.
const TURN: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 200_000,
};

impl Process {
    /// The inter-communicator of this process with the one at the other end of a connected socket (`MPI_Comm_join`);
    /// none if that one belongs to another universe.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if the socket cannot be used, or what comes out of it is no introduction.
    pub fn join(&self, socket: BorrowedFd<'_>) -> Result<Option<Arc<Comm>>> {
        let universe = self.job().universe();
        let name = universe.launcher.get().map(|launcher| launcher.universe());
        let own = Introduction {
            magic: MAGIC,
            // Without a launcher nobody else is there.
            universe: name.unwrap_or_else(|| u64::from(std::process::id())),
            process: self.id(),
            number: universe.joins.fetch_add(1, Ordering::Relaxed) as u32,
        };
        tell(socket, &portable::pack(&own))?;
        let other: Introduction = portable::unpack(&hear(socket)?)
            .filter(|other: &Introduction| other.magic == MAGIC)
            .ok_or_else(|| {
                unusable("it brings something else than the other process' call of MPI_Comm_join")
            })?;
        if other.universe != own.universe {
            return Ok(None);
        }
        let (low, high) = match own.process < other.process {
            true => (own.number, other.number),
            false => (other.number, own.number),
        };
        let link = || {
            Ok(Link {
                other: other.process,
                purpose: Purpose::Joined(u64::from(low) << 32 | u64::from(high)),
            })
        };
        let alone = self.comm_self()?;
        let (shared, seat) = alone.side(ROOT).meet_other(0, link)?;
        Ok(Some(alone.child(shared, seat)))
    }
}

/// Sends all of it.
fn tell(socket: BorrowedFd<'_>, mut bytes: &[u8]) -> Result<()> {
    let mut patience = Patience::default();
    while !bytes.is_empty() {
        match send(socket, bytes, SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
            Ok(sent) => bytes = &bytes[sent..],
            Err(Errno::AGAIN | Errno::INTR) => patience.wait(socket, PollFlags::OUT),
            Err(error) => return Err(unusable(&error.to_string())),
        }
    }
    Ok(())
}

/// Receives an introduction and nothing else.
fn hear(socket: BorrowedFd<'_>) -> Result<[u8; LENGTH]> {
    let (mut bytes, mut there, mut patience) = ([0; LENGTH], 0, Patience::default());
    while there < LENGTH {
        match recv(socket, &mut bytes[there..], RecvFlags::DONTWAIT) {
            Ok((0, _)) => return Err(unusable("the other end has been closed")),
            Ok((got, _)) => there += got,
            Err(Errno::AGAIN | Errno::INTR) => patience.wait(socket, PollFlags::IN),
            Err(error) => return Err(unusable(&error.to_string())),
        }
    }
    Ok(bytes)
}

/// Waits for a socket without keeping others from running: the other end may be one of them.
#[derive(Default)]
struct Patience(u32);

impl Patience {
    fn wait(&mut self, socket: BorrowedFd<'_>, flags: PollFlags) {
        self.0 += 1;
        if self.0 > LOOKS {
            // Whatever comes of it, the socket is looked at again.
            let _ = poll(&mut [PollFd::from_borrowed_fd(socket, flags)], Some(&TURN));
        }
        simurgh_core::yield_now();
    }
}

#[cold]
fn unusable(why: &str) -> Error {
    Error::new(
        ErrorClass::Arg,
        format!("fd is no socket to another process that calls MPI_Comm_join: {why}"),
    )
}
