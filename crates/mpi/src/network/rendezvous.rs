//! The receiving side of the rendezvous protocol.

use super::Network;
use super::cooperative::Cooperation;
use super::frequent::Fragment;
use super::progress::Task;
use super::protocol_choice::Protocol;
use super::rdma::Get;
use super::wire::Packet;
use crate::endpoint::Handle;
use crate::endpoint::{RequestToSend, status_of};
use crate::error::Status;
use crate::host::Host;
use crate::matching::Envelope;
use crate::memory::{Target, Transfer, Writer, writes_whole_lines};
use crate::request::Waiter;
use simurgh_core::sync::Ordering;
use simurgh_core::time_stamp;
use simurgh_net::HostId;
use simurgh_net::transport::Region;

/// So many bytes of the caches count for each byte that comes in fragments, where lines are fetched before they are
/// written: both processes read and write it, and other data needs as much room. On Zen 3 with 32 MiB of caches, 4 MiB
/// that are written past them take 10 to 25 % less, and as long if the receiver then reads all of it; 2 MiB would take
/// a fifth longer.
const TOUCHED: u64 = 8;
/// The same where whole lines are written. On Zen 5 with as large caches, 4 MiB that are written past them take a
/// quarter longer, and three quarters if the receiver then reads all of it; 16 MiB take two thirds.
const TOUCHED_LINES: u64 = 2;

/// A receive that has matched a request to send.
#[derive(Debug)]
pub(crate) struct MatchedReceive {
    /// The receiver, by a number that spreads pending receives over the shards of the handle table.
    pub(crate) user: u32,
    pub(crate) envelope: Envelope,
    pub(crate) target: Target,
    pub(crate) waiter: Waiter,
}

/// A receive whose data has been asked for.
#[derive(Debug)]
pub(super) struct PendingReceive {
    matched: MatchedReceive,
    sender: Handle,
    /// The target's memory, if the sender may put data there.
    region: Option<Region>,
    /// Bytes of the message.
    length: u64,
    /// Bytes that have come.
    received: u64,
    /// When fragments were asked for, if the time that they take matters.
    begin: Option<u64>,
    /// Whether the data could have come by another protocol.
    has_choice: bool,
    /// The account of a get in which the sender takes part.
    pub(super) cooperation: Option<Cooperation>,
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

    /// Notes that all data has come at once.
    pub(super) fn has_come(&mut self) {
        self.received = self.limit();
    }

    /// Tells memcheck that another process has written to the target.
    pub(super) fn mark_written(&self) {
        let target = &self.matched.target;
        simurgh_core::mark_written(target.address(), self.limit() as usize);
    }

    /// Takes a fragment, while `under_way` bytes are under way to this host. Whether it was the last one; none if it is
    /// not the next one.
    fn take_fragment(&mut self, offset: u64, data: &[u8], under_way: u64) -> Option<bool> {
        let expected = offset == self.received && !data.is_empty();
        let fits = data.len() as u64 <= self.limit() - self.received;
        (expected && fits).then(|| {
            let each = if writes_whole_lines() {
                TOUCHED_LINES
            } else {
                TOUCHED
            };
            let writer = Writer::new(under_way.saturating_mul(each) as usize);
            writer.unpack_at(data, &self.matched.target, offset as usize);
            self.received += data.len() as u64;
            self.received == self.limit()
        })
    }
}

impl Network {
    /// Receives a message by the rendezvous protocol. Does at once what can be done of it.
    pub(crate) fn receive_rendezvous(&self, local: &Host, request: &RequestToSend, matched: MatchedReceive) {
        if let Some(task) = self.answer_request(local, request, matched) {
            self.start_task(local, task);
        }
    }

    /// Answers a request to send. Gives back the task that is left, since it may take long.
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
        let fits = |region: &Region| region.length >= limit && target.is_contiguous();
        let readable = region.filter(|region| fits(region) && self.access(from).read);
        let protocol = readable.map(|_| self.protocol(from, limit));
        let is_shared = protocol == Some(Protocol::CooperativeGet);
        let shared = is_shared
            .then(|| self.begin_cooperation(from, &target, limit))
            .flatten();
        let (writable, cooperation) = match (protocol, shared) {
            (None, _) => (self.expose_for_put(from, &target, limit), None),
            (Some(_), shared) => shared.unzip(),
        };
        let counter = cooperation.as_ref().map(Cooperation::counter);
        let is_measured = match protocol {
            Some(protocol) => protocol == Protocol::Fragments,
            None => self.is_synchronous(from),
        };
        let incoming = PendingReceive {
            matched,
            sender,
            region: writable,
            length,
            received: 0,
            begin: is_measured.then(time_stamp),
            has_choice: protocol.is_some(),
            cooperation,
        };
        if limit == 0 {
            // No data is wanted: the sender is told so, under a handle that no receive has.
            self.clear_to_send(from, sender, Handle::NONE, limit, None);
            self.finish(local, from, incoming);
            return None;
        }
        // Relaxed, as where it is read: a hint.
        self.expected.fetch_add(limit, Ordering::Relaxed);
        // Before anybody can complete it.
        incoming.matched.waiter.begin_arrival(local);
        let receiver = self.pending_receives.add(user, from, incoming);
        if let Some(region) = readable.filter(|_| !is_measured) {
            return Some(Task::Get(Get {
                from,
                sender,
                receiver,
                region,
                target,
                limit,
                shared: writable.zip(counter),
            }));
        }
        self.clear_to_send(from, sender, receiver, limit, writable);
        None
    }

    /// Sends a clear to send for the first `limit` bytes of a message.
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

    /// Takes a fragment that has come; none if no receive has asked for it.
    #[inline(never)]
    pub(super) fn take_fragment(
        &self,
        local: &Host,
        from: HostId,
        Fragment { receiver, offset }: Fragment,
        data: &[u8],
    ) -> Option<()> {
        let under_way = self.expected.load(Ordering::Relaxed);
        let take = |incoming: &mut PendingReceive| incoming.take_fragment(offset, data, under_way);
        let last = self.pending_receives.visit(receiver, from, take)??;
        if last {
            let incoming = self.pending_receives.take(receiver, from)?;
            if let Some(begin) = incoming.begin {
                let (bytes, has_choice) = (incoming.limit(), incoming.has_choice);
                self.protocol_choice.note_fragments(bytes, begin, has_choice);
            }
            self.finish(local, from, incoming);
        }
        Some(())
    }

    /// Notes that the sender has put a message; none if it was not allowed to.
    pub(super) fn take_put(&self, local: &Host, from: HostId, receiver: Handle) -> Option<()> {
        let exposed =
            |incoming: &mut PendingReceive| incoming.region.is_some() && incoming.cooperation.is_none();
        self.pending_receives
            .visit(receiver, from, exposed)?
            .then_some(())?;
        let mut incoming = self.pending_receives.take(receiver, from)?;
        incoming.has_come();
        incoming.mark_written();
        self.finish(local, from, incoming);
        Some(())
    }
}
