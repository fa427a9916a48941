//! Receives.

use super::{AwaitedTarget, BlockingCall};
use crate::comm::Comm;
use crate::comm::check;
use crate::constants::PROC_NULL;
use crate::endpoint::{MatchTable, PostedReceive, Unexpected};
use crate::error::Result;
use crate::error::Status;
use crate::matching::{Envelope, Pattern, Place};
use crate::memory::Target;
use crate::request::{Request, Waiter};
use simurgh_core::sync::{Arc, BiasedGuard};
use simurgh_core::{Purpose, PurposeGuard};
use std::convert::Infallible;

/// A nonblocking receive that has been started.
#[derive(Debug)]
pub enum Irecv<R> {
    /// It is complete, with what the caller has made of its status.
    Complete(R),
    /// A request to wait for.
    Waiting(Arc<Request>),
}

/// The outcome of a receive that has been started.
#[derive(Debug)]
pub(crate) enum Received<R = Status> {
    /// It is complete: its status, or what the caller has made of that.
    Done(R),
    /// It is posted in the table of its own process, or waits for data from another host.
    Posted(Place),
}

impl Received {
    /// The status, when the call that has been made for the receive is over.
    pub(super) fn status(self, call: Option<BlockingCall<'_>>) -> Status {
        match (self, call) {
            (Self::Done(status), _) => status,
            (Self::Posted(place), Some(call)) => {
                // What is in no table waits for data that has been asked for.
                let asked = place == Place::NOWHERE;
                let _purpose = asked.then(|| PurposeGuard::begin(Purpose::Network));
                call.wait()
            }
            (Self::Posted(_), None) => unreachable!("a receive is posted with its waiter"),
        }
    }
}

impl Comm {
    /// Receives a message (`MPI_Recv`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`](crate::ErrorClass::Rank) or [`ErrorClass::Tag`](crate::ErrorClass::Tag) for a wrong
    /// argument; [`ErrorClass::Truncate`](crate::ErrorClass::Truncate), with the status, if the message was longer
    /// than the target.
    #[inline(always)]
    pub fn recv(&self, target: Target, source: i32, tag: i32) -> Result<Status> {
        self.recv_with(|| target, source, tag)
    }

    /// [`Comm::recv`] into a target that is made where it is needed. One that is made before lies in memory, for there
    /// are errors with which it has to be dropped, and is read there before its parts have been written.
    ///
    /// # Errors
    ///
    /// As [`Comm::recv`].
    #[inline(always)]
    pub fn recv_with(&self, target: impl FnOnce() -> Target, source: i32, tag: i32) -> Result<Status> {
        check::from(source, tag, self)?;
        let mut table = self.process().endpoint().table_to_receive();
        if table.may_have_messages() || source == PROC_NULL {
            return self.recv_arrived(table, target(), source, tag);
        }
        let call = BlockingCall::begin_in(&table, self.process());
        let waiter = call.waiter();
        let target = target();
        let awaited = AwaitedTarget::of(&target);
        table.post(self.pattern(source, tag), PostedReceive { target, waiter });
        drop(table);
        awaited.prefetch(self, source);
        call.result()
    }

    /// Receives with checked arguments, where messages have arrived that may match.
    ///
    /// It takes the target itself: one whose address is passed on lies in memory on the other path, too.
    #[inline(never)]
    fn recv_arrived(
        &self,
        table: BiasedGuard<'_, MatchTable>,
        target: Target,
        source: i32,
        tag: i32,
    ) -> Result<Status> {
        let mut call = None;
        let waiter = |own: &MatchTable| call.insert(BlockingCall::begin_in(own, self.process())).waiter();
        let received = self.post_receive_in(table, &target, source, tag, waiter, |status| *status);
        received.status(call).into_result()
    }

    /// Starts a receive (`MPI_Irecv`). The request is to be [released](crate::Process::release).
    ///
    /// # Errors
    ///
    /// As [`Comm::recv`], but truncation is reported when the request completes.
    pub fn irecv(&self, target: &Target, source: i32, tag: i32) -> Result<Arc<Request>> {
        Ok(
            match self.irecv_with(target, source, tag, |_| None::<Infallible>)? {
                Irecv::Complete(never) => match never {},
                Irecv::Waiting(request) => request,
            },
        )
    }

    /// As [`Comm::irecv`]. If the receive is complete at once, `complete` is given the status and may make a result of
    /// it in the place of a request.
    ///
    /// # Errors
    ///
    /// As [`Comm::irecv`].
    #[inline(always)]
    pub fn irecv_with<R>(
        &self,
        target: &Target,
        source: i32,
        tag: i32,
        complete: impl FnOnce(&Status) -> Option<R>,
    ) -> Result<Irecv<R>> {
        check::from(source, tag, self)?;
        let process = self.process();
        let mut table = process.endpoint().table_to_receive();
        if table.may_have_messages() || source == PROC_NULL {
            return Ok(self.irecv_arrived(table, target, source, tag, complete));
        }
        let request = process.requests().take_receive();
        let receive = PostedReceive::new(target, request.own_waiter());
        let place = table.post(self.pattern(source, tag), receive);
        drop(table);
        request.queued_at(process.id(), place);
        Ok(Irecv::Waiting(request))
    }

