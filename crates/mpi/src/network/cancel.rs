//! Cancelling messages to other hosts.
//!
//! A message whose data waits at its sender is cancelled where its request to send is queued, if that has matched no
//! receive. The answer completes the send; no answer comes if a receive has it. An eager message is searched for in the
//! queue of its receiver. The answer tells whether it was still there, and the rank that cancels waits for it.

use super::Network;
use super::dispatch::PacketHandler;
use super::send::PendingSend;
use super::wire::Packet;
use crate::endpoint::Handle;
use crate::endpoint::Unexpected;
use crate::error::Status;
use crate::host::Host;
use crate::request::{Request, Waiter};
use simurgh_core::sync::Arc;
use simurgh_net::HostId;

impl Network {
    /// Cancels a message to a process of another host whose data waits here, unless it has matched a receive.
    pub(crate) fn cancel(&self, local: &Host, process: u32, sender: Handle) {
        let host = local.layout().host_of(process);
        self.tell(host, &Packet::Cancel { process, sender });
    }

    /// Cancels the message of `sender`, a process of this host, that is number `number` of those to the host of
    /// `process`. False if it has been received. Waits for the answer of the other host.
    pub(crate) fn cancel_eager(&self, local: &Host, sender: u32, process: u32, number: u32) -> bool {
        let host = local.layout().host_of(process);
        let asked = Request::task();
        if self.cancel_pending(local, (sender, number), process, &asked) {
            return asked.wait().cancelled;
        }
        let answer = self.eager_cancels.add(sender as usize, host, Arc::clone(&asked));
        let packet = Packet::CancelEager {
            process,
            origin: origin(sender, number),
            answer,
        };
        self.tell(host, &packet);
        asked.wait().cancelled
    }
}

impl Network {
    /// Cancels a message of which a copy waits here, if there is one; `asked` is completed at the end.
    fn cancel_pending(&self, local: &Host, origin: (u32, u32), process: u32, asked: &Arc<Request>) -> bool {
        let user = origin.0 as usize;
        let is_it = |outgoing: &PendingSend| outgoing.origin == origin && outgoing.label.process == process;
        let Some(copy) = self.pending_sends.find(user, is_it) else {
            return false;
        };
        let wait_for_it = |_, outgoing: &mut PendingSend| {
            let nobody_waits = outgoing.waiter.is_none();
            if nobody_waits {
                outgoing.waiter = Some(Waiter::Request(Arc::clone(asked)));
            }
            nobody_waits
        };
        let waits = self.pending_sends.visit_own(copy, wait_for_it) == Some(true);
        if waits {
            self.cancel(local, process, copy);
        }
        waits
    }
}

/// The origin of a message, which tells it from all others.
pub(super) fn origin(sender: u32, number: u32) -> u64 {
    u64::from(sender) << 32 | u64::from(number)
}

impl PacketHandler<'_> {
    /// A sender cancels a message whose data waits at its host.
    pub(super) fn cancel(&self, from: HostId, process: u32, sender: Handle) -> Option<()> {
        let is_it = |payload: &Unexpected| match payload {
            Unexpected::Rendezvous(request) => request.from == from && request.sender == sender,
            _ => false,
        };
        if self.endpoint(process)?.table().withdraw_one(is_it).is_some() {
            self.network.tell(from, &Packet::Cancelled { sender });
        }
        Some(())
    }

    /// A message whose data waits here has been cancelled.
    pub(super) fn accept_cancelled(&self, from: HostId, sender: Handle) -> Option<()> {
        let outgoing = self.network.pending_sends.take(sender, from)?;
        self.network.conceal(from, outgoing.region);
        if let Some(waiter) = outgoing.waiter {
            waiter.finish(self.local, &Status::CANCELLED);
        }
        Some(())
    }

    /// A sender cancels an eager message.
    pub(super) fn withdraw_eager(
        &self,
        from: HostId,
        process: u32,
        number: u64,
        answer: Handle,
    ) -> Option<()> {
        let is_it = |payload: &Unexpected| match payload {
            Unexpected::Eager {
                from: host, origin, ..
            } => *host == from && *origin == number,
            _ => false,
        };
        let withdrawn = self.endpoint(process)?.table().withdraw_one(is_it);
        let was_there = withdrawn.is_some();
        if let Some(payload) = withdrawn {
            self.network.received(from, payload.bytes());
        }
        self.network
            .tell(from, &Packet::EagerCancelled { answer, was_there });
        Some(())
    }

    /// The answer to [`Network::cancel_eager`] has come.
    pub(super) fn accept_cancel_answer(&self, from: HostId, answer: Handle, was_there: bool) -> Option<()> {
        let asked = self.network.eager_cancels.take(answer, from)?;
        let status = if was_there {
            Status::CANCELLED
        } else {
            Status::EMPTY
        };
        asked.finish(&status);
        Some(())
    }
}
