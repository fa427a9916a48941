//! What lies in the match table for a message that found no receive.

use super::Parcel;
use crate::buffered::Charge;
use crate::endpoint::Endpoint;
use crate::error::{ErrorClass, ErrorCode};
use crate::job::Job;
use crate::limits::INLINE_LIMIT;
use crate::matching::Envelope;
use crate::memory::{self, Source, Target, Transfer};
use crate::remote::Promise;
use crate::request::Waiter;
use crate::status::Status;
use crate::tool;
use simurgh_net::HostId;

/// A message, or where it is.
#[derive(Debug)]
pub(crate) enum Payload {
    /// A few bytes.
    Inline { len: u8, data: [u8; INLINE_LIMIT] },
    /// A copy; a buffered send occupies its attached buffer as long as the copy lives.
    Copied { parcel: Parcel, charge: Option<Charge> },
    /// The sender's memory, which stays valid until the sender is told.
    Lent { source: Source, waiter: Waiter },
    /// A copy of what a process of another host has sent, as its origin tells; its host has paid for it.
    Arrived {
        parcel: Parcel,
        from: HostId,
        origin: u64,
    },
    /// The memory of a sender on another host.
    Promised(Promise),
}

// It lies in every entry of a message: no larger than what is kept inside it.
const _: () = assert!(size_of::<Payload>() == 64);

impl Payload {
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
            Self::Copied { parcel, .. } | Self::Arrived { parcel, .. } => parcel.bytes().len(),
            Self::Lent { source, .. } => source.bytes(),
            Self::Promised(promise) => promise.bytes(),
        }
    }

    /// Who waits here for the message to be received.
    pub(crate) fn waiter(&self) -> Option<&Waiter> {
        match self {
            Self::Inline { .. } | Self::Copied { .. } | Self::Arrived { .. } | Self::Promised(_) => None,
            Self::Lent { waiter, .. } => Some(waiter),
        }
    }

    /// Memory that the message takes besides its entry, as far as local senders are concerned.
    #[inline]
    pub(crate) fn stored(&self) -> usize {
        match self {
            Self::Inline { .. } | Self::Lent { .. } | Self::Arrived { .. } | Self::Promised(_) => 0,
            Self::Copied { parcel, .. } => parcel.capacity(),
        }
    }

    /// Copies the message to its receiver, whose endpoint is `to`, and completes the send.
    ///
    /// # Errors
    ///
    /// The promise, if the message has to be fetched from another host.
    #[inline]
    pub(crate) fn deliver(
        self,
        job: &Job,
        to: &Endpoint,
        envelope: Envelope,
        target: &Target,
    ) -> Result<Status, Promise> {
        tool::matched(to, envelope, || self.bytes());
        let transfer = match self {
            Self::Inline { len, data } => memory::unpack(&data[..usize::from(len)], target),
            Self::Copied { parcel, charge } => {
                let transfer = memory::unpack(parcel.bytes(), target);
                drop(charge);
                to.table().parcels().give_back(parcel);
                transfer
            }
            Self::Lent { source, waiter } => {
                let transfer = memory::transfer(&source, target);
                waiter.finish(job, &Status::EMPTY);
                transfer
            }
            Self::Arrived { parcel, from, .. } => {
                let transfer = memory::unpack(parcel.bytes(), target);
                job.remote().received(from, parcel.bytes().len());
                to.table().parcels().give_back(parcel);
                transfer
            }
            Self::Promised(promise) => return Err(promise),
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
