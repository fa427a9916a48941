//! Messages between hosts that belong to no rank.
//!
//! Joint operations of the ranks of a host need messages to other hosts: collectives, and the calls by which hosts
//! agree on a new communicator. These messages go to an endpoint that each host has besides those of its ranks, with
//! the same matching and the same protocols. Blocking calls suspend the execution context that makes them.
//!
//! Costs: as for a message between ranks; requests come from a pool of the host.

use super::send::OutgoingMessage;
use super::wire::Label;
use super::{HOST_BASE, MatchedReceive, Network, Rounds, SendData};
use crate::endpoint::{Credits, PostedReceive, Unexpected};
use crate::error::Status;
use crate::error::{Error, Result};
use crate::host::Host;
use crate::matching::{Envelope, Pattern, PatternKinds};
use crate::memory::{self, Source, Target};
use crate::request::{Callers, Request, RequestPool, StatusCell, Waiter};
use simurgh_core::sync::Arc;
use simurgh_net::HostId;
use simurgh_settings::Id;
use std::cell::Cell;

/// A channel to the other hosts for one round of a context: messages of other contexts and other rounds do not match.
#[derive(Clone, Copy)]
pub(crate) struct HostChannel<'a> {
    pub(super) local: &'a Host,
    pub(super) network: &'a Network,
    /// The rounds that belong together, of which this channel has one.
    pub(super) rounds: Rounds,
    round: i32,
}

/// A message on its way. Its memory is in use until the end; dropping this value waits for that.
#[must_use]
pub(crate) struct Pending<'a> {
    requests: &'a RequestPool,
    /// None once it is over.
    request: Option<Arc<Request>>,
    /// The outcome.
    outcome: Result<Status>,
    /// Bytes that were sent; none for what is received.
    sent: Option<usize>,
}

impl<'a> HostChannel<'a> {
    /// A channel to the other hosts for the first of these rounds, which are not negative.
    pub(crate) fn new(local: &'a Host, network: &'a Network, rounds: Rounds) -> Self {
        debug_assert!(rounds.first >= 0, "rounds are sent as tags");
        HostChannel {
            local,
            network,
            rounds,
            round: rounds.first,
        }
    }

    /// The channel for another of its rounds.
    pub(crate) fn beside(&self, further: i32) -> Self {
        debug_assert!((further as u32) < self.rounds.count, "it has that round");
        let round = self.rounds.first + further;
        Self { round, ..*self }
    }

    /// The envelope of messages from a host.
    fn envelope(&self, from: HostId) -> Envelope {
        Envelope {
            context: self.rounds.context,
            source: self.rounds.source(self.local.layout().short_id_of(from)),
            tag: self.round,
        }
    }

