//! Sending to a process of another host.

use super::BlockingCall;
use super::send::{Mode, Sent, Started};
use crate::comm::Comm;
use crate::endpoint::Handle;
use crate::error::Result;
use crate::instrument;
use crate::matching::{Envelope, Place};
use crate::memory::Source;
use crate::network::{OutgoingMessage, SendData};
use crate::request::Waiter;
use simurgh_core::{Purpose, PurposeGuard};

/// A blocking send to another process of the node is eager up to so many times the eager limit,
const ALWAYS: usize = 2;
/// and up to so many times where it is complete sooner then: the sender could not compute while the receiver asks for
/// the message.
const IF_SOONER: usize = 64;

/// What the caller does while a message is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caller {
    /// It waits until the send is complete.
    Waits,
    /// It goes on.
    GoesOn,
}

/// Where a message to another host is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RemoteSend {
    /// Its data waits here for a clear to send.
    Waiting(Handle),
    /// It has been sent, with this number among the messages to its host.
    Sent(u32),
    /// It has never been sent.
    Nowhere,
}

impl RemoteSend {
    /// As a place, which a request keeps.
    fn place(self) -> Place {
        let (index, sequence) = match self {
            Self::Waiting(handle) => (0, handle.0),
            Self::Sent(number) => (1, u64::from(number)),
            Self::Nowhere => return Place::NOWHERE,
        };
        Place { index, sequence }
    }

    /// Where the message is of which a request keeps this place.
    pub(crate) fn at(place: Place) -> Self {
        match (place.index, place.sequence) {
            (_, u64::MAX) => Self::Nowhere,
            (0, handle) => Self::Waiting(Handle(handle)),
            (_, number) => Self::Sent(number as u32),
        }
    }
}

impl Comm {
    /// Sends to a process of another host and returns when the mode says so.
    #[inline(never)]
    pub(super) fn send_remote(&self, mode: Mode, source: &Source, process: u32, tag: i32) -> Result<()> {
        let mut call = None;
        let waiter = || call.insert(BlockingCall::begin(self.process())).waiter();
        let sent = self.start_remote((mode, Caller::Waits), source, process, self.outgoing(tag), waiter)?;
        if matches!(sent, Sent::Queued { .. })
            && let Some(call) = call
        {
            let _purpose = PurposeGuard::begin(Purpose::Network);
            call.wait();
        }
        Ok(())
    }

    /// Starts a send to a process of another host.
    #[inline(never)]
    pub(super) fn isend_remote(
        &self,
        mode: Mode,
        source: &Source,
        process: u32,
        tag: i32,
    ) -> Result<Started> {
        self.start(|waiter| self.start_remote_send(mode, source, process, tag, waiter))
    }

    /// Sends to a process of another host. `waiter` gives what to complete at the end if the message has to stay in the
    /// sender's memory.
    #[inline(never)]
    pub(super) fn start_remote_send(
        &self,
        mode: Mode,
        source: &Source,
        process: u32,
        tag: i32,
        waiter: impl FnOnce() -> Waiter,
    ) -> Result<Sent> {
        let started = (mode, Caller::GoesOn);
        self.start_remote(started, source, process, self.outgoing(tag), waiter)
    }

    /// Sends a message with this envelope to a process of another host.
    #[inline]
    pub(super) fn start_remote(
        &self,
        (mode, caller): (Mode, Caller),
        source: &Source,
        process: u32,
        envelope: Envelope,
        waiter: impl FnOnce() -> Waiter,
    ) -> Result<Sent> {
        let own = self.process();
        instrument::sent(own, process, || source.bytes());
        let (job, kinds) = (own.job(), self.hints().kinds());
        let message =
            job.connected()
                .outgoing_message(job.host(), own.id(), process, envelope, kinds, source);
        match mode {
            Mode::Standard | Mode::Ready => match self.send_at_once(&message, caller) {
                Some(number) => Ok(left(number, process)),
                None => Ok(self.send_later(&message, process, waiter())),
            },
            Mode::Synchronous => Ok(self.send_later(&message, process, waiter())),
            Mode::Buffered => {
                let reservation = self.reserve_buffer(source.bytes())?;
                Ok(self.send_copied(&message, process, |source| {
                    SendData::copied(source, Some(reservation))
                }))
            }
            Mode::Copied => Ok(self.send_copied(&message, process, |source| SendData::copied(source, None))),
        }
    }

    /// Sends by the rendezvous protocol: leaves the data where it is until the receiver asks for it.
    #[inline(never)]
    fn send_later(&self, message: &OutgoingMessage<'_>, process: u32, waiter: Waiter) -> Sent {
        let source = message.source();
        instrument::left_with_sender(self.process(), process, message.envelope(), source.bytes());
        let network = self.process().job().connected();
        let (handle, _) = network.announce(message, SendData::InPlace(source.clone()), Some(waiter));
        let place = RemoteSend::Waiting(handle).place();
        Sent::Queued { process, place }
    }

    /// Sends the data eagerly, if it is short and there are credits for it. The number of the message, if it was sent.
    #[inline]
    fn send_at_once(&self, message: &OutgoingMessage<'_>, caller: Caller) -> Option<u32> {
        let limit = self.eager_limit_for(message, caller);
        self.process().job().connected().send_eagerly(message, limit)
    }

    /// The most bytes of a message that is eager, if it is sent to where this one goes.
    #[inline]
    fn eager_limit_for(&self, message: &OutgoingMessage<'_>, caller: Caller) -> usize {
        let own = self.process();
        let (network, tuning) = (own.job().connected(), own.tuning());
        let bytes = message.source().bytes();
        if bytes <= tuning.eager_limit() {
            return tuning.eager_limit();
        }
        // What the receiver can read from here is copied once, and an eager message twice. With a core for each
        // process, both copy at the same time, which may be sooner.
        let is_read = network.is_better_read(message.host(), bytes as u64);
        if is_read && message.source().is_contiguous() {
            return tuning.eager_limit();
        }
        let has_choice = caller == Caller::Waits
            && bytes > tuning.eager_limit().saturating_mul(ALWAYS)
            && network.is_synchronous(message.host());
        if !has_choice {
            return tuning.eager_limit_remote();
        }
        let most = tuning.eager_limit().saturating_mul(IF_SOONER);
        match bytes <= most && network.is_eager_sooner(bytes as u64) {
            true => most,
            false => tuning.eager_limit(),
        }
    }

    /// Sends the data eagerly, or a copy of it by the rendezvous protocol.
    #[inline(never)]
    fn send_copied(
        &self,
        message: &OutgoingMessage<'_>,
        process: u32,
        copy: impl FnOnce(&Source) -> SendData,
    ) -> Sent {
        let number = self.send_at_once(message, Caller::GoesOn).unwrap_or_else(|| {
            let network = self.process().job().connected();
            let (_, number) = network.announce(message, copy(message.source()), None);
            number
        });
        left(number, process)
    }
}

/// A complete send whose message may not have been received.
#[inline]
fn left(number: u32, process: u32) -> Sent {
    let place = RemoteSend::Sent(number).place();
    Sent::Buffered { process, place }
}
