//! A connection between `mpiexec` and an agent, or between two agents: frames over a pair of pipes or a socket.
//!
//! A frame is a header, a JSON value, and bytes that belong to it (what ranks write); where both ends have shown that
//! they know a secret, its code ([`Authenticator`]) follows. Nothing blocks: what there is no room for waits here, and who
//! sends much asks first how much waits ([`Link::backlog`]).

use super::mac::{self, Authenticator};
use crate::process::PollSet;
use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::sockopt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};
use thiserror::Error;

/// What a frame begins with.
const MARK: [u8; 4] = *b"SMRG";

/// Bytes before the value: the mark, and the lengths of value and bytes.
const HEADER: usize = 12;

/// Longest value: a job description, whose text may grow in JSON.
const MOST_JSON: usize = 4 * simurgh_net::job::MAX_BYTES;

/// Most bytes that come with a value.
pub(crate) const MAX_PAYLOAD: usize = 1 << 20;

/// Longest value of somebody who has not shown that it knows the job's secret; no bytes come with it.
const MOST_OF_STRANGERS: usize = 4 << 10;

/// How much is read at a time.
const CHUNK: usize = 64 << 10;

/// Why a connection is of no use any more.
#[derive(Debug, Error)]
pub(crate) enum LinkError {
    /// The other side is gone.
    #[error("the connection is closed")]
    Closed,
    /// A system call has failed.
    #[error("the connection fails: {0}")]
    Io(io::Error),
    /// Something else writes there.
    #[error("{0:?} came instead of a message: what a login shell starts with must print nothing")]
    Noise(String),
    /// Somebody else has written to it.
    #[error("somebody has changed what is said on the connection")]
    Forged,
    /// A value makes no sense.
    #[error("a message is malformed ({0}): the nodes may have different installations")]
    Malformed(String),
}

impl From<Errno> for LinkError {
    fn from(error: Errno) -> Self {
        match error {
            Errno::PIPE | Errno::CONNRESET => Self::Closed,
            error => Self::Io(error.into()),
        }
    }
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Link {
    input: OwnedFd,
    output: OwnedFd,
    /// What has come and is not taken; what lies before `taken` is.
    coming: Vec<u8>,
    taken: usize,
    /// What has to go; what lies before `gone` is.
    going: Vec<u8>,
    gone: usize,
    closed: bool,
    trusted: bool,
    /// Shows whose frames there are, where anybody might have written them.
    authenticator: Option<Authenticator>,
}

impl Link {
    /// Over two descriptors, which may be of one socket. What strangers say is short.
    pub(crate) fn new(input: OwnedFd, output: OwnedFd, trusted: bool) -> Result<Self, LinkError> {
        for fd in [&input, &output] {
            let flags = rustix::fs::fcntl_getfl(fd)?;
            rustix::fs::fcntl_setfl(fd, flags | rustix::fs::OFlags::NONBLOCK)?;
        }
        Ok(Self {
            input,
            output,
            coming: Vec::new(),
            taken: 0,
            going: Vec::new(),
            gone: 0,
            closed: false,
            trusted,
            authenticator: None,
        })
    }

    /// Over a connection with another machine, or this one.
    pub(crate) fn over(stream: TcpStream, trusted: bool) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        let other = stream.try_clone()?;
        Self::new(stream.into(), other.into(), trusted).map_err(io::Error::other)
    }

    /// From now on the connection, which is one with a machine, is given up when that says nothing at all for a time,
    /// counted in seconds. It must not be left unread for so long: to the kernel that is the same.
    pub(crate) fn guard(&self, silence: Duration) -> io::Result<()> {
        let step = (silence / 4).max(Duration::from_secs(1));
        sockopt::set_socket_keepalive(&self.input, true)?;
        sockopt::set_tcp_keepidle(&self.input, step)?;
        sockopt::set_tcp_keepintvl(&self.input, step)?;
        let milliseconds = u32::try_from(silence.as_millis()).unwrap_or(u32::MAX);
        sockopt::set_tcp_user_timeout(&self.input, milliseconds)?;
        Ok(())
    }

