//! Sends.

use super::BlockingCall;
use super::CompletedSend;
use crate::buffered::Reservation;
use crate::comm::Comm;
use crate::comm::check;
use crate::constants::PROC_NULL;
use crate::endpoint::{EagerBuffer, Endpoint, Letter, MatchTable, PostedReceive, Unexpected, status_of};
use crate::error::Result;
use crate::instrument;
use crate::matching::{Envelope, Place};
use crate::memory::{self, Source};
use crate::process::Process;
use crate::request::{Request, Waiter};
use simurgh_core::sync::{Arc, BiasedGuard};
use simurgh_core::{Purpose, PurposeGuard};

/// When a send is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// When its memory may be reused, by a copy or by delivery.
    Standard,
    /// When its receive has been matched.
    Synchronous,
    /// At once: the message goes to the attached buffer if need be.
    Buffered,
    /// As standard: that the receive is posted, as the user says, makes no difference here.
    Ready,
    /// At once: the message is copied out if need be, whatever its size.
    Copied,
}

/// The outcome of a send that has been started.
#[derive(Debug)]
pub(crate) enum Sent {
    /// It is complete, and so is its receive.
    Done,
    /// It is complete: a copy of the message is queued in the table of a process, or is on its way there.
    Buffered { process: u32, place: Place },
    /// It is queued in the table of a process, or waits on this host for a clear to send.
    Queued { process: u32, place: Place },
}

/// The result of matching a message in the table of its receiver.
enum Matched<'a> {
    /// A posted receive, to which it has been delivered.
    Delivered,
    /// No receive; the table is still locked.
    NoReceive(BiasedGuard<'a, MatchTable>),
}

/// The state of a nonblocking send when it has been started, for its caller.
#[derive(Debug)]
pub enum Started {
    /// Nothing: the message has been received.
    Done,
    /// The send is complete, but its message is queued and could be cancelled.
    Buffered(CompletedSend),
    /// A request to wait for.
    Waiting(Arc<Request>),
}

impl Started {
    /// The request; for a complete send that of all complete sends.
    #[must_use]
    pub fn into_request(self, process: &Process) -> Arc<Request> {
        match self {
            Self::Done | Self::Buffered(_) => process.requests().done_send(),
            Self::Waiting(request) => request,
        }
    }
}

impl Comm {
    /// Sends and returns when the memory may be reused (`MPI_Send`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`](crate::ErrorClass::Rank) or [`ErrorClass::Tag`](crate::ErrorClass::Tag) for a wrong
    /// argument.
    #[inline]
    pub fn send(&self, source: &Source, dest: i32, tag: i32) -> Result<()> {
        self.send_in(Mode::Standard, source, dest, tag)
    }

    /// Sends and returns when the mode says so (`MPI_Send`, `MPI_Ssend`, `MPI_Bsend`, `MPI_Rsend`).
    ///
    /// # Errors
    ///
    /// As [`Comm::send`]; [`ErrorClass::Buffer`](crate::ErrorClass::Buffer) if the message does not fit in the attached
    /// buffer.
    #[inline(always)]
    pub fn send_in(&self, mode: Mode, source: &Source, dest: i32, tag: i32) -> Result<()> {
        check::to(dest, tag, self)?;
        if dest == PROC_NULL {
            return Ok(());
        }
        let process = self.process_of(dest);
        if !self.process().job().layout().is_here(process) {
            return self.send_remote(mode, source, process, tag);
        }
        let to = self.process().job().endpoint(process);
        if self.send_through_ring(mode, process, to, tag, source).is_some() {
            return Ok(());
        }
        match self.match_receive(process, to, tag, source) {
            Matched::Delivered => Ok(()),
            Matched::NoReceive(table) => self.send_unmatched(mode, process, table, tag, source),
        }
    }

