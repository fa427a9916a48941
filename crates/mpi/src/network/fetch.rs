//! The receiving side of messages that wait at their senders.

use super::Remote;
use super::tasks::Task;
use super::transfer::Reading;
use super::wire::Packet;
use crate::endpoint::Handle;
use crate::endpoint::{RequestToSend, status_of};
use crate::host::Host;
use crate::matching::Envelope;
use crate::memory::{Target, Transfer, Writer};
use crate::request::Waiter;
use crate::status::Status;
use simurgh_core::sync::Ordering;
use simurgh_net::HostId;
use simurgh_net::transport::Region;

/// A receive that a message on another host has met.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// Who receives, by a number that spreads what is under way over locks.
    pub(crate) user: u32,
    pub(crate) envelope: Envelope,
    pub(crate) target: Target,
    pub(crate) waiter: Waiter,
}

/// A message that has been asked for.
#[derive(Debug)]
pub(super) struct Incoming {
    wanted: Wanted,
    sender: Handle,
    /// The target's memory, if the sender may write to it.
    region: Option<Region>,
    /// Bytes that the sender has.
    length: u64,
    /// Bytes that have come.
    received: u64,
}

impl Incoming {
    pub(super) fn sender(&self) -> Handle {
        self.sender
    }

    pub(super) fn region(&self) -> Option<Region> {
        self.region
    }

    pub(super) fn into_waiter(self) -> Waiter {
        self.wanted.waiter
    }

    /// Bytes that have been asked for.
    pub(super) fn limit(&self) -> u64 {
        self.length.min(self.wanted.target.bytes() as u64)
    }

    pub(super) fn status(&self) -> Status {
        let transfer = Transfer {
            bytes: self.received as usize,
            truncated: self.length > self.received,
        };
        status_of(self.wanted.envelope, &transfer)
    }

    /// All has come at once.
    pub(super) fn has_come(&mut self) {
        self.received = self.limit();
    }

    /// Takes a piece, of so many bytes that are under way to this host. Whether it was the last; none if it is not the
    /// next piece.
    fn take_piece(&mut self, offset: u64, data: &[u8], under_way: u64) -> Option<bool> {
        let expected = offset == self.received && !data.is_empty();
        let fits = data.len() as u64 <= self.limit() - self.received;
        (expected && fits).then(|| {
            // As much is read as is written.
            let writer = Writer::new(under_way.saturating_mul(2) as usize);
            writer.unpack_at(data, &self.wanted.target, offset as usize);
            self.received += data.len() as u64;
            self.received == self.limit()
        })
    }
}

impl Remote {
    /// Has a message come for the execution context that calls.
    pub(crate) fn fetch(&self, local: &Host, promise: &RequestToSend, wanted: Wanted) {
        if let Some(task) = self.ask_for(local, promise, wanted) {
            self.begin(local, task);
        }
    }

    /// Has a message come; what is left to do may take long.
    pub(super) fn ask_for(&self, local: &Host, promise: &RequestToSend, wanted: Wanted) -> Option<Task> {
        let RequestToSend {
            from,
            length,
            sender,
            region,
        } = *promise;
        let (user, target) = (wanted.user as usize, wanted.target.clone());
        let limit = length.min(target.bytes() as u64);
        let readable = region.filter(|region| region.length >= limit && target.is_contiguous());
        let writable = match readable {
            None => self.let_write(from, &target, limit),
            Some(_) => None,
        };
        let incoming = Incoming {
            wanted,
            sender,
            region: writable,
            length,
            received: 0,
        };
        if limit == 0 {
            // Nothing will come: the sender is told that nothing is wanted, under a handle that nobody has.
            self.ask(from, sender, Handle::NONE, limit, None);
            self.finish(local, from, incoming);
            return None;
        }
        // Relaxed, as where it is read: a hint.
        self.expected.fetch_add(limit, Ordering::Relaxed);
        let receiver = self.incoming.add(user, from, incoming);
        if let Some(region) = readable {
            return Some(Task::Read(Reading {
                from,
                receiver,
                region,
                target,
                limit,
            }));
        }
        self.ask(from, sender, receiver, limit, writable);
        None
    }

    /// Asks for the first `limit` bytes of a message.
    pub(super) fn ask(
        &self,
        from: HostId,
        sender: Handle,
        receiver: Handle,
        limit: u64,
        region: Option<Region>,
    ) {
        let packet = Packet::Clear {
            sender,
            receiver,
            limit,
            region,
        };
        self.tell(from, &packet);
    }

    /// A piece of a message has come; none if nobody has asked for it.
    pub(super) fn take_piece(
        &self,
        local: &Host,
        from: HostId,
        receiver: Handle,
        offset: u64,
        data: &[u8],
    ) -> Option<()> {
        let under_way = self.expected.load(Ordering::Relaxed);
        let take = |incoming: &mut Incoming| incoming.take_piece(offset, data, under_way);
        let last = self.incoming.visit(receiver, from, take)??;
        if last {
            let incoming = self.incoming.take(receiver, from)?;
            self.finish(local, from, incoming);
        }
        Some(())
    }

    /// A message has been written to where it was wanted; none if nobody has let it.
    pub(super) fn take_written(&self, local: &Host, from: HostId, receiver: Handle) -> Option<()> {
        let let_write = |incoming: &mut Incoming| incoming.region.is_some();
        self.incoming.visit(receiver, from, let_write)?.then_some(())?;
        let mut incoming = self.incoming.take(receiver, from)?;
        incoming.has_come();
        self.finish(local, from, incoming);
        Some(())
    }
}
