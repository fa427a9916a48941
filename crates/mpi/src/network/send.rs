//! The sending side of the protocols between hosts.

use super::credit::cost;
use super::segments::LONGEST;
use super::send_data::SendData;
use super::wire::{Label, Packet};
use super::{HOST_BASE, Network};
use crate::deadlock::{Operation, Unmatched};
use crate::endpoint::Handle;
use crate::layout::Layout;
use crate::matching::Envelope;
use crate::memory::Source;
use crate::request::Waiter;
use simurgh_net::HostId;
use simurgh_net::transport::Region;
use std::cell::Cell;

/// A message to a process of another host.
#[derive(Debug)]
pub(crate) struct OutgoingMessage<'a> {
    pub(super) host: HostId,
    pub(super) label: Label,
    pub(super) source: &'a Source,
    /// The sending process.
    pub(super) sender: u32,
    /// Whether it was not sent eagerly because the sender had too few credits.
    pub(super) stalled: Cell<bool>,
}

impl<'a> OutgoingMessage<'a> {
    /// The envelope of the message.
    pub(crate) fn envelope(&self) -> Envelope {
        self.label.envelope
    }

    /// The data.
    pub(crate) fn host(&self) -> HostId {
        self.host
    }

    pub(crate) fn source(&self) -> &'a Source {
        self.source
    }
}

/// A message that waits for a clear to send.
#[derive(Debug)]
pub(super) struct PendingSend {
    pub(super) label: Label,
    /// The sending process, and the number of the message among those to its host.
    pub(super) origin: (u32, u32),
    /// Whether it is short, and waits only because the sender had too few credits.
    stalled: bool,
    pub(super) data: SendData,
    /// The waiter to complete at the end. None if the data has been copied, so that the send is already complete.
    pub(super) waiter: Option<Waiter>,
    /// The sender's memory, if the receiver may read it.
    pub(super) region: Option<Region>,
}

impl PendingSend {
    /// The message in a deadlock report; none if its send is complete, or if a host sends it and not a rank.
    fn unmatched(&self, layout: &Layout) -> Option<Unmatched> {
        let Label {
            process, envelope, ..
        } = self.label;
        let waiter = self.waiter.as_ref().filter(|_| process < HOST_BASE)?;
        let blocking = waiter.is_call();
        let operation = if self.stalled {
            Operation::Stalled
        } else {
            Operation::Send
        };
        Some(Unmatched::new(
            layout.name_of(process),
            envelope.exactly(),
            operation,
            blocking,
        ))
    }
}

impl Network {
    /// The sends to other hosts that wait for their receives.
    pub(crate) fn unmatched(&self, layout: &Layout) -> Vec<Unmatched> {
        self.pending_sends.collect(|outgoing| outgoing.unmatched(layout))
    }

    /// Sends the data eagerly if it has at most `limit` bytes and the sender has credits for it. The number of the
    /// message, if it was sent.
    #[inline]
    pub(crate) fn send_eagerly(&self, message: &OutgoingMessage<'_>, limit: usize) -> Option<u32> {
        let bytes = message.source.bytes();
        let way = self.fabric.route(message.host);
        if bytes > limit.min(LONGEST) {
            return None;
        }
        way.prepare();
        let account = self.accounts.with(message.host);
        let Some(number) = account.spend(cost(bytes)) else {
            self.counters.count_stall();
            message.stalled.set(true);
            return None;
        };
        Self::send_segments(&way, &account, message, number);
        Some(number)
    }

    /// Sends a request to send; the data waits here until the receiver asks for it. The handle of the message and its
    /// number.
    pub(crate) fn announce(
        &self,
        message: &OutgoingMessage<'_>,
        data: SendData,
        waiter: Option<Waiter>,
    ) -> (Handle, u32) {
        let length = data.bytes();
        let number = self.accounts.with(message.host).next_number();
        let user = message.sender as usize;
        let mut outgoing = PendingSend {
            label: message.label,
            origin: (message.sender, number),
            stalled: message.stalled.get(),
            data,
            waiter,
            region: None,
        };
        let region = self.expose_for_get(message.host, &outgoing);
        debug_assert!(region.is_none_or(|region| region.length == length));
        outgoing.region = region;
        let sender = self.pending_sends.add(user, message.host, outgoing);
        self.tell(
            message.host,
            &Packet::RequestToSend {
                label: message.label,
                length,
                sender,
                region,
            },
        );
        (sender, number)
    }
}
