//! Unexpected messages: entries of the match table for messages that have matched no receive.

use super::{EagerBuffer, Endpoint, RequestToSend, RingMessage};
use crate::buffered::Reservation;
use crate::error::Status;
use crate::error::{ErrorClass, ErrorCode};
use crate::instrument;
use crate::limits::INLINE_LIMIT;
use crate::matching::Envelope;
use crate::memory::{self, Source, Target, Transfer};
use crate::request::{Callers, Waiter};
use simurgh_net::HostId;

/// The hosts that grant each other room for eager messages.
pub(crate) trait Credits: Callers {
    /// Notes that an eager message of a host, of so many bytes, has left the memory of this one.
    fn received(&self, from: HostId, bytes: usize);
}

/// An unexpected message: its data, or where the data is.
#[derive(Debug)]
pub(crate) enum Unexpected {
    /// A short message, in the entry itself.
    Inline {
        len: u8,
        data: [u8; INLINE_LIMIT],
        from_ring: Option<RingMessage>,
    },
    /// A copy in an eager buffer. A buffered send occupies its attached buffer as long as the copy lives.
    Copied {
        buffer: EagerBuffer,
        reservation: Option<Reservation>,
        from_ring: Option<RingMessage>,
    },
    /// The memory of a sender on this host, which stays valid until the send is completed.
    InPlace { source: Source, waiter: Waiter },
    /// An eager message of another host, in an eager buffer; its host has spent credits for it.
    Eager {
        buffer: EagerBuffer,
        from: HostId,
        origin: u64,
    },
    /// A message that stays in the memory of a sender on another host.
    Rendezvous(RequestToSend),
}

// It is in every entry of a message, so it is no larger than a short message needs.
const _: () = assert!(size_of::<Unexpected>() == 64);

impl Unexpected {
    /// The message copied into the entry; it must not be longer than [`INLINE_LIMIT`].
    #[inline]
    pub(crate) fn inline(source: &Source) -> Self {
        let mut data = [0; INLINE_LIMIT];
        let len = memory::pack(source, &mut data);
        Self::Inline {
            len: len as u8,
            data,
            from_ring: None,
        }
    }

    /// Whether it has come through the ring of its receiver, as this message there.
    pub(super) fn is_from_ring(&self, message: RingMessage) -> bool {
        matches!(self, Self::Inline { from_ring, .. } | Self::Copied { from_ring, .. } if *from_ring == Some(message))
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

    /// The waiter on this host for the message to be received.
    pub(crate) fn waiter(&self) -> Option<&Waiter> {
        match self {
            Self::Inline { .. } | Self::Copied { .. } | Self::Eager { .. } | Self::Rendezvous(_) => None,
            Self::InPlace { waiter, .. } => Some(waiter),
        }
    }

    /// Memory that the message takes besides its entry, of what counts as backlog.
    #[inline]
    pub(crate) fn stored(&self) -> usize {
        match self {
            Self::Inline { .. } | Self::InPlace { .. } | Self::Eager { .. } | Self::Rendezvous(_) => 0,
            Self::Copied { buffer, .. } => buffer.capacity(),
        }
    }

    /// Copies the data to the target of its receiver, whose endpoint is `to`, and completes the send.
    ///
    /// # Errors
    ///
    /// The request to send, if the data has to come from another host.
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
            Self::Inline { len, data, .. } => memory::unpack(&data[..usize::from(len)], target),
            Self::Copied {
                buffer, reservation, ..
            } => {
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

/// The status of a receive that has got a message.
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
