//! The receiving side of messages that wait at their senders.

use super::Network;
use super::progress::Task;
use super::rdma::Get;
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
pub(crate) struct MatchedReceive {
    /// Who receives, by a number that spreads what is under way over locks.
    pub(crate) user: u32,
    pub(crate) envelope: Envelope,
    pub(crate) target: Target,
    pub(crate) waiter: Waiter,
}

/// A message that has been asked for.
#[derive(Debug)]
pub(super) struct PendingReceive {
    matched: MatchedReceive,
    sender: Handle,
    /// The target's memory, if the sender may write to it.
    region: Option<Region>,
    /// Bytes that the sender has.
    length: u64,
    /// Bytes that have come.
    received: u64,
}

impl PendingReceive {
    pub(super) fn sender(&self) -> Handle {
        self.sender
    }

    pub(super) fn region(&self) -> Option<Region> {
        self.region
    }

    pub(super) fn into_waiter(self) -> Waiter {
        self.matched.waiter
    }

    /// Bytes that have been asked for.
    pub(super) fn limit(&self) -> u64 {
        self.length.min(self.matched.target.bytes() as u64)
    }

    pub(super) fn status(&self) -> Status {
        let transfer = Transfer {
            bytes: self.received as usize,
            truncated: self.length > self.received,
        };
        status_of(self.matched.envelope, &transfer)
    }

    /// All has come at once.
    pub(super) fn has_come(&mut self) {
        self.received = self.limit();
    }

    /// Takes a piece, of so many bytes that are under way to this host. Whether it was the last; none if it is not the
    /// next piece.
    fn take_fragment(&mut self, offset: u64, data: &[u8], under_way: u64) -> Option<bool> {
        let expected = offset == self.received && !data.is_empty();
        let fits = data.len() as u64 <= self.limit() - self.received;
        (expected && fits).then(|| {
            // As much is read as is written.
            let writer = Writer::new(under_way.saturating_mul(2) as usize);
            writer.unpack_at(data, &self.matched.target, offset as usize);
            self.received += data.len() as u64;
            self.received == self.limit()
        })
    }
}

impl Network {
    /// Has a message come for the execution context that calls.
    pub(crate) fn receive_rendezvous(&self, local: &Host, request: &RequestToSend, matched: MatchedReceive) {
        if let Some(task) = self.answer_request(local, request, matched) {
            self.start_task(local, task);
        }
    }

    /// Has a message come; what is left to do may take long.
    pub(super) fn answer_request(
        &self,
        local: &Host,
        request: &RequestToSend,
        matched: MatchedReceive,
    ) -> Option<Task> {
        let RequestToSend {
            from,
            length,
            sender,
            region,
        } = *request;
        let (user, target) = (matched.user as usize, matched.target.clone());
        let limit = length.min(target.bytes() as u64);
        let readable = region.filter(|region| region.length >= limit && target.is_contiguous());
        let writable = match readable {
            None => self.expose_for_put(from, &target, limit),
            Some(_) => None,
        };
        let incoming = PendingReceive {
            matched,
            sender,
            region: writable,
            length,
            received: 0,
        };
        if limit == 0 {
            // Nothing will come: the sender is told that nothing is wanted, under a handle that nobody has.
            self.clear_to_send(from, sender, Handle::NONE, limit, None);
            self.finish(local, from, incoming);
            return None;
        }
        // Relaxed, as where it is read: a hint.
        self.expected.fetch_add(limit, Ordering::Relaxed);
        let receiver = self.pending_receives.add(user, from, incoming);
        if let Some(region) = readable {
            return Some(Task::Get(Get {
                from,
                receiver,
                region,
                target,
                limit,
            }));
        }
        self.clear_to_send(from, sender, receiver, limit, writable);
        None
    }

    /// Asks for the first `limit` bytes of a message.
    pub(super) fn clear_to_send(
        &self,
        from: HostId,
        sender: Handle,
        receiver: Handle,
        limit: u64,
        region: Option<Region>,
    ) {
        let packet = Packet::ClearToSend {
            sender,
            receiver,
            limit,
            region,
        };
        self.tell(from, &packet);
    }

    /// A piece of a message has come; none if nobody has asked for it.
    pub(super) fn take_fragment(
        &self,
        local: &Host,
        from: HostId,
        receiver: Handle,
        offset: u64,
        data: &[u8],
    ) -> Option<()> {
        let under_way = self.expected.load(Ordering::Relaxed);
        let take = |incoming: &mut PendingReceive| incoming.take_fragment(offset, data, under_way);
        let last = self.pending_receives.visit(receiver, from, take)??;
        if last {
            let incoming = self.pending_receives.take(receiver, from)?;
            self.finish(local, from, incoming);
        }
        Some(())
    }

    /// A message has been written to where it was wanted; none if nobody has let it.
    pub(super) fn take_put(&self, local: &Host, from: HostId, receiver: Handle) -> Option<()> {
        let exposed = |incoming: &mut PendingReceive| incoming.region.is_some();
        self.pending_receives
            .visit(receiver, from, exposed)?
            .then_some(())?;
        let mut incoming = self.pending_receives.take(receiver, from)?;
        incoming.has_come();
        self.finish(local, from, incoming);
        Some(())
    }
}
