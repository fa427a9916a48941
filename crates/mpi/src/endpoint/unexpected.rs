//! Unexpected messages: what lies in the match table for a message that found no receive.

use super::{EagerBuffer, Endpoint, RequestToSend};
use crate::buffered::Reservation;
use crate::error::{ErrorClass, ErrorCode};
use crate::instrument;
use crate::limits::INLINE_LIMIT;
use crate::matching::Envelope;
use crate::memory::{self, Source, Target, Transfer};
use crate::request::{Callers, Waiter};
use crate::status::Status;
use simurgh_net::HostId;

/// The hosts that grant each other room for eager messages.
pub(crate) trait Credits: Callers {
    /// Notes that an eager message of a host, of so many bytes, has left the memory of this one.
    fn received(&self, from: HostId, bytes: usize);
}

/// A message, or where it is.
#[derive(Debug)]
pub(crate) enum Unexpected {
    /// A few bytes.
    Inline { len: u8, data: [u8; INLINE_LIMIT] },
    /// A copy; a buffered send occupies its attached buffer as long as the copy lives.
    Copied {
        buffer: EagerBuffer,
        reservation: Option<Reservation>,
    },
    /// The sender's memory, which stays valid until the sender is told.
    InPlace { source: Source, waiter: Waiter },
    /// A copy of what a process of another host has sent, as its origin tells; its host has paid for it.
    Eager {
        buffer: EagerBuffer,
        from: HostId,
        origin: u64,
    },
    /// The memory of a sender on another host.
    Rendezvous(RequestToSend),
}

// It lies in every entry of a message: no larger than what is kept inside it.
const _: () = assert!(size_of::<Unexpected>() == 64);

impl Unexpected {
    /// The message copied into the entry; it must not be longer than [`INLINE_LIMIT`].
    #[inline]
    pub(crate) fn inline(source: &Source) -> Self {
        let mut data = [0; INLINE_LIMIT];
        let len = memory::pack(source, &mut data);
        Self::Inline { len: len as u8, data }
    }

    /// Size of the message.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Inline { len, .. } => usize::from(*len),
            Self::Copied { buffer, .. } | Self::Eager { buffer, .. } => buffer.bytes().len(),
            Self::InPlace { source, .. } => source.bytes(),
            Self::Rendezvous(request) => request.bytes(),
        }
    }

    /// Who waits here for the message to be received.
    pub(crate) fn waiter(&self) -> Option<&Waiter> {
        match self {
            Self::Inline { .. } | Self::Copied { .. } | Self::Eager { .. } | Self::Rendezvous(_) => None,
            Self::InPlace { waiter, .. } => Some(waiter),
        }
    }

    /// Memory that the message takes besides its entry, as far as local senders are concerned.
    #[inline]
    pub(crate) fn stored(&self) -> usize {
        match self {
            Self::Inline { .. } | Self::InPlace { .. } | Self::Eager { .. } | Self::Rendezvous(_) => 0,
            Self::Copied { buffer, .. } => buffer.capacity(),
        }
    }

    /// Copies the message to its receiver, whose endpoint is `to`, and completes the send.
    ///
    /// # Errors
    ///
    /// The request, if the message has to be fetched from another host.
    #[inline]
    pub(crate) fn deliver(
        self,
        host: &impl Credits,
        to: &Endpoint,
        envelope: Envelope,
        target: &Target,
    ) -> Result<Status, RequestToSend> {
        instrument::matched(to, envelope, || self.bytes());
        let transfer = match self {
            Self::Inline { len, data } => memory::unpack(&data[..usize::from(len)], target),
            Self::Copied { buffer, reservation } => {
                let transfer = memory::unpack(buffer.bytes(), target);
                drop(reservation);
                to.table().buffers().give_back(buffer);
                transfer
            }
            Self::InPlace { source, waiter } => {
                let transfer = memory::transfer(&source, target);
                waiter.finish(host, &Status::EMPTY);
                transfer
            }
            Self::Eager { buffer, from, .. } => {
                let transfer = memory::unpack(buffer.bytes(), target);
                host.received(from, buffer.bytes().len());
                to.table().buffers().give_back(buffer);
                transfer
            }
            Self::Rendezvous(request) => return Err(request),
        };
        Ok(status_of(envelope, &transfer))
    }
}

/// The status of a receive that got a message.
#[inline]
pub(crate) fn status_of(envelope: Envelope, transfer: &Transfer) -> Status {
    let error = if transfer.truncated {
        ErrorClass::Truncate.into()
    } else {
        ErrorCode::SUCCESS
    };
    Status {
        source: envelope.source,
        tag: envelope.tag,
        error,
        bytes: transfer.bytes as u64,
        cancelled: false,
    }
}
