//! A connection over which frames pass: a pair of pipes, or a socket.
//!
//! A frame is a header, a JSON value, and bytes that belong to it, such as the output of ranks. After a handshake, an
//! authentication code follows ([`Authenticator`]). Nothing blocks: frames that find no room wait in the link. A sender
//! of much data asks first how much is waiting ([`Link::backlog`]).

use super::mac::{self, Authenticator};
use crate::process::PollSet;
use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::sockopt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};
use thiserror::Error;

/// The first bytes of a frame.
const MARK: [u8; 4] = *b"SMRG";

/// Bytes before the value: the mark, and the lengths of the value and of the bytes.
const HEADER: usize = 12;

/// Longest value: a job description, whose text may grow in JSON.
const MAX_JSON: usize = 4 * simurgh_net::job::MAX_BYTES;

/// Most bytes that come with a value.
pub(crate) const MAX_PAYLOAD: usize = 1 << 20;

/// Longest value from a peer that has not proved that it knows the secret. No bytes come with it.
const MAX_UNAUTHENTICATED: usize = 4 << 10;

/// How much is read at a time.
const CHUNK: usize = 64 << 10;

/// Most parts of what waits that are written by one call.
const TOGETHER: usize = 64;

/// The bytes of a frame, or of its authentication code.
pub(crate) type Frame = Arc<[u8]>;

/// Why a connection is of no use any more.
#[derive(Debug, Error)]
pub(crate) enum LinkError {
    /// The other side is gone.
    #[error("the connection is closed")]
    Closed,
    /// A system call has failed.
    #[error("the connection fails: {0}")]
    Io(io::Error),
    /// Something else writes to the connection.
    #[error("{0:?} came instead of a message: the startup files of the login shell must not print anything")]
    Noise(String),
    /// A frame does not come from the other end.
    #[error("a message on the connection was changed by somebody else")]
    Forged,
    /// A value cannot be understood.
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
    /// Bytes that have been received; those before `consumed` have been handed on.
    received: Vec<u8>,
    consumed: usize,
    /// What is to be sent; the first `written` bytes of it have been, so that `backlog` are left.
    outgoing: VecDeque<Frame>,
    written: usize,
    backlog: usize,
    closed: bool,
    trusted: bool,
    /// The authentication of frames, where others could write to the connection.
    authenticator: Option<Authenticator>,
}

impl Link {
    /// A link over two descriptors, which may be of one socket. Unless it is `trusted`, only short values are received.
    pub(crate) fn new(input: OwnedFd, output: OwnedFd, trusted: bool) -> Result<Self, LinkError> {
        for fd in [&input, &output] {
            let flags = rustix::fs::fcntl_getfl(fd)?;
            rustix::fs::fcntl_setfl(fd, flags | rustix::fs::OFlags::NONBLOCK)?;
        }
        Ok(Self {
            input,
            output,
            received: Vec::new(),
            consumed: 0,
            outgoing: VecDeque::new(),
            written: 0,
            backlog: 0,
            closed: false,
            trusted,
            authenticator: None,
        })
    }

