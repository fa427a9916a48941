//! Receives.

use super::BlockingCall;
use crate::comm::Comm;
use crate::comm::check;
use crate::constants::PROC_NULL;
use crate::endpoint::{MatchTable, PostedReceive, RequestToSend, Unexpected};
use crate::error::Result;
use crate::error::Status;
use crate::matching::{Envelope, Pattern, Place};
use crate::memory::Target;
use crate::request::{Request, Waiter};
use simurgh_core::sync::Arc;

/// The outcome of a receive that has been started.
#[derive(Debug)]
pub(crate) enum Received {
    /// It is complete.
    Done(Status),
    /// It is posted in the table of its own process, or waits for data from another host.
    Posted(Place),
}

impl Comm {
    /// Receives a message (`MPI_Recv`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`](crate::ErrorClass::Rank) or [`ErrorClass::Tag`](crate::ErrorClass::Tag) for a wrong
    /// argument; [`ErrorClass::Truncate`](crate::ErrorClass::Truncate), with the status, if the message was longer
    /// than the target.
    #[inline]
    pub fn recv(&self, target: &Target, source: i32, tag: i32) -> Result<Status> {
        check::from(source, tag, self)?;
        let mut call = None;
        let received = self.post_receive(target, source, tag, |own| {
            call.insert(BlockingCall::begin_in(own, self.process())).waiter()
        });
        let status = match (received, call) {
            (Received::Done(status), _) => status,
            (Received::Posted(_), Some(call)) => call.wait(),
            (Received::Posted(_), None) => unreachable!("a receive is posted with its waiter"),
        };
        status.into_result()
    }

    /// Starts a receive (`MPI_Irecv`). The request is to be [released](crate::Process::release).
    ///
    /// # Errors
    ///
    /// As [`Comm::recv`], but truncation is reported when the request completes.
    #[inline(always)]
    pub fn irecv(&self, target: &Target, source: i32, tag: i32) -> Result<Arc<Request>> {
        check::from(source, tag, self)?;
        let process = self.process();
        let mut table = process.endpoint().own_table();
        if table.has_messages() || source == PROC_NULL {
            drop(table);
            return Ok(self.irecv_unless_arrived(target, source, tag));
        }
        let request = process.requests().take_receive();
        let receive = PostedReceive {
            target: target.clone(),
            waiter: request.own_waiter(),
        };
        let place = table.post(self.pattern(source, tag), receive);
        drop(table);
        request.queued_at(process.id(), place);
        Ok(request)
    }

    /// Starts a receive with checked arguments, whose message may have arrived.
    #[inline(never)]
    fn irecv_unless_arrived(&self, target: &Target, source: i32, tag: i32) -> Arc<Request> {
        let requests = self.process().requests();
        let mut request = None;
        let received = self.post_receive(target, source, tag, |_| {
            request.insert(requests.take_receive()).own_waiter()
        });
        match (received, request) {
            (Received::Posted(place), Some(request)) => {
                request.queued_at(self.process().id(), place);
                request
            }
            (Received::Done(status), _) => requests.take_finished(&status),
            (Received::Posted(_), None) => unreachable!("a receive is posted with its request"),
        }
    }

    /// Receives with checked arguments. If no message is there, `waiter` gives what to complete when it comes; the
    /// process's table is locked then.
    #[inline(always)]
    pub(crate) fn post_receive(
        &self,
        target: &Target,
        source: i32,
        tag: i32,
        waiter: impl FnOnce(&MatchTable) -> Waiter,
    ) -> Received {
        if source == PROC_NULL {
            return Received::Done(Status::PROC_NULL);
        }
        self.post_matching(target, self.pattern(source, tag), waiter)
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
    #[inline(always)]
    pub(super) fn post_matching(
        &self,
        target: &Target,
        pattern: Pattern,
        waiter: impl FnOnce(&MatchTable) -> Waiter,
    ) -> Received {
        let endpoint = self.process().endpoint();
        let mut table = endpoint.own_table();
        if table.has_messages()
            && let Some((envelope, payload)) = table.take_message(pattern)
        {
            drop(table);
            return match self.receive_unexpected(envelope, payload, target) {
                Ok(status) => Received::Done(status),
                Err(request) => {
                    let waiter = waiter(&endpoint.table());
                    self.process()
                        .receive_rendezvous(&request, envelope, target, waiter);
                    Received::Posted(Place::NOWHERE)
                }
            };
        }
        let waiter = waiter(&table);
        let receive = PostedReceive {
            target: target.clone(),
            waiter,
        };
        Received::Posted(table.post(pattern, receive))
    }

    /// Receives a message that has been taken from the unexpected queue; gives back the request of a rendezvous.
    #[inline(never)]
    fn receive_unexpected(
        &self,
        envelope: Envelope,
        payload: Unexpected,
        target: &Target,
    ) -> std::result::Result<Status, RequestToSend> {
        let process = self.process();
        payload.deliver(&**process.job(), process.endpoint(), envelope, target)
    }
}
