//! The sending side.

use super::payload::status_of;
use super::{Charge, Parcel, Payload};
use crate::check;
use crate::comm::Comm;
use crate::constants::PROC_NULL;
use crate::endpoint::{Endpoint, Posted, Table};
use crate::error::Result;
use crate::limits::{EAGER_LIMIT, INLINE_LIMIT};
use crate::matching::{Envelope, Place};
use crate::memory::{self, Source};
use crate::request::{Call, Request, Waiter};
use simurgh_core::sync::{Arc, SpinGuard};

/// When a send is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// When its memory may be reused, by a copy or by delivery.
    Standard,
    /// When its receive has been matched.
    Synchronous,
    /// At once: the message goes to the attached buffer if need be.
    Buffered,
    /// As standard; the user says that the receive is posted, which we have no need to know.
    Ready,
    /// At once: the message is copied out if need be, whatever its size.
    Copied,
}

/// What became of a send.
#[derive(Debug)]
pub(crate) enum Sent {
    /// It is complete.
    Done,
    /// It waits in the table of a process.
    Queued { process: u32, place: Place },
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
        self.send_in_mode(source, dest, tag, Mode::Standard)
    }

    /// Sends and returns when the receive has been matched (`MPI_Ssend`).
    ///
    /// # Errors
    ///
    /// As [`Comm::send`].
    pub fn ssend(&self, source: &Source, dest: i32, tag: i32) -> Result<()> {
        self.send_in_mode(source, dest, tag, Mode::Synchronous)
    }

    /// Sends through the attached buffer and returns at once (`MPI_Bsend`).
    ///
    /// # Errors
    ///
    /// As [`Comm::send`]; [`ErrorClass::Buffer`](crate::ErrorClass::Buffer) if the message does not fit.
    pub fn bsend(&self, source: &Source, dest: i32, tag: i32) -> Result<()> {
        self.send_in_mode(source, dest, tag, Mode::Buffered)
    }

    /// Sends to a receive that has been posted (`MPI_Rsend`).
    ///
    /// # Errors
    ///
    /// As [`Comm::send`].
    pub fn rsend(&self, source: &Source, dest: i32, tag: i32) -> Result<()> {
        self.send_in_mode(source, dest, tag, Mode::Ready)
    }

    /// Starts a standard send (`MPI_Isend`).
    ///
    /// # Errors
    ///
    /// As [`Comm::send`].
    pub fn isend(&self, source: &Source, dest: i32, tag: i32) -> Result<Arc<Request>> {
        self.start_send(source, dest, tag, Mode::Standard)
    }

    /// Starts a synchronous send (`MPI_Issend`).
    ///
    /// # Errors
    ///
    /// As [`Comm::send`].
    pub fn issend(&self, source: &Source, dest: i32, tag: i32) -> Result<Arc<Request>> {
        self.start_send(source, dest, tag, Mode::Synchronous)
    }

    /// Starts a buffered send (`MPI_Ibsend`).
    ///
    /// # Errors
    ///
    /// As [`Comm::bsend`].
    pub fn ibsend(&self, source: &Source, dest: i32, tag: i32) -> Result<Arc<Request>> {
        self.start_send(source, dest, tag, Mode::Buffered)
    }

    /// Starts a ready send (`MPI_Irsend`).
    ///
    /// # Errors
    ///
    /// As [`Comm::send`].
    pub fn irsend(&self, source: &Source, dest: i32, tag: i32) -> Result<Arc<Request>> {
        self.start_send(source, dest, tag, Mode::Ready)
    }

    #[inline]
    pub(super) fn send_in_mode(&self, source: &Source, dest: i32, tag: i32, mode: Mode) -> Result<()> {
        check::dest(dest, self)?;
        check::tag(tag)?;
        let mut call = None;
        let sent = self.offer(source, dest, tag, mode, || {
            call.insert(Call::begin(self.process())).waiter()
        })?;
        if let (Sent::Queued { .. }, Some(call)) = (sent, call) {
            call.wait();
        }
        Ok(())
    }

    /// Starts a send and gives its request.
    pub(super) fn start_send(
        &self,
        source: &Source,
        dest: i32,
        tag: i32,
        mode: Mode,
    ) -> Result<Arc<Request>> {
        check::dest(dest, self)?;
        check::tag(tag)?;
        let requests = self.process().requests();
        let mut request = None;
        let sent = self.offer(source, dest, tag, mode, || {
            Waiter::Request(Arc::clone(request.insert(requests.take_send())))
        })?;
        match (sent, request) {
            (Sent::Queued { process, place }, Some(request)) => {
                request.queued_at(process, place);
                Ok(request)
            }
            _ => Ok(requests.done_send()),
        }
    }

    /// Sends with checked arguments; `waiter` is asked who waits if the message has to stay in the sender's memory.
    #[inline]
    pub(crate) fn offer(
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
        let envelope = Envelope {
            context: self.context(),
            source: self.rank(),
            tag,
        };
        self.offer_as(envelope, source, dest, mode, waiter)
    }

    /// Sends with a given envelope.
    #[inline]
    fn offer_as(
        &self,
        envelope: Envelope,
        source: &Source,
        dest: i32,
        mode: Mode,
        waiter: impl FnOnce() -> Waiter,
    ) -> Result<Sent> {
        let process = self.process_of(dest);
        let to = self.process().job().endpoint(process);
        let mut table = to.table();
        if let Some(receive) = table.take_receive(envelope) {
            drop(table);
            self.hand_over(receive, envelope, source);
            return Ok(Sent::Done);
        }
        let bytes = source.bytes();
        match mode {
            Mode::Buffered => {
                let charge = self.process().buffer().charge(bytes)?;
                self.leave_copy(to, table, envelope, source, Some(charge));
            }
            Mode::Copied => self.leave_copy(to, table, envelope, source, None),
            Mode::Standard | Mode::Ready if bytes <= INLINE_LIMIT => {
                table.arrive(self.process().job(), envelope, Payload::inline(source));
            }
            Mode::Standard | Mode::Ready if bytes <= EAGER_LIMIT && table.has_room(bytes) => {
                self.leave_copy(to, table, envelope, source, None);
            }
            Mode::Standard | Mode::Ready | Mode::Synchronous => {
                let payload = Payload::Lent {
                    source: source.clone(),
                    waiter: waiter(),
                };
                let place = table.arrive(self.process().job(), envelope, payload);
                return Ok(Sent::Queued { process, place });
            }
        }
        Ok(Sent::Done)
    }

    /// Copies into a posted receive and completes it.
    #[inline]
    fn hand_over(&self, receive: Posted, envelope: Envelope, source: &Source) {
        let transfer = memory::transfer(source, &receive.target);
        receive
            .waiter
            .finish(self.process().job(), &status_of(envelope, &transfer));
    }

    /// Copies the message out, with the table unlocked, and leaves the copy unless a receive has been posted meanwhile.
    fn leave_copy(
        &self,
        to: &Endpoint,
        mut table: SpinGuard<'_, Table>,
        envelope: Envelope,
        source: &Source,
        charge: Option<Charge>,
    ) {
        let bytes = source.bytes();
        let pooled = table.parcels().take(bytes);
        drop(table);
        let mut parcel = pooled.unwrap_or_else(|| Parcel::allocate(bytes));
        memory::pack(source, parcel.bytes_mut());
        let mut table = to.table();
        match table.take_receive(envelope) {
            None => {
                table.arrive(self.process().job(), envelope, Payload::Copied { parcel, charge });
            }
            Some(receive) => {
                table.parcels().give_back(parcel);
                drop(table);
                self.hand_over(receive, envelope, source);
            }
        }
    }
}