    /// Starts a receive with checked arguments, where messages have arrived that may match.
    #[inline(never)]
    fn irecv_arrived<R>(
        &self,
        table: BiasedGuard<'_, MatchTable>,
        target: &Target,
        source: i32,
        tag: i32,
        complete: impl FnOnce(&Status) -> Option<R>,
    ) -> Irecv<R> {
        let requests = self.process().requests();
        let mut request = None;
        let waiter = |_: &MatchTable| request.insert(requests.take_receive()).own_waiter();
        let done = |status: &Status| match complete(status) {
            Some(result) => Irecv::Complete(result),
            None => Irecv::Waiting(requests.take_finished(status)),
        };
        let received = self.post_receive_in(table, target, source, tag, waiter, done);
        match (received, request) {
            (Received::Posted(place), Some(request)) => {
                request.queued_at(self.process().id(), place);
                Irecv::Waiting(request)
            }
            (Received::Done(done), _) => done,
            (Received::Posted(_), None) => unreachable!("a receive is posted with its request"),
        }
    }

    /// Receives with checked arguments. If no message is there, `waiter` gives what to complete when it comes; the
    /// process's table is locked then.
    pub(crate) fn post_receive(
        &self,
        target: &Target,
        source: i32,
        tag: i32,
        waiter: impl FnOnce(&MatchTable) -> Waiter,
    ) -> Received {
        let table = self.process().endpoint().table_to_receive();
        self.post_receive_in(table, target, source, tag, waiter, |status| *status)
    }

    /// [`Comm::post_receive`] in the table of the process, which has been locked. `done` is given the status of a
    /// receive that is complete. One that is returned would be read in memory before its parts have been written.
    #[inline(always)]
    fn post_receive_in<R>(
        &self,
        table: BiasedGuard<'_, MatchTable>,
        target: &Target,
        source: i32,
        tag: i32,
        waiter: impl FnOnce(&MatchTable) -> Waiter,
        done: impl FnOnce(&Status) -> R,
    ) -> Received<R> {
        if source == PROC_NULL {
            return Received::Done(done(&Status::PROC_NULL));
        }
        self.post_matching_in(table, target, self.pattern(source, tag), waiter, done)
    }

    /// The pattern of a receive on this communicator.
    #[inline]
    fn pattern(&self, source: i32, tag: i32) -> Pattern {
        Pattern {
            context: self.context(),
            source,
            tag,
        }
    }

    /// Receives a message whose envelope matches this pattern.
    pub(super) fn post_matching(
        &self,
        target: &Target,
        pattern: Pattern,
        waiter: impl FnOnce(&MatchTable) -> Waiter,
    ) -> Received {
        self.post_matching_in(
            self.process().endpoint().table_to_receive(),
            target,
            pattern,
            waiter,
            |status| *status,
        )
    }

    /// [`Comm::post_matching`] in the table of the process, which has been locked.
    #[inline(always)]
    fn post_matching_in<R>(
        &self,
        mut table: BiasedGuard<'_, MatchTable>,
        target: &Target,
        pattern: Pattern,
        waiter: impl FnOnce(&MatchTable) -> Waiter,
        done: impl FnOnce(&Status) -> R,
    ) -> Received<R> {
        let (process, endpoint) = (self.process().id(), self.process().endpoint());
        if table.may_have_messages() {
            // What waits in the table was sent before what is in the ring.
            if let Some(found) = table.take_message(pattern) {
                drop(table);
                return match self.receive_unexpected(found, target, waiter) {
                    Received::Done(status) => Received::Done(done(&status)),
                    Received::Posted(place) => Received::Posted(place),
                };
            }
            if let Some(done) = endpoint.receive_from_ring(process, &mut table, pattern, target, done) {
                return Received::Done(done);
            }
        }
        let receive = PostedReceive::new(target, waiter(&table));
        Received::Posted(table.post(pattern, receive))
    }

    /// Receives a message that has been taken out of the table.
    fn receive_unexpected(
        &self,
        (envelope, payload): (Envelope, Unexpected),
        target: &Target,
        waiter: impl FnOnce(&MatchTable) -> Waiter,
    ) -> Received {
        let (process, endpoint) = (self.process(), self.process().endpoint());
        match payload.deliver(&**process.job(), endpoint, envelope, target) {
            Ok(status) => Received::Done(status),
            Err(request) => {
                let waiter = waiter(&endpoint.table());
                process.receive_rendezvous(&request, envelope, target, waiter);
                Received::Posted(Place::NOWHERE)
            }
        }
    }
}