    /// Sends a message that has matched no receive, apart from the path of those that have.
    #[inline(never)]
    fn send_unmatched(
        &self,
        mode: Mode,
        process: u32,
        table: BiasedGuard<'_, MatchTable>,
        tag: i32,
        source: &Source,
    ) -> Result<()> {
        let mut call = None;
        let sent = self.queue_unexpected(mode, process, table, tag, source, || {
            call.insert(BlockingCall::begin(self.process())).waiter()
        })?;
        // Not matched as a tuple: to put one together, loads would wait for the stores of its parts.
        if matches!(sent, Sent::Queued { .. })
            && let Some(call) = call
        {
            let _purpose = PurposeGuard::begin(Purpose::Network);
            call.wait();
        }
        Ok(())
    }

    /// Starts a send (`MPI_Isend`, `MPI_Issend`, `MPI_Ibsend`, `MPI_Irsend`). What is left of it is to be
    /// [released](Process::release).
    ///
    /// # Errors
    ///
    /// As [`Comm::send_in`].
    #[inline(always)]
    pub fn isend(&self, mode: Mode, source: &Source, dest: i32, tag: i32) -> Result<Started> {
        check::to(dest, tag, self)?;
        if dest == PROC_NULL {
            return Ok(Started::Done);
        }
        let process = self.process_of(dest);
        if !self.process().job().layout().is_here(process) {
            return self.isend_remote(mode, source, process, tag);
        }
        let to = self.process().job().endpoint(process);
        if self.may_use_ring(mode, to) {
            if let Some(place) = self.leave_in_ring(process, tag, source) {
                return Ok(Started::Buffered(CompletedSend::new(process, place)));
            }
            if mode != Mode::Copied
                && self.process().endpoint().looks_alone()
                && let Some(request) = self.send_by_reference(process, tag, source)
            {
                return Ok(Started::Waiting(request));
            }
        }
        match self.match_receive(process, to, tag, source) {
            Matched::Delivered => Ok(Started::Done),
            Matched::NoReceive(table) => self.isend_unmatched(mode, process, table, tag, source),
        }
    }

    /// Starts a send of a message that has matched no receive, apart from the path of those that have.
    #[inline(never)]
    fn isend_unmatched(
        &self,
        mode: Mode,
        process: u32,
        table: BiasedGuard<'_, MatchTable>,
        tag: i32,
        source: &Source,
    ) -> Result<Started> {
        self.start(|waiter| self.queue_unexpected(mode, process, table, tag, source, waiter))
    }

    /// Starts a send by `offer`, and makes a request if the message has to stay in the sender's memory.
    #[inline]
    pub(super) fn start(
        &self,
        offer: impl FnOnce(&mut dyn FnMut() -> Waiter) -> Result<Sent>,
    ) -> Result<Started> {
        let requests = self.process().requests();
        let mut request = None;
        let sent = offer(&mut || request.insert(requests.take_send()).own_waiter())?;
        Ok(match sent {
            Sent::Done => Started::Done,
            Sent::Buffered { process, place } => Started::Buffered(CompletedSend::new(process, place)),
            Sent::Queued { process, place } => {
                let request = request.expect("who is queued has asked who waits");
                request.queued_at(process, place);
                Started::Waiting(request)
            }
        })
    }

    /// Sends with checked arguments. `waiter` gives what to complete at the end if the message has to stay in the
    /// sender's memory.
    #[inline]
    pub(crate) fn start_send(
        &self,
        source: &Source,
        dest: i32,
        tag: i32,
        mode: Mode,
        waiter: impl FnOnce() -> Waiter,
    ) -> Result<Sent> {
        if dest == PROC_NULL {
            return Ok(Sent::Done);
        }
        let process = self.process_of(dest);
        if !self.process().job().layout().is_here(process) {
            return self.start_remote_send(mode, source, process, tag, waiter);
        }
        let to = self.process().job().endpoint(process);
        if let Some(place) = self.send_through_ring(mode, process, to, tag, source) {
            return Ok(Sent::Buffered { process, place });
        }
        match self.match_receive(process, to, tag, source) {
            Matched::Delivered => Ok(Sent::Done),
            Matched::NoReceive(table) => self.queue_unexpected(mode, process, table, tag, source, waiter),
        }
    }

