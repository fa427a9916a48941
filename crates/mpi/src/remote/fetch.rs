//! The receiving side of messages that wait at their senders.

use super::Remote;
use super::register::Handle;
use super::wire::Packet;
use crate::job::Job;
use crate::matching::Envelope;
use crate::memory::{self, Target, Transfer};
use crate::point2point::status_of;
use crate::request::Waiter;
use crate::status::Status;
use simurgh_net::transport::{HostId, Region};

/// A message that waits at its sender, on another host.
#[derive(Debug)]
pub(crate) struct Promise {
    pub(super) from: HostId,
    pub(super) length: u64,
    pub(super) sender: Handle,
    pub(super) region: Option<Region>,
}

/// A message that has been asked for.
#[derive(Debug)]
pub(super) struct Incoming {
    envelope: Envelope,
    target: Target,
    waiter: Waiter,
    /// Bytes that the sender has.
    length: u64,
    /// Bytes that have come.
    received: u64,
}

impl Promise {
    /// Bytes of the message.
    pub(crate) fn bytes(&self) -> usize {
        usize::try_from(self.length).unwrap_or(usize::MAX)
    }
}

impl Incoming {
    /// Bytes that have been asked for.
    fn limit(&self) -> u64 {
        self.length.min(self.target.bytes() as u64)
    }

    fn status(&self) -> Status {
        let transfer = Transfer {
            bytes: self.received as usize,
            truncated: self.length > self.received,
        };
        status_of(self.envelope, &transfer)
    }

    /// Takes a piece. Whether it was the last; none if it is not the next piece.
    fn take_piece(&mut self, offset: u64, data: &[u8]) -> Option<bool> {
        let expected = offset == self.received && !data.is_empty();
        let fits = data.len() as u64 <= self.limit() - self.received;
        (expected && fits).then(|| {
            memory::unpack_at(data, &self.target, offset as usize);
            self.received += data.len() as u64;
            self.received == self.limit()
        })
    }
}

impl Remote {
    /// Has a message sent that `user` receives; `waiter` is told when it has come.
    pub(crate) fn fetch(
        &self,
        job: &Job,
        user: u32,
        promise: &Promise,
        envelope: Envelope,
        target: Target,
        waiter: Waiter,
    ) {
        let Promise {
            from, length, sender, ..
        } = *promise;
        let incoming = Incoming {
            envelope,
            target,
            waiter,
            length,
            received: 0,
        };
        let limit = incoming.limit();
        let region = None;
        if limit == 0 {
            // Nothing will come: the sender is told that nothing is wanted, under a handle that nobody has.
            let receiver = Handle(u64::MAX);
            self.tell(
                from,
                &Packet::Clear {
                    sender,
                    receiver,
                    limit,
                    region,
                },
            );
            let status = incoming.status();
            incoming.waiter.finish(job, &status);
            return;
        }
        let receiver = self.incoming.add(user as usize, from, incoming);
        self.tell(
            from,
            &Packet::Clear {
                sender,
                receiver,
                limit,
                region,
            },
        );
    }

    /// A piece of a message has come; none if nobody has asked for it.
    pub(super) fn take_piece(
        &self,
        job: &Job,
        from: HostId,
        receiver: Handle,
        offset: u64,
        data: &[u8],
    ) -> Option<()> {
        let take = |incoming: &mut Incoming| incoming.take_piece(offset, data);
        let last = self.incoming.visit(receiver, from, take)??;
        if last {
            let incoming = self.incoming.take(receiver, from)?;
            let status = incoming.status();
            incoming.waiter.finish(job, &status);
        }
        Some(())
    }
}
