//! The handler of packets from other hosts.

use super::cooperative::{Assist, Share};
use super::credit::{Account, cost};
use super::frequent::{Active, Eager, EagerSegment, Fragment};
use super::packets::{ACTIVE, EAGER, EAGER_SEGMENT, FRAGMENT};
use super::pipeline::PipelinedSend;
use super::progress::Task;
use super::rdma::Put;
use super::rendezvous::MatchedReceive;
use super::send::PendingSend;
use super::wire::{Fields, Label, Packet};
use super::{HOST_BASE, Network};
use crate::endpoint::Handle;
use crate::endpoint::RequestToSend;
use crate::endpoint::{EagerBuffer, Unexpected, status_of};
use crate::endpoint::{Endpoint, MatchTable, PostedReceive};
use crate::error::Status;
use crate::host::Host;
use crate::instrument;
use crate::memory;
use simurgh_core::sync::BiasedGuard;
use simurgh_net::HostId;
use simurgh_net::transport::{Handler, Header, Region, TransferError};

/// Acts on packets in the name of a job.
pub(super) struct PacketHandler<'a> {
    pub(super) local: &'a Host,
    pub(super) network: &'a Network,
}

impl Handler for PacketHandler<'_> {
    fn packet(&self, from: HostId, header: &Header, data: &[u8]) {
        let understood = Fields::of(header).and_then(|fields| {
            let account = || self.account(from, fields.credit);
            match fields.kind {
                EAGER => {
                    let eager = Eager::of(&fields)?;
                    self.accept_eager((from, account()), eager, data)
                }
                EAGER_SEGMENT => {
                    let segment = EagerSegment::of(&fields)?;
                    self.accept_segment((from, &account()), segment, data)
                }
                FRAGMENT => {
                    let fragment = Fragment::of(&fields)?;
                    account();
                    self.network.take_fragment(self.local, from, fragment, data)
                }
                ACTIVE => {
                    let active = Active::of(&fields)?;
                    account();
                    self.accept_active(from, active, data)
                }
                _ => self.act_on(from, header, data),
            }
        });
        if understood.is_none() {
            self.network.counters.count_dropped();
        }
    }

    fn transferred(&self, token: u64, outcome: Result<(), TransferError>) {
        self.network.transfer_done(self.local, token, &outcome);
    }

    fn lost(&self, host: HostId, reason: &str) {
        self.local.lost(host, reason);
    }

    fn removed(&self, host: HostId) {
        self.network.accounts.close(host);
    }
}

