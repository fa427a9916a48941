//! Active messages: requests of other hosts that a layer above handles without the rank that they concern.
//!
//! A layer registers a [handler](ActiveMessageHandler) for its [service](Service) before other hosts can send requests
//! to it. A request has two numbers and data. The thread that polls the network at the receiving host calls the
//! handler, in the order in which the sender has sent its requests. The handler does at once what is asked for, and
//! replies if a reply is expected, then or later. So requests are served whatever the ranks of that host do.
//!
//! The sender of a request that expects replies says beforehand where their data goes, how many there are, and what is
//! complete when all have come ([`Network::expect`]). A reply has an offset into the target, data, and the code of an
//! error. Replies that a handler sends at once come in the order of their requests.
//!
//! The number of requests that a host has not handled is limited ([`RequestWindow`]); a sender that finds no room is
//! suspended. Handlers never wait, so they send replies and notices only. A notice is a request that is not counted,
//! for those that wait for it: so there are no more notices than waits.
//!
//! [`RequestWindow`]: super::request_window::RequestWindow

use super::Network;
use super::answer::word_of;
use super::frequent::Active;
use super::request_window::includes;
use super::wire::Packet;
use crate::endpoint::Handle;
use crate::error::{ErrorCode, Result, Status};
use crate::host::Host;
use crate::memory::{self, Target};
use crate::request::Waiter;
use simurgh_core::sync::{Arc, AtomicUsize, Ordering, fence};
use simurgh_core::{WaitList, spin_while_idle};
use simurgh_net::HostId;
use std::cell::Cell;
use std::sync::OnceLock;

/// A layer that handles active messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    /// Windows of one-sided communication.
    Windows,
    /// Files.
    #[cfg_attr(not(test), allow(dead_code, reason = "for the layer of files"))]
    Files,
}

/// Number of services.
const SERVICES: usize = 2;

/// Handles the active messages of a service.
pub(crate) trait ActiveMessageHandler: Send + Sync {
    /// Handles a request or a notice; none if it makes no sense. It must not block, and must not send requests.
    fn handle(&self, request: &ActiveRequest<'_>) -> Option<()>;
}

/// A request that has come.
pub(crate) struct ActiveRequest<'a> {
    pub(crate) from: HostId,
    pub(crate) numbers: [u64; 2],
    pub(crate) data: &'a [u8],
    /// The place to which replies go, if some are expected.
    pub(crate) reply_to: Option<ReplyTo>,
    pub(crate) network: &'a Network,
    /// The answer by a word, if that is expected and has been given.
    answer: &'a Cell<Option<u64>>,
}

/// The place to which replies to a request go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReplyTo {
    host: HostId,
    handle: Handle,
}

/// Replies that are expected.
#[derive(Debug)]
pub(super) struct PendingReply {
    /// None if the replies have no data.
    target: Option<Target>,
    /// Number of replies that have not come.
    left: u32,
    /// Bytes that have come.
    bytes: u64,
    /// The first error that has come.
    error: ErrorCode,
    waiter: Option<Waiter>,
}

/// The handlers of a host, and its senders that wait for room.
#[derive(Default)]
pub(super) struct ActiveMessages {
    handlers: [OnceLock<Arc<dyn ActiveMessageHandler>>; SERVICES],
    /// Senders that wait, or are about to.
    waiting: AtomicUsize,
    room: OnceLock<WaitList>,
}

impl ActiveRequest<'_> {
    /// Replies with `length` bytes, which `fill` writes, for the target from `offset` on. Nothing is done if no reply
    /// is expected.
    pub(crate) fn reply(&self, offset: u64, length: usize, fill: &mut dyn FnMut(&mut [u8])) {
        match self.reply_to {
            Some(reply_to) if reply_to.handle == Handle::ANSWER => self.answer.set(word_of(length, fill)),
            Some(reply_to) => self.network.reply(reply_to, offset, Ok(()), length, fill),
            None => {}
        }
    }

    /// A request that has come within this one, with the handle of its replies at the sender.
    pub(crate) fn inner<'b>(
        &'b self,
        numbers: [u64; 2],
        data: &'b [u8],
        handle: Handle,
    ) -> ActiveRequest<'b> {
        let host = self.from;
        ActiveRequest {
            numbers,
            data,
            reply_to: (handle != Handle::NONE).then_some(ReplyTo { host, handle }),
            ..*self
        }
    }

    /// Replies that the request has failed. Who looks for an answer finds out that there is none.
    pub(crate) fn refuse(&self, error: ErrorCode) {
        if let Some(reply_to) = self.reply_to.filter(|reply_to| reply_to.handle != Handle::ANSWER) {
            self.network.reply(reply_to, 0, Err(error), 0, &mut |_| ());
        }
    }
}

impl Network {
    /// Registers the handler of a service; the first one counts.
    pub(crate) fn register(&self, service: Service, handler: impl FnOnce() -> Arc<dyn ActiveMessageHandler>) {
        self.active_messages.handlers[service as usize].get_or_init(handler);
    }

