//! What comes from other hosts.

use super::credit::{Account, cost};
use super::fetch::Wanted;
use super::send::Outgoing;
use super::stream::Stream;
use super::tasks::Task;
use super::transfer::Writing;
use super::wire::{Eager, Label, Packet};
use super::{HOST_BASE, Remote};
use crate::endpoint::Handle;
use crate::endpoint::RequestToSend;
use crate::endpoint::{EagerBuffer, Unexpected, status_of};
use crate::endpoint::{Endpoint, MatchTable, PostedReceive};
use crate::host::Host;
use crate::instrument;
use crate::memory;
use crate::status::Status;
use simurgh_core::sync::BiasedGuard;
use simurgh_net::HostId;
use simurgh_net::transport::{Handler, Header, Region, TransferError};

/// Acts on packets in the name of a job.
pub(super) struct Reception<'a> {
    pub(super) local: &'a Host,
    pub(super) remote: &'a Remote,
}

impl Handler for Reception<'_> {
    fn packet(&self, from: HostId, header: &Header, data: &[u8]) {
        let understood = match Eager::read(header) {
            Some(Eager {
                label,
                origin,
                credit,
            }) => {
                let account = self.remote.accounts.with(from);
                account.regain(credit);
                self.accept_eager((from, account), label, origin, data)
            }
            None => self.act_on(from, header, data),
        };
        if understood.is_none() {
            self.remote.counters.count_dropped();
        }
    }

    fn transferred(&self, token: u64, outcome: Result<(), TransferError>) {
        self.remote.transferred(self.local, token, &outcome);
    }

    fn lost(&self, host: HostId, reason: &str) {
        self.local.lost(host, reason);
    }
}