    /// From now on both sides put authenticator behind what they say, which may be long.
    pub(super) fn protect(&mut self, authenticator: Authenticator) {
        self.authenticator = Some(authenticator);
        self.trusted = true;
    }

    /// Where it can be read.
    pub(crate) fn input(&self) -> BorrowedFd<'_> {
        self.input.as_fd()
    }

    /// Waits for what the other side says, and for room for what it is told.
    pub(crate) fn watch<'a>(&'a self, set: &mut PollSet<'a>) {
        set.add(self.input(), PollFlags::IN);
        self.watch_output(set);
    }

    /// Waits for room for what the other side is told, if something waits for that.
    pub(crate) fn watch_output<'a>(&'a self, set: &mut PollSet<'a>) {
        if self.backlog() > 0 {
            set.add(self.output.as_fd(), PollFlags::OUT);
        }
    }

    /// How many bytes wait.
    pub(crate) fn backlog(&self) -> usize {
        self.going.len() - self.gone
    }

    /// Sends a value with bytes, as soon as there is room. That the other side is gone is learnt by receiving.
    pub(crate) fn send(&mut self, value: &impl Serialize, bytes: &[u8]) {
        let start = self.going.len();
        put(&mut self.going, value, bytes);
        if let Some(authenticator) = &mut self.authenticator {
            let code = authenticator.code(&self.going[start..]);
            self.going.extend_from_slice(&code);
        }
        self.flush();
    }

    /// A value as it goes over a connection.
    pub(crate) fn frame_of(value: &impl Serialize) -> Vec<u8> {
        let mut frame = Vec::new();
        put(&mut frame, value, &[]);
        frame
    }

    /// Writes what there is room for.
    pub(crate) fn flush(&mut self) {
        while self.backlog() > 0 {
            match rustix::io::write(&self.output, &self.going[self.gone..]) {
                Ok(written) => self.gone += written,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(_) => {
                    self.gone = self.going.len();
                    break;
                }
            }
        }
        if self.gone == self.going.len() || self.gone > CHUNK {
            self.going.drain(..self.gone);
            self.gone = 0;
        }
    }

    /// The next value and its bytes, if they are there.
    pub(crate) fn receive<M: DeserializeOwned>(&mut self) -> Result<Option<(M, Vec<u8>)>, LinkError> {
        loop {
            if let Some(frame) = self.frame()? {
                return Ok(Some(frame));
            }
            if self.closed {
                return Err(LinkError::Closed);
            }
            let mut chunk = [0; CHUNK];
            match rustix::io::read(&self.input, &mut chunk) {
                Ok(0) => self.closed = true,
                Ok(read) => self.coming.extend_from_slice(&chunk[..read]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits for a value and says meanwhile what there is to say; none if none has come until then.
    pub(crate) fn wait<M: DeserializeOwned>(
        &mut self,
        until: Option<Instant>,
    ) -> Result<Option<M>, LinkError> {
        loop {
            self.flush();
            if let Some((message, _)) = self.receive()? {
                return Ok(Some(message));
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                return Ok(None);
            }
            let mut set = PollSet::default();
            self.watch(&mut set);
            set.wait(until)?;
        }
    }

    /// Takes a frame out of what has come.
    fn frame<M: DeserializeOwned>(&mut self) -> Result<Option<(M, Vec<u8>)>, LinkError> {
        let coming = &self.coming[self.taken..];
        let seen = coming.len().min(MARK.len());
        if coming[..seen] != MARK[..seen] {
            let line = coming.split(|&byte| byte == b'\n').next().unwrap_or_default();
            let shown = &line[..line.len().min(100)];
            return Err(LinkError::Noise(String::from_utf8_lossy(shown).into_owned()));
        }
        let Some(header) = coming.get(..HEADER) else {
            return Ok(None);
        };
        let length =
            |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let (json, bytes) = (length(4) as usize, length(8) as usize);
        let (most_json, most_bytes) = match self.trusted {
            true => (MOST_JSON, MAX_PAYLOAD),
            false => (MOST_OF_STRANGERS, 0),
        };
        if json > most_json || bytes > most_bytes {
            return Err(LinkError::Malformed(format!("{json} and {bytes} bytes long")));
        }
        let length = HEADER + json + bytes;
        let code = self.authenticator.as_ref().map_or(0, |_| mac::LENGTH);
        let Some(whole) = coming.get(..length + code) else {
            return Ok(None);
        };
        let (frame, code) = whole.split_at(length);
        if let Some(authenticator) = &mut self.authenticator
            && !authenticator.accepts(frame, code)
        {
            return Err(LinkError::Forged);
        }
        let (json, bytes) = frame[HEADER..].split_at(json);
        let value = serde_json::from_slice(json).map_err(|error| LinkError::Malformed(error.to_string()))?;
        let bytes = bytes.to_vec();
        self.taken += whole.len();
        if self.taken > CHUNK || self.taken == self.coming.len() {
            self.coming.drain(..self.taken);
            self.taken = 0;
        }
        Ok(Some((value, bytes)))
    }
}

/// Appends a frame.
fn put(frames: &mut Vec<u8>, value: &impl Serialize, bytes: &[u8]) {
    let json = serde_json::to_vec(value).expect("messages have no map keys and no failing serializer");
    frames.extend_from_slice(&MARK);
    for length in [json.len(), bytes.len()] {
        let length = u32::try_from(length).expect("frames are shorter than 4 GiB");
        frames.extend_from_slice(&length.to_le_bytes());
    }
    frames.extend_from_slice(&json);
    frames.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::os::unix::net::UnixStream;

    fn pair() -> (Link, Link) {
        let (a, b) = UnixStream::pair().unwrap();
        let link = |stream: UnixStream| {
            let other = stream.try_clone().unwrap();
            Link::new(stream.into(), other.into(), true).unwrap()
        };
        (link(a), link(b))
    }

    #[test]
    fn values_and_bytes_arrive_in_order_whatever_their_size() {
        let (mut a, mut b) = pair();
        let long = "x".repeat(3 << 20);
        a.send(&long, &[7; 1000]);
        a.send(&"short", b"");
        assert!(a.backlog() > 0);
        let mut got = Vec::new();
        while got.len() < 2 {
            a.flush();
            got.extend(b.receive::<String>().unwrap());
        }
        assert_eq!(got, [(long, vec![7; 1000]), ("short".to_owned(), Vec::new())]);
        drop(a);
        assert!(matches!(b.receive::<String>(), Err(LinkError::Closed)));
    }

    #[test]
    fn what_a_login_shell_prints_is_shown() {
        let (a, mut b) = pair();
        rustix::io::write(&a.output, b"Welcome to a\nmore").unwrap();
        let error = b.receive::<String>().unwrap_err().to_string();
        assert!(error.starts_with("\"Welcome to a\" came instead"), "{error}");
    }

    #[test]
    fn strangers_say_little() {
        let (mut a, mut b) = pair();
        b.trusted = false;
        a.send(&"x".repeat(MOST_OF_STRANGERS), b"");
        assert!(matches!(b.receive::<String>(), Err(LinkError::Malformed(_))));
    }

    proptest! {
        #[test]
        fn any_bytes_give_a_result(bytes in proptest::collection::vec(any::<u8>(), 1..64), marked in any::<bool>()) {
            let (a, mut b) = pair();
            if marked {
                rustix::io::write(&a.output, &MARK).unwrap();
            }
            rustix::io::write(&a.output, &bytes).unwrap();
            let _ = b.receive::<crate::tree::message::Up>();
        }
    }
}
