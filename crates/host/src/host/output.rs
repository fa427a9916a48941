//! The output of ranks: lines stay whole.
//!
//! Each rank has a buffer for its incomplete line. Complete lines go out with one `write` under a lock that all ranks
//! share, so that lines never mix. A line of another rank waits as long as this `write` takes: if nobody reads the
//! output, the ranks that write wait, as processes would. The hosts of a node share another lock, that of a file, which
//! the kernel releases if its holder is killed.
//!
//! A rank with an output file of its own writes into it at once, and nothing is held back. The file is opened for each
//! `write`, since a job may have more ranks than a process may have open files.
//!
//! Output that cannot be written (the disk is full, the reader is gone) is lost. The rank whose `write` or `fflush`
//! fails learns the reason. A line that was held back is lost after the rank has been told that all is well; so the
//! user is told of a loss as well, once for all ranks, and the job does not end with status 0.

use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;
use simurgh_core::sync::{AtomicBool, Ordering};
use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The longest incomplete line that is held back, in bytes.
const MAX_PENDING: usize = 64 << 10;

/// The number of attempts to lock a buffer at the end of the job. A buffer that stays locked is given up.
const PATIENCE: usize = 1000;

/// Held while complete lines go out.
static WRITING: Mutex<()> = Mutex::new(());

/// Whether output of ranks has been lost.
static LOST: AtomicBool = AtomicBool::new(false);

/// The lock file of the node's hosts, held while complete lines go out; not set if there is one host.
static SHARED: OnceLock<OwnedFd> = OnceLock::new();

/// Makes hosts that are given the same file take turns with their output.
pub(super) fn share(file: &OwnedFd) -> io::Result<()> {
    // A lock belongs to an open file description, and each host needs its own.
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    let own = rustix::fs::open(own, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    // This is called once.
    let _ = SHARED.set(own);
    Ok(())
}

/// A standard stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Error,
}

impl Stream {
    fn fd(self) -> BorrowedFd<'static> {
        match self {
            Self::Out => rustix::stdio::stdout(),
            Self::Error => rustix::stdio::stderr(),
        }
    }
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Out => "standard output",
            Self::Error => "standard error",
        })
    }
}

/// One rank's output to one stream.
#[derive(Debug)]
pub(super) struct LineBuffer {
    stream: Stream,
    /// The rank's own file, which replaces the stream.
    file: Option<PathBuf>,
    /// The text before each line.
    tag: String,
    /// Whether incomplete lines go out at once, as prompts on a terminal must.
    prompts: bool,
    pending: Mutex<Vec<u8>>,
}

impl LineBuffer {
    pub(super) fn new(stream: Stream, tag: String, prompts: bool) -> Self {
        Self {
            stream,
            file: None,
            tag,
            prompts,
            pending: Mutex::new(Vec::new()),
        }
    }

    /// A buffer for a file, which exists.
    pub(super) fn into_file(file: PathBuf) -> Self {
        Self {
            file: Some(file),
            ..Self::new(Stream::Out, String::new(), false)
        }
    }

    /// Takes bytes that the rank has written, and writes out complete lines.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), Errno> {
        if let Some(file) = &self.file {
            return add_to(file, bytes).map_err(|error| lose(&file.display(), &error));
        }
        let mut pending = lock(&self.pending);
        let end = match bytes.iter().rposition(|&b| b == b'\n') {
            _ if self.prompts => bytes.len(),
            Some(newline) => newline + 1,
            None if pending.len() + bytes.len() > MAX_PENDING => bytes.len(),
            None => 0,
        };
        let passed_on = match end {
            0 => Ok(()),
            _ => self.pass_on(&mut pending, &bytes[..end]),
        };
        pending.extend_from_slice(&bytes[end..]);
        passed_on
    }

    /// Writes out an incomplete line, since nothing more will come: as it is, or with a line end if lines are tagged.
    pub(super) fn finish(&self) -> Result<(), Errno> {
        let end: &[u8] = if self.tag.is_empty() { b"" } else { b"\n" };
        self.finish_locked(&mut lock(&self.pending), end)
    }

    /// As [`finish`](Self::finish), where the job ends before its ranks. The incomplete lines of several ranks get a
    /// line each. The buffer that a crashed rank was using is left alone.
    pub(super) fn finish_if_possible(&self) {
        for _ in 0..PATIENCE {
            if let Ok(mut pending) = self.pending.try_lock() {
                // The user has been told of a loss.
                let _ = self.finish_locked(&mut pending, b"\n");
                return;
            }
            std::thread::yield_now();
        }
    }

    fn finish_locked(&self, pending: &mut Vec<u8>, end: &[u8]) -> Result<(), Errno> {
        match pending.is_empty() {
            true => Ok(()),
            false => self.pass_on(pending, end),
        }
    }

    /// Writes the pending bytes and then `bytes`.
    fn pass_on(&self, pending: &mut Vec<u8>, bytes: &[u8]) -> Result<(), Errno> {
        let written = if pending.is_empty() && self.tag.is_empty() {
            write_all(self.stream.fd(), bytes)
        } else {
            pending.extend_from_slice(bytes);
            let written = match self.tag.is_empty() {
                true => write_all(self.stream.fd(), pending),
                false => write_all(self.stream.fd(), &tagged(pending, &self.tag)),
            };
            pending.clear();
            written
        };
        written.map_err(|error| lose(&self.stream, &error.into()))
    }
}