impl Reception<'_> {
    /// Does what a packet says, apart from the path of the most frequent ones; none if that makes no sense.
    #[inline(never)]
    fn act_on(&self, from: HostId, header: &Header, data: &[u8]) -> Option<()> {
        let (packet, credit) = Packet::read(header, data)?;
        self.remote.accounts.with(from).regain(credit);
        self.act(from, packet, data)
    }

    /// Does what a packet says; none if that makes no sense.
    fn act(&self, from: HostId, packet: Packet, data: &[u8]) -> Option<()> {
        match packet {
            Packet::Eager { label, origin } => {
                self.accept_eager((from, self.remote.accounts.with(from)), label, origin, data)
            }
            Packet::Request {
                label,
                length,
                sender,
                region,
            } => {
                let promise = RequestToSend {
                    from,
                    length,
                    sender,
                    region,
                };
                self.accept_promise(label, promise)
            }
            Packet::Clear {
                sender,
                receiver,
                limit,
                region,
            } => self.send_what_is_wanted(from, sender, receiver, limit, region),
            Packet::Data { receiver, offset } => {
                self.remote.take_piece(self.local, from, receiver, offset, data)
            }
            Packet::Read { sender } => self.has_been_read(from, sender),
            Packet::Written { receiver } => self.remote.take_written(self.local, from, receiver),
            Packet::Cancel { process, sender } => self.cancel(from, process, sender),
            Packet::Cancelled { sender } => self.has_been_cancelled(from, sender),
            Packet::Recall {
                process,
                origin,
                answer,
            } => self.give_back(from, process, origin, answer),
            Packet::Recalled { answer, was_there } => self.answered(from, answer, was_there),
            Packet::Credit => Some(()),
            Packet::GivenUp(rounds) => self.hear_of_failure(rounds, data),
            Packet::Context(notice) => self.local.contexts().handle(from, notice).then_some(()),
        }
    }

    /// Where messages for a process of this host go, or for the host itself.
    pub(super) fn endpoint(&self, process: u32) -> Option<&Endpoint> {
        let layout = self.local.layout();
        if layout.is_here(process) {
            return Some(self.local.endpoint(process));
        }
        (process == HOST_BASE + layout.own()).then_some(&self.remote.line)
    }

    /// A short message has come.
    #[inline]
    fn accept_eager(
        &self,
        (from, account): (HostId, Account<'_>),
        label: Label,
        origin: u64,
        data: &[u8],
    ) -> Option<()> {
        let to = self.endpoint(label.process)?;
        let mut table = to.table();
        match table.take_receive(label.envelope) {
            Some(receive) => {
                drop(table);
                self.hand_over(to, label, receive, data);
                self.remote.passed(from, account, data.len());
                Some(())
            }
            None => self.keep(from, (to, table), label, origin, data),
        }
    }

    /// A short message has found no receive in the table.
    #[inline(never)]
    fn keep(
        &self,
        from: HostId,
        (to, mut table): (&Endpoint, BiasedGuard<'_, MatchTable>),
        label: Label,
        origin: u64,
        data: &[u8],
    ) -> Option<()> {
        if !self.remote.accounts.with(from).hold(cost(data.len())) {
            drop(table);
            return self.refuse(from);
        }
        let pooled = table.buffers().take(data.len());
        drop(table);
        let mut buffer = pooled.unwrap_or_else(|| EagerBuffer::allocate(data.len()));
        buffer.bytes_mut().copy_from_slice(data);
        let mut table = to.table();
        match table.take_receive(label.envelope) {
            None if self.remote.is_given_up(label) => {
                table.buffers().give_back(buffer);
                drop(table);
                self.remote.received(from, data.len());
            }
            None => {
                instrument::unexpected(to, label.envelope, data.len());
                let payload = Unexpected::Eager { buffer, from, origin };
                table.arrive(self.local, label.envelope, label.lanes, payload);
            }
            Some(receive) => {
                table.buffers().give_back(buffer);
                drop(table);
                self.hand_over(to, label, receive, data);
                self.remote.received(from, data.len());
            }
        }
        Some(())
    }

    /// Copies a short message to a posted receive and completes it.
    #[inline(always)]
    fn hand_over(&self, to: &Endpoint, label: Label, receive: PostedReceive, data: &[u8]) {
        instrument::matched(to, label.envelope, || data.len());
        let transfer = memory::unpack_at(data, &receive.target, 0);
        receive
            .waiter
            .finish(self.local, &status_of(label.envelope, &transfer));
    }

    /// A host has sent more than it was granted, so a message is lost and with it the job: nobody may wait for it for
    /// ever.
    #[cold]
    fn refuse(&self, from: HostId) -> Option<()> {
        if self.remote.counters.is_first_excess() {
            let reason = "it has sent more than it was granted here (eager-window): it has gone wrong, or is of \
                          another installation";
            self.local.lost(from, reason);
        }
        None
    }

    /// A message waits at its sender.
    fn accept_promise(&self, label: Label, promise: RequestToSend) -> Option<()> {
        let Label {
            process,
            envelope,
            lanes,
        } = label;
        let to = self.endpoint(process)?;
        let mut table = to.table();
        let Some(receive) = table.take_receive(envelope) else {
            if self.remote.is_given_up(label) {
                drop(table);
                self.remote.throw_away(Unexpected::Rendezvous(promise));
                return Some(());
            }
            instrument::unexpected(to, envelope, promise.bytes());
            table.arrive(self.local, envelope, lanes, Unexpected::Rendezvous(promise));
            return Some(());
        };
        drop(table);
        instrument::matched(to, envelope, || promise.bytes());
        let PostedReceive { target, waiter } = receive;
        let wanted = Wanted {
            user: process,
            envelope,
            target,
            waiter,
        };
        if let Some(task) = self.remote.ask_for(self.local, &promise, wanted) {
            self.remote.tasks.add(task);
        }
        Some(())
    }

    /// The receiver of a message has said how much of it shall be sent, and perhaps where to write it.
    fn send_what_is_wanted(
        &self,
        to: HostId,
        sender: Handle,
        receiver: Handle,
        limit: u64,
        region: Option<Region>,
    ) -> Option<()> {
        let outgoing = &self.remote.outgoing;
        let there_is_so_much = outgoing.visit(sender, to, |outgoing| limit <= outgoing.goods.bytes())?;
        there_is_so_much.then_some(())?;
        let outgoing = outgoing.take(sender, to)?;
        self.remote.conceal(to, outgoing.region);
        if limit == 0 {
            self.is_over(outgoing);
            return Some(());
        }
        let plain = outgoing.goods.lent().is_some_and(memory::Source::is_contiguous);
        let task = match region.filter(|region| plain && region.length >= limit) {
            Some(region) => Task::Write(Writing {
                to,
                receiver,
                region,
                outgoing,
                limit,
            }),
            None => Task::Stream(Stream {
                to,
                receiver,
                goods: outgoing.goods,
                waiter: outgoing.waiter,
                offset: 0,
                limit,
            }),
        };
        self.remote.tasks.add(task);
        Some(())
    }

    /// The receiver of a message has read it.
    fn has_been_read(&self, from: HostId, sender: Handle) -> Option<()> {
        let outgoing = &self.remote.outgoing;
        outgoing
            .visit(sender, from, |outgoing| outgoing.region.is_some())?
            .then_some(())?;
        let outgoing = outgoing.take(sender, from)?;
        self.remote.conceal(from, outgoing.region);
        self.is_over(outgoing);
        Some(())
    }

    fn is_over(&self, outgoing: Outgoing) {
        if let Some(waiter) = outgoing.waiter {
            waiter.finish(self.local, &Status::EMPTY);
        }
    }
}
