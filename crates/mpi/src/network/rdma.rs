//! Gets and puts: rendezvous messages that are read from the sender's memory, or written to the receiver's.
//!
//! A transfer is over at once, or its transport reports its end by the handle of the message. If the memory cannot be
//! accessed after all, the data comes in fragments.

use super::Network;
use super::exposed;
use super::flush::FLUSH;
use super::one_sided::ONE_SIDED;
use super::pipeline::PipelinedSend;
use super::progress::{Step, Task};
use super::protocol_choice::Protocol;
use super::rendezvous::PendingReceive;
use super::send::PendingSend;
use super::wire::Packet;
use crate::endpoint::Handle;
use crate::error::Status;
use crate::host::Host;
use crate::memory::Target;
use simurgh_core::sync::Ordering;
use simurgh_core::time_stamp;
use simurgh_net::HostId;
use simurgh_net::transport::{Access, Region, Transfer, TransferError, Transport};
use simurgh_settings::{Id, Values};

/// Data with fewer bytes is not worth an access to remote memory.
const LEAST: u64 = 2048;

/// Set in the token of a put; no handle has it set.
const PUT: u64 = 1 << 63;

/// A message that this host gets.
#[derive(Debug)]
pub(super) struct Get {
    pub(super) from: HostId,
    pub(super) sender: Handle,
    pub(super) receiver: Handle,
    pub(super) region: Region,
    pub(super) target: Target,
    pub(super) limit: u64,
    /// The target's memory, and the counter of chunks, if the sender takes part.
    pub(super) shared: Option<(Region, u64)>,
}

/// A message that this host puts.
#[derive(Debug)]
pub(super) struct Put {
    pub(super) to: HostId,
    pub(super) receiver: Handle,
    pub(super) region: Region,
    pub(super) send: PendingSend,
    pub(super) limit: u64,
}

/// The access to memory that the user wants: of a job that wants gets alone, no host puts, and the other way round.
pub(super) fn wanted(settings: &Values) -> Access {
    let (read, write) = match settings.get(Id::Rendezvous) {
        Some(1) => (true, false),
        Some(2) => (false, true),
        Some(3) => (false, false),
        _ => (true, true),
    };
    Access { read, write }
}

impl Network {
    #[inline]
    pub(super) fn way(&self, host: HostId) -> &dyn Transport {
        self.fabric().transport(host).expect("messages go to other hosts")
    }

    /// The access between this host and another to each other's memory: what the transport can and the user wants. The
    /// other may belong to a job with other settings.
    pub(super) fn access(&self, host: HostId) -> Access {
        self.access_by(self.way(host), host)
    }

    /// [`Network::access`] by the way to the host.
    pub(super) fn access_by(&self, way: &dyn Transport, host: HostId) -> Access {
        let Access { read, write } = way.access(host);
        Access {
            read: read && self.wanted.read,
            write: write && self.wanted.write,
        }
    }

    /// Whether a host reads data of so many bytes that lies in one piece from this host's memory, or may do so.
    fn is_read_by(&self, host: HostId, bytes: u64) -> bool {
        bytes >= LEAST && self.access(host).read
    }

    /// Whether a host reads such data, and packets are not as good.
    pub(crate) fn is_better_read(&self, host: HostId, bytes: u64) -> bool {
        self.is_read_by(host, bytes) && !self.way(host).packets_compete()
    }

    /// Whether a message of so many bytes to another process of the node, whose sender waits, is complete sooner if it
    /// is eager.
    pub(crate) fn is_eager_sooner(&self, bytes: u64) -> bool {
        self.protocol_choice.is_eager_sooner(bytes)
    }

    /// The protocol for so many bytes that this host can get.
    pub(super) fn protocol(&self, host: HostId, bytes: u64) -> Protocol {
        match self.way(host).packets_compete() {
            true => {
                let all = [Protocol::Fragments, Protocol::Get, Protocol::CooperativeGet];
                let possible = if self.may_cooperate(host, bytes) { 3 } else { 2 };
                self.protocol_choice.choose(bytes, &all[..possible])
            }
            false => Protocol::Get,
        }
    }

    /// Exposes the data of a message to a host that can get it, if that is worth while.
    pub(super) fn expose_for_get(&self, host: HostId, outgoing: &PendingSend) -> Option<Region> {
        let way = self.way(host);
        let worth = self.is_read_by(host, outgoing.data.bytes());
        let source = outgoing.data.lent().filter(|_| worth)?;
        exposed::expose_source(way, source)
    }

    /// Exposes a target to a host that can put data there, if that is worth while.
    pub(super) fn expose_for_put(&self, host: HostId, target: &Target, limit: u64) -> Option<Region> {
        let way = self.way(host);
        let worth = limit >= LEAST && self.access(host).write;
        worth.then(|| exposed::expose_target(way, target)).flatten()
    }

    /// Ends the access of a host to memory.
    pub(crate) fn conceal(&self, host: HostId, region: Option<Region>) {
        if let Some(region) = region {
            self.way(host).conceal(region);
        }
    }

