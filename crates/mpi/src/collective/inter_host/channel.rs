//! The messages between hosts in one collective.
//!
//! Every message begins with a word that says in which call its sender is: the call's fingerprint. So hosts in
//! different calls notice it with their first message; and a host that cannot go on tells all others. A short message
//! is word and data in one. Long data follows its word in a message of its own, straight from buffer to buffer.
//!
//! Costs: a message of the transport for up to [`TOGETHER`] bytes, two for more; a copy at each end of a short one.

use super::super::call::Call;
use super::transport::{Pending, Transport};
use crate::error::{Error, ErrorClass, Result};
use crate::limits::TOGETHER;
use crate::memory::{Source, StagingBuffer, Target, bytes_of, transfer};

/// The channel between this host and the others in one collective.
pub(in crate::collective) struct Channel<'a, W> {
    transport: &'a W,
    call: Call,
    /// Number of ranks, from which the calls of other hosts are recognised.
    ranks: usize,
}

/// Bytes of the word before a message.
pub(super) const WORD: usize = 8;

/// The bit of a word that says that data follows in a message of its own; no fingerprint has it.
const FOLLOWS: u64 = 1 << 63;

/// A message that is being sent, with the memory that it needs.
pub(super) struct Sending<P> {
    word: P,
    data: Option<P>,
    _memory: StagingBuffer,
}

impl<P: Pending> Sending<P> {
    pub(super) fn wait(self) -> Result<()> {
        self.word.wait()?;
        self.data.map_or(Ok(0), P::wait).map(drop)
    }
}

impl<'a, W: Transport> Channel<'a, W> {
    /// The channel for a call of so many ranks.
    pub(in crate::collective) fn new(transport: &'a W, call: Call, ranks: usize) -> Self {
        Self {
            transport,
            call,
            ranks,
        }
    }