    fn message<'s>(&self, to: HostId, source: &'s Source) -> OutgoingMessage<'s> {
        let own = self.local.layout().own();
        OutgoingMessage {
            host: to,
            label: Label {
                process: HOST_BASE + to,
                envelope: self.envelope(own),
                kinds: PatternKinds::ALL,
            },
            source,
            // The number spreads pending messages over the shards of the handle table.
            sender: HOST_BASE.wrapping_add(self.rounds.context).wrapping_add(to),
            stalled: Cell::new(false),
        }
    }

    /// A message that is over when the request is complete, or is over already if there is none.
    fn pending(&self, request: Option<Arc<Request>>, outcome: Result<Status>) -> Pending<'a> {
        Pending {
            requests: &self.network.host_requests,
            request,
            outcome,
            sent: None,
        }
    }

    /// A message that is under way.
    fn under_way(&self, request: Arc<Request>) -> Pending<'a> {
        self.pending(Some(request), Ok(Status::EMPTY))
    }

    /// Starts to send to another host. The memory is in use until the end.
    pub(crate) fn start_send(&self, to: HostId, source: &Source) -> Pending<'a> {
        let message = self.message(to, source);
        let limit = self.local.settings().amount(Id::EagerLimit);
        let sent = self.network.send_eagerly(&message, limit);
        let request = sent.is_none().then(|| {
            let request = self.network.host_requests.take_send();
            let waiter = Waiter::Request(Arc::clone(&request));
            self.network
                .announce(&message, SendData::InPlace(source.clone()), Some(waiter));
            request
        });
        let mut pending = self.pending(request, Ok(Status::EMPTY));
        pending.sent = Some(source.bytes());
        pending
    }

    /// Starts to receive from another host. The memory is in use until the end.
    pub(crate) fn start_recv(&self, from: HostId, target: &Target) -> Pending<'a> {
        let pattern = self.envelope(from).exactly();
        let mut table = self.network.host_endpoint.table();
        let Some((envelope, payload)) = table.take_message(pattern) else {
            if let Some(fault) = self.fault() {
                return self.pending(None, Err(fault));
            }
            let request = self.network.host_requests.take_receive();
            let waiter = Waiter::Request(Arc::clone(&request));
            table.post(
                pattern,
                PostedReceive {
                    target: target.clone(),
                    waiter,
                },
            );
            return self.under_way(request);
        };
        drop(table);
        self.deliver(envelope, payload, target)
    }

    /// Delivers an unexpected message to its target, by the rendezvous protocol if its data is not here.
    fn deliver(&self, envelope: Envelope, payload: Unexpected, target: &Target) -> Pending<'a> {
        match payload.deliver(self, &self.network.host_endpoint, envelope, target) {
            Ok(status) => self.pending(None, Ok(status)),
            Err(announced) => {
                let request = self.network.host_requests.take_receive();
                let waiter = Waiter::Request(Arc::clone(&request));
                let user = HOST_BASE.wrapping_add(self.rounds.context);
                let matched = MatchedReceive {
                    user,
                    envelope,
                    target: target.clone(),
                    waiter,
                };
                self.network.receive_rendezvous(self.local, &announced, matched);
                self.under_way(request)
            }
        }
    }

    /// Receives what another host has sent, whatever its length.
    ///
    /// # Errors
    ///
    /// The error with which the message ended, or the reason why it will not come.
    pub(crate) fn recv_bytes(&self, from: HostId) -> Result<Vec<u8>> {
        let (envelope, payload) = self.await_message(self.envelope(from).exactly())?;
        memory::collect(payload.bytes(), |target| {
            self.deliver(envelope, payload, target).wait().map(drop)
        })
    }

    /// Why these rounds have failed, if they have.
    fn fault(&self) -> Option<Error> {
        let own = self.local.layout().own();
        self.network.failures.fault(self.envelope(own).exactly())
    }

    /// Takes the next message that matches, once it is there.
    fn await_message(&self, pattern: Pattern) -> Result<(Envelope, Unexpected)> {
        loop {
            let mut table = self.network.host_endpoint.table();
            if let Some(found) = table.take_message(pattern) {
                return Ok(found);
            }
            if let Some(fault) = self.fault() {
                return Err(fault);
            }
            let request = self.network.host_requests.take_receive();
            table.await_message(pattern, Waiter::Request(Arc::clone(&request)));
            drop(table);
            drop(self.under_way(request));
        }
    }
}

impl Callers for HostChannel<'_> {
    fn status_cell(&self, process: u32, slot: u32) -> &StatusCell {
        self.local.status_cell(process, slot)
    }
}

impl Credits for HostChannel<'_> {
    fn received(&self, from: HostId, bytes: usize) {
        self.network.received(from, bytes);
    }
}

impl Pending<'_> {
    /// Blocks until the message is over. The number of bytes that were moved.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if what came was longer than the target; or why nothing
    /// came.
    pub(crate) fn wait(mut self) -> Result<usize> {
        self.finish();
        let outcome = std::mem::replace(&mut self.outcome, Ok(Status::EMPTY));
        let status = outcome?.into_result()?;
        Ok(self.sent.unwrap_or(status.bytes as usize))
    }

    fn finish(&mut self) {
        if let Some(request) = self.request.take() {
            self.outcome = Ok(request.wait());
            self.requests.give_back(request);
        }
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.finish();
    }
}