    /// The most data of a request to a host, or of its reply.
    pub(crate) fn request_capacity(&self, to: HostId) -> usize {
        self.fabric.route(to).capacity()
    }

    /// Expects so many replies of a host, one at least, in the name of a user. Their data goes to the target, which is
    /// in use until the last one has come, when the waiter is completed. Requests refer to the replies by the handle.
    /// Replies without data need no target.
    pub(crate) fn expect(
        &self,
        user: usize,
        host: HostId,
        target: Option<Target>,
        replies: u32,
        waiter: Option<Waiter>,
    ) -> Handle {
        debug_assert!(replies > 0, "a request without replies expects none");
        let pending = PendingReply {
            target,
            left: replies,
            bytes: 0,
            error: ErrorCode::SUCCESS,
            waiter,
        };
        self.pending_replies.add(user, host, pending)
    }

    /// Has the last of some replies of a host, which completes nothing else, complete a waiter. False if it has come
    /// already.
    pub(crate) fn complete_with(&self, replies: Handle, host: HostId, waiter: Waiter) -> bool {
        let set = |pending: &mut PendingReply| pending.waiter = Some(waiter);
        self.pending_replies.visit(replies, host, set).is_some()
    }

    /// Waits until the last of some replies of a host has come, which completes nothing, for as long as nobody else
    /// could use the processor. Whether it has come.
    pub(crate) fn await_replies(&self, replies: Handle, host: HostId) -> bool {
        spin_while_idle(|| self.pending_replies.visit(replies, host, |_| ()).is_none())
    }

    /// Sends a request with `length` bytes of data, which `fill` writes. The calling execution context is suspended as
    /// long as the other host has too many requests to handle.
    #[inline]
    pub(crate) fn request(
        &self,
        service: Service,
        to: HostId,
        numbers: [u64; 2],
        replies: Option<Handle>,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) {
        while !self.accounts.with(to).requests().take_place() {
            self.await_room(to);
        }
        let [first, second] = numbers;
        let handle = replies.unwrap_or(Handle::NONE);
        self.send_active(to, service as u8, false, [first, second, handle.0], length, fill);
    }

    /// Whether a host tells how many requests it has handled, without being asked.
    pub(crate) fn tells_handled(&self, host: HostId) -> bool {
        self.way(host).told_by(host).is_some()
    }

    /// Waits until a host, which [tells](Network::tells_handled) that, has handled all requests that have been sent to
    /// it so far, for as long as nobody else could use the processor. False if it has not: then it has to be asked.
    pub(crate) fn await_handled(&self, by: HostId) -> bool {
        let (sent, way) = (self.accounts.with(by).requests().sent(), self.way(by));
        spin_while_idle(|| way.told_by(by).is_some_and(|told| includes(told, sent)))
    }

    /// How many of the requests that have been sent to a host so far it has not told to have handled; none if it does
    /// not tell.
    pub(crate) fn requests_behind(&self, host: HostId) -> Option<u32> {
        let sent = self.accounts.with(host).requests().sent();
        let told = self.way(host).told_by(host)?;
        Some(sent.wrapping_sub(told))
    }

    /// How many requests have been sent to a host so far, modulo 2^32; none if some of them may wait here for room on
    /// their way.
    pub(crate) fn requests_sent(&self, to: HostId) -> Option<u32> {
        let sent = self.accounts.with(to).requests().sent();
        (!self.fabric.is_backed_up()).then_some(sent)
    }

    /// Whether so many requests of a host have been handled so far, modulo 2^32.
    pub(crate) fn has_handled(&self, from: HostId, requests: u32) -> bool {
        self.accounts.with(from).requests().has_handled(requests)
    }

    /// Sends a notice: a request without data and replies, for which a rank of the other host waits. It never waits
    /// itself.
    pub(crate) fn notify(&self, service: Service, to: HostId, [first, second]: [u64; 2]) {
        let words = [Handle::NONE.0, first, second];
        self.send_active(to, service as u8, true, words, 0, &mut |_| ());
    }

    /// Sends a request without data and waits for its only reply, whose data goes to the target. The status tells how
    /// much has come.
    ///
    /// # Errors
    ///
    /// The error with which the other host has refused the request.
    #[cfg_attr(not(test), allow(dead_code, reason = "for the layer of files"))]
    pub(crate) fn ask(
        &self,
        service: Service,
        to: HostId,
        numbers: [u64; 2],
        data: &[u8],
        target: &Target,
    ) -> Result<Status> {
        let request = self.host_requests.take_receive();
        let waiter = Waiter::Request(Arc::clone(&request));
        let replies = self.expect(to as usize, to, Some(target.clone()), 1, Some(waiter));
        self.request(service, to, numbers, Some(replies), data.len(), &mut |room| {
            memory::copy(data, room);
        });
        let status = request.wait();
        self.host_requests.give_back(request);
        status.into_result()
    }