    /// The channel for the same call over another transport: that of a slice.
    pub(super) fn about<'b>(&self, transport: &'b W) -> Channel<'b, W> {
        Channel { transport, ..*self }
    }

    pub(super) fn transport(&self) -> &'a W {
        self.transport
    }

    /// Number of hosts.
    pub(super) fn hosts(&self) -> usize {
        self.transport.hosts()
    }

    /// The position of this host.
    pub(super) fn own(&self) -> usize {
        self.transport.own()
    }

    /// The other hosts, beginning behind this one, so that not all hosts begin with the same.
    pub(super) fn others(&self) -> impl Iterator<Item = usize> + use<W> {
        let (hosts, own) = (self.hosts(), self.own());
        (1..hosts).map(move |step| (own + step) % hosts)
    }

    /// Begins to send data.
    pub(super) fn start_send(&self, to: usize, source: &Source) -> Sending<W::Pending> {
        let fingerprint = self.call.fingerprint();
        let bytes = source.bytes();
        if bytes > TOGETHER {
            let sending = self.start_word(to, fingerprint | FOLLOWS, &bytes_of(&[]));
            return Sending {
                data: Some(self.transport.start_send(to, source)),
                ..sending
            };
        }
        self.start_word(to, fingerprint, source)
    }

    /// Begins to send a word and short data behind it.
    fn start_word(&self, to: usize, word: u64, data: &Source) -> Sending<W::Pending> {
        let length = WORD + data.bytes();
        let memory = StagingBuffer::new(length);
        transfer(&bytes_of(&word.to_le_bytes()), &memory.target(0, WORD));
        transfer(data, &memory.target(WORD, data.bytes()));
        Sending {
            word: self.transport.start_send(to, &memory.source(0, length)),
            data: None,
            _memory: memory,
        }
    }

    /// Sends data.
    pub(super) fn send(&self, to: usize, source: &Source) -> Result<()> {
        self.start_send(to, source).wait()
    }

    /// Waits until all messages have been sent, also if one of them fails.
    pub(super) fn finish(&self, sent: Vec<Sending<W::Pending>>) -> Result<()> {
        let outcomes: Vec<Result<()>> = sent.into_iter().map(|sending| sending.wait()).collect();
        outcomes.into_iter().collect()
    }

    /// Receives data that fills `target`.
    ///
    /// # Errors
    ///
    /// When the other host is in another call, has failed, or sends another amount of data.
    pub(super) fn recv(&self, from: usize, target: &Target) -> Result<()> {
        let data = self.transport.recv_bytes(from)?;
        let expected = target.bytes();
        if self.check(&data)? {
            // The data has to be received whatever its length is, because the sender waits for that.
            return check_amount(self.transport.start_recv(from, target).wait()?, expected);
        }
        check_amount(data.len() - WORD, expected)?;
        transfer(&bytes_of(&data[WORD..]), target);
        Ok(())
    }

    /// Sends to one host while it receives from another.
    pub(super) fn exchange(&self, to: usize, source: &Source, from: usize, target: &Target) -> Result<()> {
        let sending = self.start_send(to, source);
        let received = self.recv(from, target);
        // The send has to end before its memory may be freed.
        let sent = sending.wait();
        received.and(sent)
    }

    /// Begins to send data of which the other host knows, without a word before it.
    pub(super) fn start_send_raw(&self, to: usize, source: &Source) -> Sending<W::Pending> {
        Sending {
            word: self.transport.start_send(to, source),
            data: None,
            _memory: StagingBuffer::new(0),
        }
    }

    /// Begins to receive data that is sent by [`Channel::start_send_raw`].
    pub(super) fn start_recv_raw(&self, from: usize, target: &Target) -> W::Pending {
        self.transport.start_recv(from, target)
    }

    /// Begins to send data whose length the receiver does not know.
    pub(super) fn start_send_unsized(&self, to: usize, data: &Source) -> Sending<W::Pending> {
        self.start_word(to, self.call.fingerprint(), data)
    }

    /// Receives data whose length is not known.
    pub(super) fn recv_unsized(&self, from: usize) -> Result<Received> {
        let data = self.transport.recv_bytes(from)?;
        self.check(&data)?;
        Ok(Received(data))
    }

    /// Tells all other hosts that this one has failed. Those that have not finished fail for the same reason, so that
    /// none waits for ever.
    pub(in crate::collective) fn fail(&self, fault: &Error) {
        self.transport.abort(fault);
    }

    /// Checks the word of a message: returns whether the data follows, or an error if the sender is in another call.
    fn check(&self, data: &[u8]) -> Result<bool> {
        let word = data.first_chunk().ok_or_else(malformed)?;
        let word = u64::from_le_bytes(*word);
        let fingerprint = word & !FOLLOWS;
        match word {
            _ if fingerprint == self.call.fingerprint() => Ok(fingerprint != word),
            _ => Err(self.another(fingerprint)),
        }
    }

    #[cold]
    fn another(&self, fingerprint: u64) -> Error {
        let call = Call::from_fingerprint(fingerprint, self.ranks);
        let theirs = call.map_or_else(|| "another collective".to_owned(), |call| call.to_string());
        Error::new(
            ErrorClass::Other,
            format!(
                "ranks of this host call {}, those of another {theirs}: all ranks must make the same call",
                self.call
            ),
        )
    }
}

/// Data of unknown length that has been received from another host.
pub(super) struct Received(Vec<u8>);

impl Received {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0[WORD..]
    }
}

pub(super) fn check_amount(came: usize, expected: usize) -> Result<()> {
    if came == expected {
        return Ok(());
    }
    Err(Error::new(
        ErrorClass::Truncate,
        format!(
            "{came} bytes came from another host where {expected} were expected: make counts and datatypes agree \
             among all ranks"
        ),
    ))
}

/// The error of malformed data from another host.
#[cold]
pub(super) fn malformed() -> Error {
    Error::new(
        ErrorClass::Intern,
        "what another host has sent in a collective makes no sense; run the same version of Simurgh everywhere",
    )
}
