//! The sending side.

use super::credit::cost;
use super::goods::Goods;
use super::recall::origin;
use super::wire::{Label, Packet};
use super::{HOST_BASE, Remote};
use crate::deadlock::{Operation, Unmatched};
use crate::endpoint::Handle;
use crate::layout::Layout;
use crate::matching::Envelope;
use crate::memory::{self, Source};
use crate::request::Waiter;
use simurgh_net::HostId;
use simurgh_net::transport::Region;
use std::cell::Cell;

/// A message to a process of another host.
#[derive(Debug)]
pub(crate) struct Letter<'a> {
    pub(super) host: HostId,
    pub(super) label: Label,
    pub(super) source: &'a Source,
    /// Who sends.
    pub(super) sender: u32,
    /// It was not sent at once because too much lay unreceived.
    pub(super) stalled: Cell<bool>,
}

impl<'a> Letter<'a> {
    /// The label of the message for its receiver.
    pub(crate) fn envelope(&self) -> Envelope {
        self.label.envelope
    }

    /// The data.
    pub(crate) fn source(&self) -> &'a Source {
        self.source
    }
}

/// A message that waits to be asked for.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) label: Label,
    /// Who sends, and the number of the message.
    pub(super) origin: (u32, u32),
    /// It is short, but too much lies unreceived.
    stalled: bool,
    pub(super) goods: Goods,
    /// Who waits for the end; nobody if the data has been copied.
    pub(super) waiter: Option<Waiter>,
    /// The sender's memory, if the receiver may read it.
    pub(super) region: Option<Region>,
}

impl Outgoing {
    /// What is to be told of it in a deadlock; nothing if nobody waits for it, or a host sends it.
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

impl Remote {
    /// The sends to other hosts that wait for their receives.
    pub(crate) fn unmatched(&self, layout: &Layout) -> Vec<Unmatched> {
        self.outgoing.collect(|outgoing| outgoing.unmatched(layout))
    }

    /// Sends the data at once if it has at most `limit` bytes, is short enough for a packet and is sure to find room;
    /// then the number of the message.
    #[inline]
    pub(crate) fn send_eagerly(&self, letter: &Letter<'_>, limit: usize) -> Option<u32> {
        let bytes = letter.source.bytes();
        let way = self.fabric.route(letter.host);
        if bytes > limit.min(way.capacity()) {
            return None;
        }
        way.prepare();
        let account = self.accounts.with(letter.host);
        let Some(number) = account.spend(cost(bytes)) else {
            self.counters.count_stall();
            letter.stalled.set(true);
            return None;
        };
        let packet = Packet::Eager {
            label: letter.label,
            origin: origin(letter.sender, number),
        };
        way.send(&packet.header(account.settle()), bytes, &mut |room| {
            memory::pack_from(letter.source, 0, room);
        });
        Some(number)
    }

    /// Tells the receiver of a message that waits here to be asked for. Its handle and its number.
    pub(crate) fn announce(
        &self,
        letter: &Letter<'_>,
        goods: Goods,
        waiter: Option<Waiter>,
    ) -> (Handle, u32) {
        let length = goods.bytes();
        let number = self.accounts.with(letter.host).next_number();
        let user = letter.sender as usize;
        let mut outgoing = Outgoing {
            label: letter.label,
            origin: (letter.sender, number),
            stalled: letter.stalled.get(),
            goods,
            waiter,
            region: None,
        };
        let region = self.let_read(letter.host, &outgoing);
        debug_assert!(region.is_none_or(|region| region.length == length));
        outgoing.region = region;
        let sender = self.outgoing.add(user, letter.host, outgoing);
        self.tell(
            letter.host,
            &Packet::Request {
                label: letter.label,
                length,
                sender,
                region,
            },
        );
        (sender, number)
    }
}