    /// The envelope of messages that this rank sends.
    #[inline]
    pub(super) fn outgoing(&self, tag: i32) -> Envelope {
        Envelope {
            context: self.context(),
            source: self.rank(),
            tag,
        }
    }

    /// Leaves a short message in the ring of its receiver, if that has one which takes it.
    #[inline]
    fn send_through_ring(
        &self,
        mode: Mode,
        process: u32,
        to: &Endpoint,
        tag: i32,
        source: &Source,
    ) -> Option<Place> {
        self.may_use_ring(mode, to)
            .then(|| self.leave_in_ring(process, tag, source))?
    }

    /// Whether a message may go through the ring of its receiver, if that has one.
    #[inline]
    fn may_use_ring(&self, mode: Mode, to: &Endpoint) -> bool {
        !matches!(mode, Mode::Synchronous | Mode::Buffered) && !to.has_route_of(self.process().endpoint())
    }

    #[inline(never)]
    fn leave_in_ring(&self, process: u32, tag: i32, source: &Source) -> Option<Place> {
        let to = self.process().job().endpoint(process);
        let place = to.leave_in_ring(self.letter(process, tag), source)?;
        instrument::sent(self.process(), process, || source.bytes());
        Some(place.message().place())
    }

    /// A message of this rank for a process.
    #[inline]
    fn letter(&self, receiver: u32, tag: i32) -> Letter<'_> {
        Letter {
            sender: self.process().endpoint(),
            receiver,
            envelope: self.outgoing(tag),
            kinds: self.hints().kinds(),
        }
    }

    /// Leaves the address of a message in the ring of its receiver, if that has one which takes it. The sender looks
    /// whether it has been taken.
    #[inline(never)]
    fn send_by_reference(&self, process: u32, tag: i32, source: &Source) -> Option<Arc<Request>> {
        let me = self.process();
        let may = source.bytes() <= me.tuning().eager_limit();
        let to = me.job().endpoint(process);
        let place = may.then(|| to.leave_reference(self.letter(process, tag), source))??;
        instrument::sent(me, process, || source.bytes());
        let request = me.requests().take_send();
        request.queued_at(process, place.message().place());
        me.add_reference(request.own_waiter(), place);
        Some(request)
    }

    /// Copies a message to a buffer of the sender, and leaves the address of that in the ring of the receiver, if that
    /// has one which takes it. Returns whether it has done so.
    ///
    /// It is for calls that receive as well. Two ranks that exchange messages would each work in the table of the other
    /// at the same time. A receiver that only waits gets its message sooner from its table, at once in its place.
    #[inline(never)]
    pub(super) fn send_copy(&self, source: &Source, dest: i32, tag: i32) -> bool {
        if dest == PROC_NULL {
            return false;
        }
        let (me, process, bytes) = (self.process(), self.process_of(dest), source.bytes());
        if !me.job().layout().is_here(process) || bytes > me.tuning().eager_limit() {
            return false;
        }
        let to = me.job().endpoint(process);
        if !to.may_take_address(me.endpoint(), bytes) {
            return false;
        }
        let mut buffer = me.send_buffer(bytes);
        memory::pack(source, buffer.bytes_mut());
        let place = to.leave_address(self.letter(process, tag), buffer.bytes());
        me.keep_send_buffer(buffer, place);
        if place.is_some() {
            instrument::sent(me, process, || bytes);
        }
        place.is_some()
    }

    /// Delivers the message to a posted receive of a process, whose endpoint is `to`, that matches. If there is none,
    /// the receiver's table stays locked.
    #[inline(always)]
    fn match_receive<'a>(&self, process: u32, to: &'a Endpoint, tag: i32, source: &Source) -> Matched<'a> {
        // Not passed on to the other path, so that it stays in registers.
        let envelope = self.outgoing(tag);
        instrument::sent(self.process(), process, || source.bytes());
        let mut table = to.table_for(self.process().endpoint());
        // Taken where it has been found: an optional receive would be moved once more.
        let Some(found) = table.find_receive(envelope) else {
            return Matched::NoReceive(table);
        };
        let receive = table.take_found(found);
        drop(table);
        self.complete_receive(process, receive, envelope, source);
        Matched::Delivered
    }

    /// Queues a message that has matched no receive in the table of its receiver.
    #[inline]
    fn queue_unexpected(
        &self,
        mode: Mode,
        process: u32,
        mut table: BiasedGuard<'_, MatchTable>,
        tag: i32,
        source: &Source,
        waiter: impl FnOnce() -> Waiter,
    ) -> Result<Sent> {
        let envelope = self.outgoing(tag);
        let to = self.process().job().endpoint(process);
        let bytes = source.bytes();
        let tuning = self.process().tuning();
        match mode {
            Mode::Buffered => {
                let reservation = self.reserve_buffer(bytes)?;
                Ok(self.queue_copy(process, table, envelope, source, Some(reservation)))
            }
            Mode::Copied => Ok(self.queue_copy(process, table, envelope, source, None)),
            Mode::Standard | Mode::Ready if bytes <= tuning.inline_limit() => {
                let job = self.process().job();
                instrument::unexpected(to, envelope, bytes);
                let place = table.arrive(
                    job.host(),
                    envelope,
                    self.hints().kinds(),
                    Unexpected::inline(source),
                );
                Ok(Sent::Buffered { process, place })
            }
            Mode::Standard | Mode::Ready
                if bytes <= tuning.eager_limit() && table.has_room(bytes, tuning.backlog_limit()) =>
            {
                Ok(self.queue_copy(process, table, envelope, source, None))
            }
            Mode::Standard | Mode::Ready | Mode::Synchronous => {
                let payload = Unexpected::InPlace {
                    source: source.clone(),
                    waiter: waiter(),
                };
                let job = self.process().job();
                instrument::unexpected(to, envelope, bytes);
                instrument::left_with_sender(self.process(), process, envelope, bytes);
                let place = table.arrive(job.host(), envelope, self.hints().kinds(), payload);
                Ok(Sent::Queued { process, place })
            }
        }
    }

    /// Copies into a posted receive and completes it.
    #[inline(always)]
    fn complete_receive(&self, process: u32, receive: PostedReceive, envelope: Envelope, source: &Source) {
        let job = self.process().job();
        if instrument::on() {
            instrument::matched(job.endpoint(process), envelope, || source.bytes());
        }
        let transfer = memory::transfer(source, &receive.target);
        receive.waiter.finish(job.host(), &status_of(envelope, &transfer));
    }

    /// Copies the message, with the table unlocked, and queues the copy unless a matching receive has been posted
    /// meanwhile.
    fn queue_copy(
        &self,
        process: u32,
        mut table: BiasedGuard<'_, MatchTable>,
        envelope: Envelope,
        source: &Source,
        reservation: Option<Reservation>,
    ) -> Sent {
        let bytes = source.bytes();
        let pooled = table.buffers().take(bytes);
        drop(table);
        let mut buffer = pooled.unwrap_or_else(|| EagerBuffer::allocate(bytes));
        memory::pack(source, buffer.bytes_mut());
        let job = self.process().job();
        let to = job.endpoint(process);
        let mut table = to.table_for(self.process().endpoint());
        match table.take_receive(envelope) {
            None => {
                instrument::unexpected(to, envelope, bytes);
                let place = table.arrive(
                    job.host(),
                    envelope,
                    self.hints().kinds(),
                    Unexpected::Copied {
                        buffer,
                        reservation,
                        from_ring: None,
                    },
                );
                Sent::Buffered { process, place }
            }
            Some(receive) => {
                table.buffers().give_back(buffer);
                drop(table);
                self.complete_receive(process, receive, envelope, source);
                Sent::Done
            }
        }
    }
}