impl PacketHandler<'_> {
    /// The account with a host, which has told these credits.
    #[inline]
    fn account(&self, from: HostId, credit: u32) -> Account<'_> {
        let account = self.network.accounts.with(from);
        account.confirm(credit);
        account
    }

    /// Handles a packet that is not one of the most frequent, apart from their path; none if it makes no sense.
    #[inline(never)]
    fn act_on(&self, from: HostId, header: &Header, data: &[u8]) -> Option<()> {
        let (packet, credit) = Packet::read(header, data)?;
        let account = self.account(from, credit);
        self.act((from, account), packet, data)
    }

    /// Handles a packet; none if it makes no sense.
    fn act(&self, (from, account): (HostId, Account<'_>), packet: Packet, data: &[u8]) -> Option<()> {
        match packet {
            Packet::Eager(eager) => self.accept_eager((from, account), eager, data),
            Packet::EagerSegment(segment) => self.accept_segment((from, &account), segment, data),
            Packet::RequestToSend {
                label,
                length,
                sender,
                region,
            } => {
                let request = RequestToSend {
                    from,
                    length,
                    sender,
                    region,
                };
                self.accept_request_to_send(label, request)
            }
            Packet::ClearToSend {
                sender,
                receiver,
                limit,
                region,
            } => self.accept_clear_to_send(from, sender, receiver, limit, region),
            Packet::Fragment(fragment) => self.network.take_fragment(self.local, from, fragment, data),
            Packet::GetDone { sender } => self.accept_get_done(from, sender),
            Packet::PutDone { receiver } => self.network.take_put(self.local, from, receiver),
            Packet::Assist {
                sender,
                receiver,
                counter,
                region,
            } => self.accept_assist(from, sender, receiver, counter, region),
            Packet::Assisted {
                receiver,
                chunks,
                has_failed,
            } => {
                let share = Share { chunks, has_failed };
                self.network.take_share(self.local, from, receiver, share)
            }
            Packet::Cancel { process, sender } => self.cancel(from, process, sender),
            Packet::Cancelled { sender } => self.accept_cancelled(from, sender),
            Packet::CancelEager {
                process,
                origin,
                answer,
            } => self.withdraw_eager(from, process, origin, answer),
            Packet::EagerCancelled { answer, was_there } => {
                self.accept_cancel_answer(from, answer, was_there)
            }
            Packet::Credit => Some(()),
            Packet::Active(active) => self.accept_active(from, active, data),
            Packet::Handled { handled } => {
                self.network.confirm_requests(from, handled);
                Some(())
            }
            Packet::Failed(rounds) => self.accept_failure(rounds, data),
            Packet::Context(notice) => self.local.contexts().handle(from, notice).then_some(()),
        }
    }

    /// An active message has come; none if it makes no sense.
    fn accept_active(&self, from: HostId, active: Active, data: &[u8]) -> Option<()> {
        let Active {
            service,
            is_reply,
            words,
            handled,
        } = active;
        self.network.confirm_requests(from, handled);
        self.network
            .take_active(self.local, (from, service, is_reply), words, data)
    }

    /// The endpoint of a process of this host, or of the host itself.
    pub(super) fn endpoint(&self, process: u32) -> Option<&Endpoint> {
        let layout = self.local.layout();
        if layout.is_here(process) {
            return Some(self.local.endpoint(process));
        }
        (process == HOST_BASE + layout.own()).then_some(&self.network.host_endpoint)
    }

    /// An eager message has come.
    #[inline]
    fn accept_eager(&self, (from, account): (HostId, Account<'_>), eager: Eager, data: &[u8]) -> Option<()> {
        if eager.rest > 0 {
            return self.accept_first_segment(from, eager, data);
        }
        let Eager { label, origin, .. } = eager;
        let to = self.endpoint(label.process)?;
        let mut table = to.table();
        match table.take_receive(label.envelope) {
            Some(receive) => {
                drop(table);
                self.deliver_eager(to, label, receive, data);
                self.network.delivered(from, &account, data.len());
                Some(())
            }
            None => self.queue_eager(from, (to, table), label, origin, data),
        }
    }

    /// Queues an eager message that has matched no receive.
    #[inline(never)]
    fn queue_eager(
        &self,
        from: HostId,
        (to, table): (&Endpoint, BiasedGuard<'_, MatchTable>),
        label: Label,
        origin: u64,
        data: &[u8],
    ) -> Option<()> {
        let mut buffer = self.buffer_for(from, table, data.len())?;
        memory::copy(data, buffer.bytes_mut());
        self.match_or_queue(from, (to, label), origin, buffer);
        Some(())
    }

    /// A buffer for a message of a host that has matched no receive in this table; none if the host has sent more than
    /// it was granted.
    pub(super) fn buffer_for(
        &self,
        from: HostId,
        mut table: BiasedGuard<'_, MatchTable>,
        length: usize,
    ) -> Option<EagerBuffer> {
        if !self.network.accounts.with(from).queue(cost(length)) {
            drop(table);
            self.reject_excess(from);
            return None;
        }
        let pooled = table.buffers().take(length);
        drop(table);
        Some(pooled.unwrap_or_else(|| EagerBuffer::allocate(length)))
    }

    /// Matches an eager message that lies in a buffer, or queues it.
    pub(super) fn match_or_queue(
        &self,
        from: HostId,
        (to, label): (&Endpoint, Label),
        origin: u64,
        buffer: EagerBuffer,
    ) {
        let length = buffer.bytes().len();
        let mut table = to.table();
        let receive = table.take_receive(label.envelope);
        if receive.is_none() && !self.network.has_failed(label) {
            instrument::unexpected(to, label.envelope, length);
            let payload = Unexpected::Eager { buffer, from, origin };
            table.arrive(self.local, label.envelope, label.kinds, payload);
            return;
        }
        drop(table);
        if let Some(receive) = receive {
            self.deliver_eager(to, label, receive, buffer.bytes());
        }
        to.table().buffers().give_back(buffer);
        self.network.received(from, length);
    }

    /// Copies an eager message to a posted receive and completes the receive.
    #[inline(always)]
    fn deliver_eager(&self, to: &Endpoint, label: Label, receive: PostedReceive, data: &[u8]) {
        instrument::matched(to, label.envelope, || data.len());
        let transfer = memory::unpack_at(data, &receive.target, 0);
        receive
            .waiter
            .finish(self.local, &status_of(label.envelope, &transfer));
    }

    /// A host has sent more than it was granted. Its message is lost; the job has to end, since a rank may wait for
    /// that message for ever.
    #[cold]
    fn reject_excess(&self, from: HostId) {
        if self.network.counters.is_first_excess() {
            let reason = "it has sent more than it was granted here (eager-window): it has gone wrong, or is of \
                          another installation";
            self.local.lost(from, reason);
        }
    }

    /// A request to send has come.
    fn accept_request_to_send(&self, label: Label, request: RequestToSend) -> Option<()> {
        let Label {
            process,
            envelope,
            kinds,
        } = label;
        let to = self.endpoint(process)?;
        let mut table = to.table();
        let Some(receive) = table.take_receive(envelope) else {
            if self.network.has_failed(label) {
                drop(table);
                self.network.discard(Unexpected::Rendezvous(request));
                return Some(());
            }
            instrument::unexpected(to, envelope, request.bytes());
            table.arrive(self.local, envelope, kinds, Unexpected::Rendezvous(request));
            return Some(());
        };
        drop(table);
        instrument::matched(to, envelope, || request.bytes());
        let PostedReceive { target, waiter } = receive;
        let matched = MatchedReceive {
            user: process,
            envelope,
            target,
            waiter,
        };
        if let Some(task) = self.network.answer_request(self.local, &request, matched) {
            self.network.tasks.add(task);
        }
        Some(())
    }

    /// A clear to send has come.
    fn accept_clear_to_send(
        &self,
        to: HostId,
        sender: Handle,
        receiver: Handle,
        limit: u64,
        region: Option<Region>,
    ) -> Option<()> {
        let outgoing = &self.network.pending_sends;
        let there_is_so_much = outgoing.visit(sender, to, |outgoing| limit <= outgoing.data.bytes())?;
        there_is_so_much.then_some(())?;
        let outgoing = outgoing.take(sender, to)?;
        self.network.conceal(to, outgoing.region);
        if limit == 0 {
            self.complete_send(outgoing);
            return Some(());
        }
        let plain = outgoing.data.lent().is_some_and(memory::Source::is_contiguous);
        let fits = |region: &Region| plain && region.length >= limit;
        let task = match region.filter(|region| fits(region) && self.network.access(to).write) {
            Some(region) => Task::Put(Put {
                to,
                receiver,
                region,
                send: outgoing,
                limit,
            }),
            None => Task::Pipeline(PipelinedSend {
                to,
                receiver,
                data: outgoing.data,
                waiter: outgoing.waiter,
                offset: 0,
                limit,
            }),
        };
        self.network.tasks.add(task);
        Some(())
    }

    /// The receiver has got the data of a message.
    fn accept_get_done(&self, from: HostId, sender: Handle) -> Option<()> {
        let outgoing = &self.network.pending_sends;
        outgoing
            .visit(sender, from, |outgoing| outgoing.region.is_some())?
            .then_some(())?;
        let outgoing = outgoing.take(sender, from)?;
        self.network.conceal(from, outgoing.region);
        self.complete_send(outgoing);
        Some(())
    }

    /// The receiver of a message asks for help with copying it.
    fn accept_assist(
        &self,
        to: HostId,
        sender: Handle,
        receiver: Handle,
        counter: u64,
        region: Region,
    ) -> Option<()> {
        let lent = |outgoing: &mut PendingSend| {
            let exposed = outgoing.region.filter(|own| region.length <= own.length);
            exposed.and_then(|_| outgoing.data.lent().cloned())
        };
        let source = self.network.pending_sends.visit(sender, to, lent)??;
        self.network.tasks.add(Task::Assist(Assist {
            to,
            receiver,
            counter,
            region,
            source,
        }));
        Some(())
    }

    fn complete_send(&self, outgoing: PendingSend) {
        if let Some(waiter) = outgoing.waiter {
            waiter.finish(self.local, &Status::EMPTY);
        }
    }
}