    /// Begins a transfer. It counts as under way until it is over: if it has started, until its end has been reported.
    pub(super) fn begin_transfer<E>(
        &self,
        begin: impl FnOnce() -> Result<Transfer, E>,
    ) -> Result<Transfer, E> {
        self.transfers.fetch_add(1, Ordering::SeqCst);
        let outcome = begin();
        if !matches!(outcome, Ok(Transfer::Started)) {
            self.transfers.fetch_sub(1, Ordering::SeqCst);
        }
        outcome
    }

    /// Gets a message.
    pub(super) fn get(&self, local: &Host, get: Get) -> Step {
        if let Some((target, counter)) = get.shared {
            self.get_with_sender(local, &get, target, counter);
            return Step::Done;
        }
        let Get {
            from,
            receiver,
            region,
            ref target,
            limit,
            ..
        } = get;
        let way = self.way(from);
        let begin = way.packets_compete().then(time_stamp);
        let read = || exposed::read(way, from, (region, 0), target, 0..limit as usize, receiver.0);
        match self.begin_transfer(read) {
            Ok(Transfer::Started) => (),
            Ok(Transfer::Done) => {
                if let Some(begin) = begin {
                    self.protocol_choice.note_get(Protocol::Get, limit, begin);
                }
                self.get_done(local, receiver);
            }
            Err(TransferError::Busy(_)) => return Step::Blocked(Task::Get(get)),
            Err(TransferError::Refused(_)) => self.get_refused(receiver),
        }
        Step::Done
    }

    /// A get is over.
    pub(super) fn get_done(&self, local: &Host, receiver: Handle) {
        let Some((from, mut incoming)) = self.pending_receives.take_own(receiver) else {
            return;
        };
        incoming.has_come();
        let sender = incoming.sender();
        self.finish(local, from, incoming);
        self.tell(from, &Packet::GetDone { sender });
    }

    /// A get is not possible: asks for the message in fragments.
    pub(super) fn get_refused(&self, receiver: Handle) {
        let matched = self.pending_receives.visit_own(receiver, |from, incoming| {
            (from, incoming.sender(), incoming.limit())
        });
        if let Some((from, sender, limit)) = matched {
            self.clear_to_send(from, sender, receiver, limit, None);
        }
    }

    /// Puts a message.
    pub(super) fn put(&self, local: &Host, put: Put) -> Step {
        let Put {
            to, region, limit, ..
        } = put;
        let Some(source) = put.send.data.lent().cloned() else {
            return Step::More(Task::Pipeline(put.into_pipeline()));
        };
        let handle = self.puts.add(put.receiver.0 as usize, to, put);
        let token = handle.0 | PUT;
        let write = || exposed::write(self.way(to), to, (region, 0), &source, 0..limit as usize, token);
        let error = match self.begin_transfer(write) {
            Ok(Transfer::Started) => return Step::Done,
            Ok(Transfer::Done) => {
                self.put_done(local, handle);
                return Step::Done;
            }
            Err(error) => error,
        };
        match (error, self.puts.take(handle, to)) {
            (TransferError::Busy(_), Some(put)) => Step::Blocked(Task::Put(put)),
            (TransferError::Refused(_), Some(put)) => Step::More(Task::Pipeline(put.into_pipeline())),
            (_, None) => Step::Done,
        }
    }

    /// A put is over.
    fn put_done(&self, local: &Host, handle: Handle) {
        let Some((to, put)) = self.puts.take_own(handle) else {
            return;
        };
        let receiver = put.receiver;
        self.tell(to, &Packet::PutDone { receiver });
        if let Some(waiter) = put.send.waiter {
            waiter.finish(local, &Status::EMPTY);
        }
    }

    /// The get, put, flush or transfer of one-sided communication with this token is over.
    pub(super) fn transfer_done(&self, local: &Host, token: u64, outcome: &Result<(), TransferError>) {
        let handle = Handle(token & !(PUT | FLUSH | ONE_SIDED));
        match (token & PUT == 0, outcome) {
            _ if token & FLUSH != 0 => self.flush_done(local, handle),
            _ if token & ONE_SIDED != 0 => self.one_sided_done(local, handle, outcome.is_ok()),
            (true, Ok(())) => self.get_done(local, handle),
            (true, Err(_)) => self.get_refused(handle),
            (false, Ok(())) => self.put_done(local, handle),
            (false, Err(_)) => {
                if let Some((_, put)) = self.puts.take_own(handle) {
                    self.tasks.add(Task::Pipeline(put.into_pipeline()));
                }
            }
        }
        // Last, so that whatever follows from the transfer is counted before.
        self.transfers.fetch_sub(1, Ordering::SeqCst);
    }

    /// Completes the receive of a message that has come.
    pub(super) fn finish(&self, local: &Host, from: HostId, incoming: PendingReceive) {
        self.conceal(from, incoming.region());
        self.expected.fetch_sub(incoming.limit(), Ordering::Relaxed);
        let status = incoming.status();
        incoming.into_waiter().finish(local, &status);
    }
}

impl Put {
    /// The same message, to be sent in fragments.
    fn into_pipeline(self) -> PipelinedSend {
        PipelinedSend {
            to: self.to,
            receiver: self.receiver,
            data: self.send.data,
            waiter: self.send.waiter,
            offset: 0,
            limit: self.limit,
        }
    }
}