    /// Sends a reply with `length` bytes of data, which `fill` writes, or with the code of an error. It never waits.
    pub(crate) fn reply(
        &self,
        reply_to: ReplyTo,
        offset: u64,
        outcome: std::result::Result<(), ErrorCode>,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) {
        let error = outcome.err().unwrap_or(ErrorCode::SUCCESS);
        let code = u64::from(error.number().cast_unsigned());
        let words = [reply_to.handle.0, offset, code];
        self.send_active(reply_to.host, 0, true, words, length, fill);
    }

    #[inline]
    fn send_active(
        &self,
        to: HostId,
        service: u8,
        is_reply: bool,
        words: [u64; 3],
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) {
        let handled = self.accounts.with(to).requests().tell();
        let packet = Packet::Active(Active {
            service,
            is_reply,
            words,
            handled,
        });
        self.send(to, &packet, length, fill);
    }

    /// Suspends the calling execution context until there may be room for a request to a host.
    #[cold]
    fn await_room(&self, to: HostId) {
        let ActiveMessages { waiting, room, .. } = &self.active_messages;
        waiting.fetch_add(1, Ordering::SeqCst);
        let room = room.get_or_init(WaitList::new);
        room.wait_while(|| !self.accounts.with(to).requests().has_room());
        waiting.fetch_sub(1, Ordering::SeqCst);
    }

    /// Notes how many requests a host has handled.
    pub(super) fn confirm_requests(&self, from: HostId, handled: u32) {
        if !self.accounts.with(from).requests().confirm(handled) {
            return;
        }
        let ActiveMessages { waiting, room, .. } = &self.active_messages;
        // A sender counts itself before it looks for room, and the room was made before this: one of the two sees the
        // other.
        fence(Ordering::SeqCst);
        if waiting.load(Ordering::SeqCst) > 0
            && let Some(room) = room.get()
        {
            room.release_all();
        }
    }

    /// An active message has come; none if it makes no sense.
    pub(super) fn take_active(
        &self,
        local: &Host,
        (from, service, is_reply): (HostId, u8, bool),
        [first, second, third]: [u64; 3],
        data: &[u8],
    ) -> Option<()> {
        if is_reply && Handle(first) == Handle::NONE {
            return self.handle_active((from, service), [second, third], data, None, &Cell::new(None));
        }
        if is_reply {
            let error = ErrorCode::new(u32::try_from(third).ok()?.cast_signed());
            return self.take_reply(local, (from, Handle(first)), second, error, data);
        }
        let handle = Handle(third);
        let reply_to = (handle != Handle::NONE).then_some(ReplyTo { host: from, handle });
        let answer = Cell::new(None);
        let outcome = self.handle_active((from, service), [first, second], data, reply_to, &answer);
        let requests = self.accounts.with(from);
        let way = self.way(from);
        // One after the other: they are in the same line, which the other host takes at once.
        way.tell(from, requests.requests().handle());
        if let Some(word) = answer.get() {
            way.answer(from, word);
        }
        if requests.requests().is_owed() {
            let handled = requests.requests().tell();
            self.tell(from, &Packet::Handled { handled });
        }
        outcome
    }

    /// Calls the handler of a service.
    fn handle_active(
        &self,
        (from, service): (HostId, u8),
        numbers: [u64; 2],
        data: &[u8],
        reply_to: Option<ReplyTo>,
        answer: &Cell<Option<u64>>,
    ) -> Option<()> {
        let request = ActiveRequest {
            from,
            numbers,
            data,
            reply_to,
            network: self,
            answer,
        };
        self.active_messages
            .handlers
            .get(service as usize)?
            .get()?
            .handle(&request)
    }

    /// A reply has come; none if it is not expected, or does not fit.
    fn take_reply(
        &self,
        local: &Host,
        (from, handle): (HostId, Handle),
        offset: u64,
        error: ErrorCode,
        data: &[u8],
    ) -> Option<()> {
        let take = |pending: &mut PendingReply| pending.take(offset, error, data);
        if let Some(pending) = self.pending_replies.take_if(handle, from, take)? {
            let status = Status {
                error: pending.error,
                bytes: pending.bytes,
                ..Status::EMPTY
            };
            if let Some(waiter) = pending.waiter {
                waiter.finish(local, &status);
            }
        }
        Some(())
    }
}

impl PendingReply {
    /// Takes a reply. Whether it was the last one; none if it does not fit.
    fn take(&mut self, offset: u64, error: ErrorCode, data: &[u8]) -> Option<bool> {
        let end = offset.checked_add(data.len() as u64)?;
        let room = self.target.as_ref().map_or(0, Target::bytes);
        (end <= room as u64).then_some(())?;
        if let Some(target) = &self.target {
            memory::unpack_at(data, target, offset as usize);
        }
        self.bytes += data.len() as u64;
        if self.error == ErrorCode::SUCCESS {
            self.error = error;
        }
        self.left -= 1;
        Some(self.left == 0)
    }
}