    /// A link over a TCP connection.
    pub(crate) fn over(stream: TcpStream, trusted: bool) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        let other = stream.try_clone()?;
        Self::new(stream.into(), other.into(), trusted).map_err(io::Error::other)
    }

    /// Has the kernel close the TCP connection when the other machine shows no sign of life for `silence`, rounded up
    /// to seconds.
    ///
    /// The connection must be read more often than that: unread data looks the same to the kernel.
    pub(crate) fn set_peer_timeout(&self, silence: Duration) -> io::Result<()> {
        let step = (silence / 4).max(Duration::from_secs(1));
        sockopt::set_socket_keepalive(&self.input, true)?;
        sockopt::set_tcp_keepidle(&self.input, step)?;
        sockopt::set_tcp_keepintvl(&self.input, step)?;
        let milliseconds = u32::try_from(silence.as_millis()).unwrap_or(u32::MAX);
        sockopt::set_tcp_user_timeout(&self.input, milliseconds)?;
        Ok(())
    }

    /// Authenticates all frames from now on, on both ends, and receives long values.
    pub(super) fn protect(&mut self, authenticator: Authenticator) {
        self.authenticator = Some(authenticator);
        self.trusted = true;
    }

    /// The descriptor from which the link is read.
    pub(crate) fn input(&self) -> BorrowedFd<'_> {
        self.input.as_fd()
    }

    /// Waits for frames to come, and for room for those that wait.
    pub(crate) fn watch<'a>(&'a self, set: &mut PollSet<'a>) {
        set.add(self.input(), PollFlags::IN);
        self.watch_output(set);
    }

    /// Waits for room for frames, if some wait.
    pub(crate) fn watch_output<'a>(&'a self, set: &mut PollSet<'a>) {
        if self.backlog() > 0 {
            set.add(self.output.as_fd(), PollFlags::OUT);
        }
    }

    /// The number of bytes that wait.
    pub(crate) fn backlog(&self) -> usize {
        self.backlog
    }

    /// Sends a value with bytes, as soon as there is room. Receiving tells whether the other end is gone.
    pub(crate) fn send(&mut self, value: &impl Serialize, bytes: &[u8]) {
        self.send_frame(&Self::frame_of(value, bytes));
    }

    /// Sends a frame, which links share.
    pub(crate) fn send_frame(&mut self, frame: &Frame) {
        let code = self
            .authenticator
            .as_mut()
            .map(|authenticator| authenticator.code(frame));
        let code = code.map(|code| Frame::from(&code[..]));
        for part in std::iter::once(Arc::clone(frame)).chain(code) {
            self.backlog += part.len();
            self.outgoing.push_back(part);
        }
        self.flush();
    }

    /// A value and its bytes as a frame, without authentication.
    pub(crate) fn frame_of(value: &impl Serialize, bytes: &[u8]) -> Frame {
        let json = serde_json::to_vec(value).expect("messages have no map keys and no failing serializer");
        let length = |part: &[u8]| u32::try_from(part.len()).expect("frames are shorter than 4 GiB");
        let lengths = [&json[..], bytes].map(|part| length(part).to_le_bytes());
        [&MARK[..], &lengths[0], &lengths[1], &json, bytes]
            .concat()
            .into()
    }

    /// Writes as much as there is room for.
    pub(crate) fn flush(&mut self) {
        while self.backlog > 0 {
            let parts = self.outgoing.iter().take(TOGETHER).enumerate();
            let parts: Vec<_> = parts
                .map(|(index, part)| IoSlice::new(&part[if index == 0 { self.written } else { 0 }..]))
                .collect();
            match rustix::io::writev(&self.output, &parts) {
                Ok(written) => self.forget(written),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(_) => self.forget(self.backlog),
            }
        }
    }

    /// Forgets bytes that have been written.
    fn forget(&mut self, written: usize) {
        self.backlog -= written;
        self.written += written;
        while let Some(first) = self.outgoing.front().filter(|first| first.len() <= self.written) {
            self.written -= first.len();
            self.outgoing.pop_front();
        }
    }

    /// The next value and its bytes, if they are there.
    ///
    /// # Errors
    ///
    /// When the connection has ended, or something else has been received.
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
                Ok(read) => self.received.extend_from_slice(&chunk[..read]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits for a value, and writes frames meanwhile; none if none has come by `until`.
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

    /// Takes a frame out of the received bytes.
    fn frame<M: DeserializeOwned>(&mut self) -> Result<Option<(M, Vec<u8>)>, LinkError> {
        let received = &self.received[self.consumed..];
        let seen = received.len().min(MARK.len());
        if received[..seen] != MARK[..seen] {
            let line = received.split(|&byte| byte == b'\n').next().unwrap_or_default();
            let shown = &line[..line.len().min(100)];
            return Err(LinkError::Noise(String::from_utf8_lossy(shown).into_owned()));
        }
        let Some(header) = received.get(..HEADER) else {
            return Ok(None);
        };
        let length =
            |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let (json, bytes) = (length(4) as usize, length(8) as usize);
        let (most_json, most_bytes) = match self.trusted {
            true => (MAX_JSON, MAX_PAYLOAD),
            false => (MAX_UNAUTHENTICATED, 0),
        };
        if json > most_json || bytes > most_bytes {
            return Err(LinkError::Malformed(format!("{json} and {bytes} bytes long")));
        }
        let length = HEADER + json + bytes;
        let code = self.authenticator.as_ref().map_or(0, |_| mac::LENGTH);
        let Some(whole) = received.get(..length + code) else {
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
        self.consumed += whole.len();
        if self.consumed > CHUNK || self.consumed == self.received.len() {
            self.received.drain(..self.consumed);
            self.consumed = 0;
        }
        Ok(Some((value, bytes)))
    }
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
    fn unauthenticated_peers_send_little() {
        let (mut a, mut b) = pair();
        b.trusted = false;
        a.send(&"x".repeat(MAX_UNAUTHENTICATED), b"");
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