/// Appends to a file.
fn add_to(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(bytes)
}

/// Notes that output for `place` is lost, and tells the user the first time. The returned error is for the rank.
fn lose(place: &dyn fmt::Display, error: &io::Error) -> Errno {
    // Release pairs with the Acquire in `is_lost`.
    if !LOST.swap(true, Ordering::Release) && is_first_of_node() {
        say(&format!("{place}: {error}; what ranks write is lost"));
    }
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

/// Whether no other host of the node has lost output before. The first one marks the file that they share.
fn is_first_of_node() -> bool {
    let Some(file) = SHARED.get() else { return true };
    let _writing = lock(&WRITING);
    // If locking or marking fails, another host may print the same message.
    let _ = rustix::io::retry_on_intr(|| flock(file, FlockOperation::LockExclusive));
    let is_first = rustix::fs::fstat(file).is_ok_and(|file| file.st_size == 0);
    if is_first {
        let _ = rustix::fs::ftruncate(file, 1);
    }
    let _ = flock(file, FlockOperation::Unlock);
    is_first
}

/// Whether output of ranks has been lost.
pub(super) fn is_lost() -> bool {
    // Acquire pairs with the Release in `lose`.
    LOST.load(Ordering::Acquire)
}

/// The lines, each with the tag before it.
fn tagged(lines: &[u8], tag: &str) -> Vec<u8> {
    let mut text = Vec::with_capacity(lines.len() + lines.len() / 8 + tag.len());
    for line in lines.split_inclusive(|&b| b == b'\n') {
        text.extend_from_slice(tag.as_bytes());
        text.extend_from_slice(line);
    }
    text
}

/// Writes all bytes while nobody else writes.
fn write_all(fd: BorrowedFd<'_>, bytes: &[u8]) -> Result<(), Errno> {
    let _writing = lock(&WRITING);
    let turn = SHARED.get();
    if let Some(file) = turn {
        // If locking fails, lines may mix, but none is lost.
        let _ = rustix::io::retry_on_intr(|| flock(file, FlockOperation::LockExclusive));
    }
    let written = write_locked(fd, bytes);
    if let Some(file) = turn {
        let _ = flock(file, FlockOperation::Unlock);
    }
    written
}

fn write_locked(fd: BorrowedFd<'_>, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match rustix::io::write(fd, bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => wait_writable(fd),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Sleeps until a non-blocking descriptor can be written to.
fn wait_writable(fd: BorrowedFd<'_>) {
    let mut writable = [rustix::event::PollFd::from_borrowed_fd(
        fd,
        rustix::event::PollFlags::OUT,
    )];
    // An interrupted wait is repeated by the caller.
    let _ = rustix::event::poll(&mut writable, None);
}

/// Prints a message of the runtime: one `write` to the standard error.
pub fn say(message: &str) {
    // If this fails, nobody can be told.
    let _ = write_all(Stream::Error.fd(), format!("simurgh: {message}\n").as_bytes());
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_tagged() {
        assert_eq!(tagged(b"a\nb\nc", "[3] "), b"[3] a\n[3] b\n[3] c");
        assert_eq!(tagged(b"", "[3] "), b"");
    }

    #[test]
    fn an_incomplete_line_waits() {
        let buffer = LineBuffer::new(Stream::Out, String::new(), false);
        buffer.write(b"no line end").unwrap();
        buffer.write(b" yet").unwrap();
        assert_eq!(*lock(&buffer.pending), b"no line end yet");
        buffer.write(b"\n").unwrap();
        assert!(lock(&buffer.pending).is_empty());
    }
}
